/** What a call does, by its tool and by who calls: it runs, it waits for a person, or it is refused. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile, ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import {
  type CallerName,
  CALLERS,
  openTestWorkspace,
  TOKEN_CALLERS,
} from "../../../scripts/testing/workspace.ts";
import { createKey, hashKey } from "../_shared/auth/keys.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

let answer: (request: ReceivedRequest) => Response = () => Response.json({ rows: [] });
const upstream = startUpstream((request) => answer(request));
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", upstream.url], ["rates.example", upstream.url]]),
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
const { propose, show, decide } = askingOn(workspace);
const requests = () => upstream.requests.length;
const approvals = async () =>
  (await sql<{ n: number }[]>`select count(*)::int as n from framed.v2_approvals`)[0]!.n;

async function define(file: JsonObject, as: CallerName = "admin"): Promise<string> {
  const { status, body, text } = await workspace.define(file, as);
  assertEquals(status, 200, text);
  return body.tool;
}

const searchFile = (more: JsonObject = {}) =>
  openFile({
    slug: "search",
    arguments: { type: "object", properties: { q: { type: "string" } } },
    request: { method: "POST", url: "https://rates.example/v1/search" },
    ...more,
  });
const ADMIN_RULE = [{ path: "q", op: "equals", value: "all", then: "admin", say: "Everything is a lot." }];

/** Each row of the table of what a call does: the file, the arguments, and what becomes of it. */
const TABLE: readonly {
  readonly says: string;
  readonly file: JsonObject;
  readonly args?: JsonObject;
  readonly does: "runs" | "waits";
  readonly needs?: "admin";
  readonly runsAsRead?: true;
}[] = [
  { says: "a read by GET", file: openFile({ slug: "get" }), does: "runs" },
  {
    says: "a read by HEAD",
    file: openFile({ slug: "head", request: { method: "HEAD", url: "https://rates.example/v1/rates" } }),
    does: "runs",
  },
  { says: "a fixture", file: fixtureFile({ slug: "fixture" }), does: "runs" },
  {
    says: "a read that is to be confirmed",
    file: openFile({ slug: "confirmed", confirm: true }),
    does: "waits",
  },
  {
    says: "a read whose confirm is false",
    file: openFile({ slug: "unconfirmed", confirm: false }),
    does: "runs",
  },
  {
    says: "a fixture that is to be confirmed",
    file: fixtureFile({ slug: "fixture_confirmed", confirm: true }),
    does: "waits",
  },
  { says: "a read by POST", file: searchFile({ slug: "post" }), does: "waits" },
  {
    says: "a read by POST that is marked",
    file: searchFile({ slug: "marked" }),
    does: "runs",
    runsAsRead: true,
  },
  {
    says: "a marked read by POST that is to be confirmed",
    file: searchFile({ slug: "marked_confirmed", confirm: true }),
    does: "waits",
    runsAsRead: true,
  },
  { says: "a write", file: openBookingFile({ slug: "write" }), args: { number: "1" }, does: "waits" },
  {
    says: "a write by GET",
    file: openFile({ slug: "write_by_get", access: "write" }),
    does: "waits",
  },
  {
    says: "a fixture that writes",
    file: fixtureFile({ slug: "fixture_writes", access: "write" }),
    does: "waits",
  },
  {
    says: "a sensitive call",
    file: openFile({ slug: "sensitive", access: "sensitive" }),
    does: "waits",
    needs: "admin",
  },
  {
    says: "a sensitive fixture",
    file: fixtureFile({ slug: "fixture_sensitive", access: "sensitive" }),
    does: "waits",
    needs: "admin",
  },
  {
    says: "a read that a rule wants an administrator for",
    file: openFile({
      slug: "ruled",
      arguments: { type: "object", properties: { q: { type: "string" } } },
      request: { method: "GET", url: "https://rates.example/v1/rates?q={q}" },
      rules: ADMIN_RULE,
    }),
    args: { q: "all" },
    does: "waits",
    needs: "admin",
  },
  {
    says: "a read that its rule says nothing of",
    file: openFile({
      slug: "unruled",
      arguments: { type: "object", properties: { q: { type: "string" } } },
      request: { method: "GET", url: "https://rates.example/v1/rates?q={q}" },
      rules: ADMIN_RULE,
    }),
    args: { q: "one" },
    does: "runs",
  },
  {
    says: "a write that a rule wants an administrator for",
    file: openBookingFile({
      slug: "write_ruled",
      rules: [{ path: "number", op: "gt", value: 5, then: "admin", say: "No number is over 5." }],
    }),
    args: { number: "1" },
    does: "waits",
    needs: "admin",
  },
];

