/** What was approved and left lying is sent only while everything holds that it was approved on, and ends in any case. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile } from "../../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { mcpFile, openFile } from "../../../../scripts/testing/files.ts";
import { tickAt } from "../../../../scripts/testing/follow-ups.ts";
import { innerTool, speakMcp } from "../../../../scripts/testing/mcp-server.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { openDatabase } from "../db/client.ts";
import type { JsonObject } from "../definition/json.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import { sendAbandoned } from "./send-abandoned.ts";

/** What the ledger shows. */
let shown = { open: 5 };
const ledger = startUpstream(({ method }) => Response.json(method === "GET" ? shown : { id: 7 }));
/** What the tracker says of its tool. */
let described = "Adds one.";
const tracker = startUpstream(speakMcp({
  tools: () => [{ ...innerTool("add", { annotations: {} }), description: described }],
  call: () => ({ content: [{ type: "text", text: "done" }] }),
}));
const upstreams = new Map([
  ["ledger.example", ledger.url],
  ["other.example", ledger.url],
  ["mcp.tracker.example", tracker.url],
]);
const w = await openTestWorkspace({ upstreams });
const db = openDatabase(w.database.url);
globalThis.addEventListener("unload", () => {
  db.end();
  w.close();
  ledger.close();
  tracker.close();
});
const { sql } = w.database;
const { propose, show } = askingOn(w);
const looks = () => ledger.requests.filter(({ method }) => method === "GET").length;
const writes = () => ledger.requests.filter(({ method }) => method === "POST").length;

async function define(file: JsonObject): Promise<void> {
  const { status, text } = await w.define(file);
  assertEquals(status, 200, text);
}
let count = 0;
const newSlug = () => `book_${++count}`;
await define(openFile({
  slug: "look",
  arguments: { type: "object", properties: {} },
  request: { method: "GET", url: "https://ledger.example/look" },
  fixtures: [{ response: {} }],
}));

type Person = "admin" | "second_admin" | "member";

/** As it is where whoever approved it had no time left to send it. */
async function leave(id: string, by: Person = "admin"): Promise<string> {
  const who = JSON.stringify({ kind: "session", id: w.people[by], name: "Ada Admin" });
  await sql`
    update framed.v2_approvals set status = 'running', decided_at = now(), sender = gen_random_uuid(), decided_by = ${who}::text::jsonb,
        lease_until = now() - interval '1 second' where id = ${id}`;
  return id;
}
/** Proposes a call of a tool of its own, and leaves it approved. */
async function leaveNew(file: JsonObject = {}, { by, as }: { by?: Person; as?: CallerName } = {}) {
  const slug = newSlug();
  await define(openBookingFile({ slug, ...file }));
  return { slug, id: await leave((await propose(slug, { number: "1" }, as)).approval_id, by) };
}
async function proposeChain(calls: readonly JsonObject[]): Promise<string> {
  const { status, body, text } = await w.ask("/tools/calls", {
    as: "member",
    body: { workspace_id: w.id, calls },
  });
  assertEquals(status, 202, text);
  return body.approval_id;
}
/** As it is where a chain was left after its first call. */
async function landFirst(id: string): Promise<void> {
  await sql`
    update framed.v2_approval_calls set status = 'applied', began_at = now(), ended_at = now(), result = '{"id":7}', result_id = gen_random_uuid()
     where approval_id = ${id} and n = 0`;
}
async function begin(id: string): Promise<void> {
  await sql`update framed.v2_approval_calls set status = 'running', began_at = now() where approval_id = ${id}`;
}
const minutes = (count: number) => new Date(Date.now() + count * 60_000);
const days = (count: number) => minutes(count * 1_440);
async function tick(now?: Date): Promise<void> {
  const { body } = await w.tick(now);
  assertEquals(body.failed, 0);
}

/** Makes the database break on calls of `slug` that come to have this status, while `work` is done. */
async function whileBreaking(
  { slug, at, errcode = "P0001" }: { slug: string; at: string; errcode?: string },
  work: () => Promise<void>,
): Promise<void> {
  await sql.unsafe(`
    create function public.break_it() returns trigger language plpgsql as $$
      begin raise exception 'broken' using errcode = '${errcode}'; end $$;
    create trigger break_it before update on framed.v2_approval_calls for each row
      when (new.tool = '${slug}' and new.status = '${at}') execute function public.break_it()`);
  try {
    await work();
  } finally {
    await sql`drop function public.break_it() cascade`;
  }
}
const means = { db, egress: createEgress({ upstreams }), keyRing: null, now: () => new Date() };
/** Takes up what is due then; tells what broke. */
async function takeAt(now: Date): Promise<string[]> {
  const broken: string[] = [];
  await sendAbandoned(means, tickAt(now, { report: (_, { approval_id }) => broken.push(approval_id!) }));
  return broken;
}