/** Who may call a tool of `owner`; null lets it through. */
const REFUSED: Record<CallerName, string | null> = {
  admin: null,
  second_admin: null,
  member: null,
  admin_key: null,
  bare_member: "grant_missing",
  reseller_key: "not_found",
  stranger: "not_found",
  stranger_key: "not_found",
  admin_token: null,
  member_token: null,
  stranger_token: "not_found",
  stranger_reseller_key: "not_found",
  nobody: "unauthenticated",
};

for (const { says, file, args = {}, does, needs = "member", runsAsRead } of TABLE) {
  databaseTest(`${says} ${does}, whoever calls, and whoever may not is refused`, async () => {
    answer = () => Response.json({ rows: [] });
    const slug = await define(file);
    const own = await define({ ...file, slug: `partner_${slug}` }, "reseller_key");
    if (runsAsRead) {
      for (const tool of [slug, own]) {
        const marked = await workspace.ask(`/tools/${tool}/runs-as-read`, {
          as: "admin",
          body: { workspace_id: workspace.id, value: true },
        });
        assertEquals(marked.status, 200, marked.text);
      }
    }
    const isLive = file.kind !== "fixture";
    for (const as of [...CALLERS, ...TOKEN_CALLERS]) {
      for (
        const [tool, refused] of [[slug, REFUSED[as]], [
          own,
          as === "reseller_key" ? null : REFUSED[as],
        ]] as const
      ) {
        const [sent, stored] = [requests(), await approvals()];
        const { status, body, text } = await workspace.call(tool, { args }, as);
        const what = `${as} ${tool}: ${text}`;
        if (refused !== null) {
          assertEquals([body.reason, requests(), await approvals()], [refused, sent, stored], what);
        } else if (does === "runs") {
          assertEquals([status, body.ran, await approvals()], [200, true, stored], what);
          assertEquals(requests(), sent + (isLive ? 1 : 0), what);
        } else {
          assertEquals(
            [status, body.ran, requests(), await approvals()],
            [202, false, sent, stored + 1],
            what,
          );
          const shown = await show(body.approval_id);
          assertEquals([shown.needs, shown.status], [needs, "awaiting_approval"], what);
        }
      }
    }
  });
}

databaseTest("a call that waits is answered with exactly what a host is promised", async () => {
  await define(openBookingFile({ slug: "promised" }));
  const { status, body } = await workspace.call("promised", { args: { number: "1" } });
  assertEquals(status, 202);
  const { job_id, approval_id, note, request_id, ...rest } = body;
  assertEquals(rest, {
    ok: true,
    ran: false,
    status: "awaiting_approval",
    tool: "promised",
    tool_name: "Book an invoice",
    review_url: "https://console.example/tasks",
  });
  assertMatch(approval_id, /^[0-9a-f-]{36}$/);
  assertEquals(job_id, approval_id);
  assertMatch(request_id, /^req_/);
  assert(note.length > 0);
  const again = await propose("promised", { number: "1" });
  assertEquals([again.approval_id, again.repeated], [approval_id, true]);
  assertEquals(Object.keys(again).sort(), [...Object.keys(body), "repeated"].sort());
});

databaseTest(
  "a value that is not pasted yet is named on the answer, and blocks the approval and not the proposal",
  async () => {
    await define(ledgerFile({
      slug: "unpasted",
      access: "write",
      auth: { secret: "CONNECTOR_UNPASTED" },
      request: {
        method: "POST",
        url: "https://unpasted.example/api",
        headers: { Authorization: "Bearer {{secret}}" },
      },
    }));
    const { approval_id: id, waits_for } = await propose("unpasted", { supplier: "A" });
    assertEquals(waits_for, ["CONNECTOR_UNPASTED"]);
    assertEquals((await show(id)).waits_for, ["CONNECTOR_UNPASTED"]);
    const { body } = await decide(id, {});
    assertEquals(body.reason, "secret_missing");
    assertStringIncludes(body.detail, "CONNECTOR_UNPASTED");
    assertEquals((await show(id)).status, "awaiting_approval");
    assertEquals(
      (await workspace.paste("unpasted", { name: "CONNECTOR_UNPASTED", value: "12345678" })).status,
      204,
    );
    assertEquals((await show(id)).waits_for, []);
    assertEquals("waits_for" in await propose("unpasted", { supplier: "A" }), false);
  },
);