databaseTest(
  "what breaks whenever it is taken up is tried later and later, and ends after two hours with nothing sent",
  async () => {
    const { slug, id } = await leaveNew();
    const before = writes();
    const start = Date.now();
    await whileBreaking({ slug, at: "running" }, async () => {
      const tried: number[] = [];
      for (let minute = 0; minute <= 200; minute++) {
        const broken = await takeAt(new Date(start + minute * 61_000));
        if (broken.length > 0) tried.push(minute);
      }
      assertEquals(tried, [0, 1, 3, 7, 15, 31, 63, 126]);
    });
    const ended = await show(id);
    assertEquals([ended.status, ended.calls[0].status, ended.calls[0].reason, writes() - before], [
      "failed",
      "not_sent",
      "internal",
      0,
    ]);
    assertStringIncludes(ended.outcome, "broke here in each of 8 tries");
    assertStringIncludes(ended.outcome, "Nothing was sent.");
  },
);

databaseTest("what breaks between two calls of a chain ends with what landed before it said", async () => {
  const slug = newSlug();
  await define(openBookingFile({ slug }));
  await define(openBookingFile());
  const id = await leave(
    await proposeChain([{ tool: "book", args: { number: "1" } }, { tool: slug, args: { number: "2" } }]),
  );
  await landFirst(id);
  await whileBreaking({ slug, at: "running" }, async () => {
    for (let hour = 0; hour < 8; hour++) assertEquals(await takeAt(minutes(hour * 180)), [id]);
  });
  const ended = await show(id);
  assertEquals([ended.status, ...ended.calls.map((call: { status: string }) => call.status)], [
    "failed",
    "applied",
    "not_sent",
  ]);
  assertStringIncludes(ended.outcome, "Call 2 of 2 was not sent");
});

databaseTest("what breaks keeps no other of its workspace from its turn", async () => {
  const slug = newSlug();
  await define(openBookingFile({ slug }));
  await define(openBookingFile());
  const breaking: string[] = [];
  for (let n = 0; n < 50; n++) {
    breaking.push(await leave((await propose(slug, { number: `${n}` })).approval_id));
  }
  const sound = await leave((await propose("book", { number: "sound" })).approval_id);
  await whileBreaking({ slug, at: "running" }, async () => {
    assertEquals((await takeAt(minutes(0))).length, 50);
    assertEquals(await takeAt(minutes(0)), []);
  });
  assertEquals((await show(sound)).status, "applied");
  await takeAt(minutes(2));
  for (const id of breaking) assertEquals((await show(id)).status, "applied");
});

databaseTest("a store that is away counts against nothing that was to be sent", async () => {
  const { slug, id } = await leaveNew();
  const stands = () => sql`select status, tries, lease_until from framed.v2_approvals where id = ${id}`;
  const before = await stands();
  await whileBreaking({ slug, at: "running", errcode: "08006" }, async () => {
    for (let n = 0; n < 9; n++) await assertRejects(() => takeAt(minutes(n)));
  });
  assertEquals([...await stands()], [...before]);
  await takeAt(minutes(0));
  assertEquals((await show(id)).status, "applied");
});

databaseTest("what was begun and breaks when it is given up is never said to be unsent", async () => {
  const { slug, id } = await leaveNew();
  await begin(id);
  await whileBreaking({ slug, at: "unknown" }, async () => {
    for (let hour = 0; hour < 10; hour++) assertEquals(await takeAt(minutes(hour * 180)), [id]);
  });
  assertEquals((await show(id)).status, "running");
  await takeAt(days(3));
  assertEquals((await show(id)).status, "unknown");
});

databaseTest(
  "what was approved is not sent once it has expired, and is no approval nobody decided",
  async () => {
    const before = [looks(), writes()];
    const { id } = await leaveNew({ preview: { tool: "look", args: {} } });
    const asked = looks();
    await tick(days(40));
    const ended = await show(id);
    assertEquals([ended.status, ended.calls[0].status, ended.calls[0].reason], [
      "failed",
      "not_sent",
      "approval_expired",
    ]);
    assertEquals(
      ended.outcome,
      `It was approved and could not be sent before it expired at ${ended.expires_at}. Nothing was sent. Whoever asked can propose it again.`,
    );
    assertEquals([looks(), writes()], [asked, before[1]], "nothing is read for it either");
  },
);

databaseTest("a chain that has begun goes on though its approval expires", async () => {
  await define(openBookingFile());
  const id = await leave(
    await proposeChain([{ tool: "book", args: { number: "e1" } }, { tool: "book", args: { number: "e2" } }]),
  );
  await landFirst(id);
  const before = writes();
  await tick(days(40));
  assertEquals([(await show(id)).status, writes() - before], ["applied", 1]);
});