databaseTest(
  "the same proposal is the same approval; another caller, version or argument gives another",
  async () => {
    const file = openBookingFile({
      slug: "same",
      arguments: {
        type: "object",
        properties: { number: { type: "string" }, of: { type: "object", additionalProperties: true } },
        required: ["number"],
      },
    });
    await define(file);
    const id = async (args: JsonObject, as: CallerName = "member") =>
      (await propose("same", args, as)).approval_id;
    const first = await id({ number: "1", of: { a: 1, b: [1, 2] } });
    const others = [
      await id({ number: "1" }),
      await id({ number: "2", of: { a: 1, b: [1, 2] } }),
      await id({ number: "1", of: { a: 1, b: [2, 1] } }),
      await id({ number: "1", of: { a: "1", b: [1, 2] } }),
      await id({ number: "1", of: { a: 1, b: [1, 2] } }, "admin"),
      await id({ number: "1", of: { a: 1, b: [1, 2] } }, "admin_key"),
    ];
    assertEquals(new Set([first, ...others]).size, 7);
    assertEquals(
      await id({ of: { b: [1, 2], a: 1 }, number: "1" }),
      first,
      "the order of keys does not count",
    );
    assertEquals(await id({ of: { b: [1, 2], a: 1.0 }, number: "1" }), first);
    assertEquals((await show(first)).requested_by, { kind: "session", name: "Mo Member" });

    await define({ ...file, description: "Books one invoice, in other words." });
    const anew = await id({ number: "1", of: { a: 1, b: [1, 2] } });
    assert(anew !== first);
    const { status, superseded_by } = await show(first);
    assertEquals([status, superseded_by], ["superseded", anew]);
  },
);

databaseTest(
  "after expiry, rejection and the end of what was approved the same words are a fresh approval",
  async () => {
    answer = () => Response.json({ id: 7 });
    await define(openBookingFile({ slug: "fresh" }));
    const id = async () => (await propose("fresh", { number: "1" })).approval_id;
    const ids = [await id()];
    await sql`update framed.v2_approvals set expires_at = now() - interval '1 second' where id = ${ids[0]}`;
    ids.push(await id());
    assertEquals((await show(ids[0])).status, "expired");
    assertEquals((await decide(ids[1], { decision: "reject" })).status, 200);
    ids.push(await id());
    assertEquals((await decide(ids[2], {})).body.status, "applied");
    ids.push(await id());
    assertEquals(new Set(ids).size, 4);
    assertEquals((await show(ids[3])).status, "awaiting_approval");
  },
);

databaseTest("who asks with a key is told by its person's name and by its own, as it was then", async () => {
  await define(openBookingFile({ slug: "by_key" }));
  const key = createKey();
  await sql`insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash)
    values ('raw', ${workspace.accountId}, ${workspace.id}, ${workspace.people.admin}, 'Night run', decode(${
    hashKey(key)
  }, 'hex'))`;
  const withKey = async (args: JsonObject, secret: string) =>
    await workspace.ask("/tools/by_key/call", {
      as: "nobody",
      headers: { "x-framed-api-key": secret },
      body: { workspace_id: workspace.id, args },
    });
  const [night, ada] = [
    (await withKey({ number: "1" }, key)).body.approval_id,
    (await withKey({ number: "1" }, workspace.keys.admin_key)).body.approval_id,
  ];
  assertEquals((await withKey({ nope: 1 }, key)).body.reason, "bad_arguments");
  await sql`update framed.api_keys set name = 'Another name' where name = 'Night run'`;
  const asked = { kind: "raw_key", name: "Ada Admin" };
  assertEquals((await show(night)).requested_by, { ...asked, key_name: "Night run" });
  assertEquals((await show(ada)).requested_by, { ...asked, key_name: "Ada's key" });
  // Who asked is who asked, also of the fresh one that takes its place.
  await define(openBookingFile({ slug: "by_key", description: "Books one invoice, in other words." }));
  const refused = await decide(night, {});
  assertEquals(refused.body.reason, "approval_changed");
  const { superseded_by } = await show(night);
  assertEquals((await show(superseded_by)).requested_by, { ...asked, key_name: "Night run" });
  const logged = (await workspace.log()).filter(({ tool, principal }) =>
    tool === "by_key" && principal.key_name === "Night run"
  );
  assertEquals(logged.map(({ event, outcome, principal: { kind, name } }) => [event, outcome, kind, name]), [
    ["approval.proposed", "ok", "raw_key", "Ada Admin"],
    ["tool.called", "bad_arguments", "raw_key", "Ada Admin"],
    ["approval.superseded", "approval_changed", "raw_key", "Ada Admin"],
  ]);
  // Nobody else has one: a person's session, a program they let in, a partner's key, which has no other name.
  await workspace.call("by_key", { args: { number: "2" } }, "member");
  await workspace.call("by_key", { args: { number: "2" } }, "member_token");
  await workspace.call("by_key", { args: { nope: 1 } }, "reseller_key");
  const rows = (await workspace.log()).filter(({ tool }) => tool === "by_key");
  assertEquals(
    new Set(rows.filter(({ principal }) => "key_name" in principal).map(({ principal }) => principal.kind)),
    new Set(["raw_key"]),
  );
  assert(rows.some(({ principal }) => principal.kind === "connect_token"));
});

databaseTest(
  "a proposal that waits already has a row in the log that says so, and no preview's does",
  async () => {
    answer = () => Response.json({ open: true });
    await define(
      openFile({
        slug: "look",
        arguments: { type: "object", properties: {} },
        request: { method: "GET", url: "https://rates.example/v1/look" },
      }),
    );
    await define(openBookingFile({ slug: "asked_again", preview: { tool: "look", args: {} } }));
    for (let times = 0; times < 3; times++) await propose("asked_again", { number: "1" });
    const rows = (await workspace.log()).slice(-6);
    assertEquals(rows.map(({ event, tool, detail }) => [event, tool, detail.repeated]), [
      ["approval.proposed", "asked_again", undefined],
      ["tool.called", "look", undefined],
      ["approval.proposed", "asked_again", true],
      ["tool.called", "look", undefined],
      ["approval.proposed", "asked_again", true],
      ["tool.called", "look", undefined],
    ]);
    assertEquals(new Set(rows.map(({ detail }) => detail.approval_id)).size, 1);
  },
);

databaseTest("the same proposal many times at the same moment gives one approval", async () => {
  await define(openBookingFile({ slug: "at_once" }));
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => propose("at_once", { number: String(round) })),
    );
    assertEquals(new Set(answers.map(({ approval_id }) => approval_id)).size, 1);
    assertEquals(answers.filter(({ repeated }) => repeated !== true).length, 1);
  }
});

databaseTest(
  "what can be no proposal is refused with one log row, and nothing is stored or sent",
  async () => {
    await define(openBookingFile({
      slug: "refusing",
      rules: [{ path: "number", op: "equals", value: "13", then: "deny", say: "Nobody books 13." }],
    }));
    await define(openFile({
      slug: "refusing_read",
      arguments: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
      request: { method: "GET", url: "https://rates.example/{q}" },
      rules: [{ path: "q", op: "in", value: ["all"], then: "deny", say: "Not all." }],
    }));
    const table: [string, JsonObject, CallerName, string][] = [
      ["refusing", {}, "member", "bad_arguments"],
      ["refusing", { number: 7 }, "member", "bad_arguments"],
      ["refusing", { number: "7", more: 1 }, "member", "bad_arguments"],
      ["refusing", { number: "13" }, "member", "rule_denied"],
      ["refusing_read", { q: "all" }, "member", "rule_denied"],
      ["refusing_read", { q: ".." }, "member", "bad_arguments"],
      ["missing", {}, "member", "not_found"],
      ["refusing", { number: "7" }, "bare_member", "grant_missing"],
      ["refusing", { number: "7" }, "reseller_key", "not_found"],
    ];
    const [sent, stored] = [requests(), await approvals()];
    for (const [slug, args, as, reason] of table) {
      for (let turn = 0; turn < 2; turn++) {
        await sql`truncate framed.log_events`;
        const { body, text } = await workspace.call(slug, { args }, as);
        assertEquals([slug, body.reason], [slug, reason], text);
        const log = await workspace.log();
        assertEquals(log.map(({ event, tool, outcome }) => [event, tool, outcome]), [[
          "tool.called",
          slug,
          reason,
        ]]);
      }
    }
    assertEquals([requests(), await approvals()], [sent, stored]);
    const { body } = await workspace.call("refusing", { args: { number: "13" } });
    assertStringIncludes(body.detail, "Nobody books 13.");
  },
);

databaseTest("a proposal has one log row: who asked, for what, and which approval waits", async () => {
  await define(openBookingFile({ slug: "logged" }));
  await sql`truncate framed.log_events`;
  const { approval_id } = await propose("logged", { number: "1" }, "admin_key");
  const [row, ...more] = await workspace.log();
  assertEquals(more, []);
  assertEquals([row.event, row.tool, row.outcome, row.principal.kind, row.args, row.detail], [
    "approval.proposed",
    "logged",
    "ok",
    "raw_key",
    { number: "1" },
    { approval_id },
  ]);
});

databaseTest("a kept read of what waits is refused, and proposes nothing", async () => {
  await define(openFile({ slug: "kept_waits", confirm: true }));
  const stored = await approvals();
  const { body } = await workspace.call("kept_waits", { args: {}, kept: true });
  assertEquals([body.reason, await approvals()], ["approval_required", stored]);
});