databaseTest("the claim itself finds what expired, and who may not decide any more", async () => {
  const TABLE = [["expired", "admin", days(40)], ["decider", "bare_member", new Date()]] as const;
  for (const [changed, by, at] of TABLE) {
    const { id } = await leaveNew();
    const who = JSON.stringify({ kind: "session", id: w.people[by], name: "Somebody" });
    await sql`update framed.v2_approvals set decided_by = ${who}::text::jsonb where id = ${id}`;
    const next = JSON.stringify({ n: 0, sender: crypto.randomUUID(), lease_seconds: 60 });
    const [row] = await sql`
      select framed.claim_abandoned(${w.id}::uuid, ${id}::uuid, ${next}::text::jsonb, '{}', ${at.toISOString()}::timestamptz) as step`;
    assertEquals(row!.step, { changed });
    const { calls } = await show(id);
    assertEquals(calls[0].status, "waiting");
    await tick(days(40));
  }
});

/** Ways to lose the right to approve, and what they are given back by. */
const LOSSES: readonly {
  readonly says: string;
  readonly by: Person;
  readonly file?: JsonObject;
  readonly lose: () => PromiseLike<unknown>;
  readonly regain: () => PromiseLike<unknown>;
  readonly because: string;
}[] = [
  {
    says: "was removed",
    by: "second_admin",
    lose: () =>
      sql`update framed.members set user_id = gen_random_uuid() where user_id = ${w.people.second_admin}`,
    regain: () =>
      sql`update framed.members set user_id = ${w.people.second_admin} where user_id not in ${
        sql(Object.values(w.people))
      }`,
    because: "Whoever approved this may not decide here any more.",
  },
  {
    says: "is no administrator any more, of what needs one",
    by: "second_admin",
    file: { access: "sensitive" },
    lose: () =>
      sql`update framed.members set role = 'member', grants = '{use_connectors}' where user_id = ${w.people.second_admin}`,
    regain: () => sql`update framed.members set role = 'admin' where user_id = ${w.people.second_admin}`,
    because: "Whoever approved this is no administrator any more, and it needs one.",
  },
  {
    says: "asked for it, where nobody approves their own any more",
    by: "member",
    lose: () =>
      sql`update framed.workspaces set settings = settings || '{"approver_is_not_requester": true}' where id = ${w.id}`,
    regain: () =>
      sql`update framed.workspaces set settings = settings - 'approver_is_not_requester' where id = ${w.id}`,
    because: "nobody approves here any more what they asked for themselves",
  },
];

for (const { says, by, file, lose, regain, because } of LOSSES) {
  databaseTest(
    `nothing is sent of what was approved by somebody who ${says}: there is a fresh look`,
    async () => {
      const { id } = await leaveNew(file, { by });
      const before = writes();
      await lose();
      await tick();
      await regain();
      const old = await show(id);
      assertEquals([old.status, old.calls[0].status, writes() - before], ["superseded", "not_sent", 0]);
      assertStringIncludes(old.superseded_because, because);
      const fresh = await show(old.superseded_by);
      assertEquals([fresh.status, fresh.decided_by], ["awaiting_approval", null]);
    },
  );
}

databaseTest("what was approved by a member who may still decide is sent", async () => {
  const { id } = await leaveNew({}, { by: "member", as: "admin" });
  await tick();
  assertEquals((await show(id)).status, "applied");
});

databaseTest(
  "a chain that needed an administrator is not begun once whoever approved it is none",
  async () => {
    const slug = newSlug();
    const request = { method: "POST", url: "https://other.example/x" };
    await define(openBookingFile({ slug, request }));
    const id = await proposeChain([
      { tool: "look", args: {} },
      { tool: slug, args: { number: "b{{calls.0.result.open}}" } },
    ]);
    assertEquals((await show(id)).needs, "admin");
    await leave(id, "member");
    const before = [looks(), writes()];
    await tick();
    const old = await show(id);
    assertEquals([old.status, looks(), writes()], ["superseded", ...before]);
    assertEquals((await show(old.superseded_by)).needs, "admin");
  },
);

databaseTest(
  "of what somebody asked for who lost the right to ask there is no fresh approval, and nothing is read as them",
  async () => {
    const CHANGES: readonly ((slug: string) => unknown)[] = [
      () => shown = { open: shown.open + 1 },
      (slug) => define(openBookingFile({ slug, description: "Another." })),
      () => {},
    ];
    for (const change of CHANGES) {
      const { slug, id } = await leaveNew({ preview: { tool: "look", args: {} } });
      await sql`update framed.members set grants = '{}' where user_id = ${w.people.member}`;
      await change(slug);
      const before = [looks(), writes()];
      await tick();
      await sql`update framed.members set grants = '{use_connectors}' where user_id = ${w.people.member}`;
      const old = await show(id);
      assertEquals([old.status, old.superseded_by, old.calls[0].status], ["superseded", null, "not_sent"]);
      assertStringIncludes(old.superseded_because, "Whoever asked may not use tools here any more.");
      assertEquals([looks(), writes()], before);
    }
  },
);

databaseTest(
  "a chain goes no further once whoever asked lost the right to ask, and reads nothing",
  async () => {
    const slug = newSlug();
    await define(openBookingFile({ slug, preview: { tool: "look", args: {} } }));
    await define(openBookingFile());
    const id = await leave(
      await proposeChain([{ tool: "book", args: { number: "1" } }, { tool: slug, args: { number: "2" } }]),
    );
    await landFirst(id);
    const before = [looks(), writes()];
    await sql`update framed.members set grants = '{}' where user_id = ${w.people.member}`;
    await tick();
    await sql`update framed.members set grants = '{use_connectors}' where user_id = ${w.people.member}`;
    const { status, calls } = await show(id);
    assertEquals([status, calls[1].status, calls[1].reason], ["failed", "not_sent", "grant_missing"]);
    assertEquals([looks(), writes()], before);
  },
);

databaseTest("a chain of which any tool was defined anew is not begun", async () => {
  const slug = newSlug();
  await define(openBookingFile({ slug }));
  await define(openBookingFile());
  const id = await leave(
    await proposeChain([{ tool: "book", args: { number: "t1" } }, { tool: slug, args: { number: "t2" } }]),
  );
  await define(openBookingFile({ slug, description: "Another." }));
  const before = writes();
  await tick();
  const old = await show(id);
  assertEquals([old.status, writes() - before], ["superseded", 0]);
  assertEquals((await show(old.superseded_by)).status, "awaiting_approval");
});

const followUp = (what: string): JsonObject => ({
  what,
  until: "Someone books it",
  check: { tool: "look", args: {} },
  done_when: { all: [{ path: "open", op: "exists" }] },
});

databaseTest(
  "what nobody knows the end of is followed up as it was approved, whatever its tool became",
  async () => {
    const TABLE: readonly [before: JsonObject, after: JsonObject, what: string | undefined][] = [
      [{}, { follow_up: followUp("New") }, undefined],
      [{ follow_up: followUp("Old") }, { follow_up: followUp("New") }, "Old"],
      [{ follow_up: followUp("Old") }, {}, "Old"],
    ];
    for (const [file, after, what] of TABLE) {
      const { slug, id } = await leaveNew(file);
      await begin(id);
      await define(openBookingFile({ slug, description: "Another.", ...after }));
      await tick();
      const lost = await show(id);
      assertEquals([lost.status, lost.follow_up?.what], ["unknown", what]);
      await tick(minutes(121));
      assertEquals((await show(id)).status, what === undefined ? "unknown" : "applied");
    }
  },
);

databaseTest("what landed before a call that is not sent is followed up as it was approved", async () => {
  const [first, second] = [newSlug(), newSlug()];
  for (const changed of [first, second]) {
    await define(openBookingFile({ slug: first, follow_up: followUp("Old") }));
    await define(openBookingFile({ slug: second }));
    const id = await leave(
      await proposeChain([{ tool: first, args: { number: changed } }, {
        tool: second,
        args: { number: "2" },
      }]),
    );
    await landFirst(id);
    await define(openBookingFile({ slug: first, follow_up: followUp("New") }));
    if (changed === second) await define(openBookingFile({ slug: second, description: crypto.randomUUID() }));
    await tick();
    const ended = await show(id);
    assertEquals([ended.status, ended.follow_up.what], [changed === first ? "applied" : "failed", "Old"]);
  }
});

databaseTest(
  "a call of an outside server's tool that changed after it was approved is not sent: there is a fresh look",
  async () => {
    const called = () => tracker.requests.filter(({ body }) => body.includes('"tools/call"')).length;
    await define(mcpFile());
    await w.paste("issue_tracker", { name: "CONNECTOR_TRACKER_TOKEN", value: "a-token-of-a-test" });
    for (const changes of [true, false]) {
      const args = { action: "call", tool: "add", arguments: { q: `${changes}` } };
      const id = await leave((await propose("issue_tracker", args)).approval_id);
      if (changes) described = "Adds two.";
      const before = called();
      await tick();
      const ended = await show(id);
      assertEquals([ended.status, called() - before], changes ? ["superseded", 0] : ["applied", 1]);
      if (!changes) continue;
      assertStringIncludes(ended.superseded_because, "The tool of the server of issue_tracker changed");
      assertEquals((await show(ended.superseded_by)).status, "awaiting_approval");
    }
  },
);
