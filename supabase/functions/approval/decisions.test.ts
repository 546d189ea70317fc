/** Deciding what waits: who may, on what, once, and what everybody else is told. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../scripts/testing/error-output.ts";
import { openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { DEFAULT_LIMITS } from "../_shared/limits/limits.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

/** What happens before the other system answers. */
let meanwhile = () => {};
const upstream = startUpstream(() => {
  meanwhile();
  return Response.json({ id: 7 });
});
const upstreams = new Map([["ledger.example", upstream.url], ["rates.example", upstream.url]]);
const workspace = await openTestWorkspace({ upstreams });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
const { propose, show, decide } = askingOn(workspace);
const requests = () => upstream.requests.length;
const KEYS = ["admin_key", "reseller_key", "stranger_key", "stranger_reseller_key"] as const;

let count = 0;
async function waiting(file: JsonObject = {}, as: CallerName = "member"): Promise<string> {
  const slug = `book_${++count}`;
  const defined = await workspace.define(
    openBookingFile({ slug, ...file }),
    as === "reseller_key" ? as : "admin",
  );
  assertEquals(defined.status, 200, defined.text);
  return (await propose(slug, { number: "1" }, as)).approval_id;
}

databaseTest("an approval that is approved is sent once, and says who approved it and when", async () => {
  const id = await waiting();
  const before = requests();
  const { status, body } = await decide(id, {});
  assertEquals([status, body.status, requests()], [200, "applied", before + 1]);
  const { request_id: _, ...decided } = body;
  const { request_id: __, ...shown } = await show(id);
  assertEquals(decided, shown);
  assertEquals(decided.decided_by, { kind: "session", name: "Ada Admin" });
  assert(
    Date.parse(decided.decided_at) <= Date.now() &&
      Date.parse(decided.decided_at) >= Date.parse(decided.requested_at),
  );
  assertEquals([decided.calls.length, decided.calls[0].status, decided.calls[0].result], [1, "applied", {
    id: 7,
  }]);
  assertEquals(upstream.requests.at(-1)!.body, '{"number":"1"}');
  assertEquals(upstream.requests.at(-1)!.headers.get("idempotency-key"), `${id}.0`);
  const log = (await workspace.log()).filter(({ detail }) => detail?.approval_id === id);
  assertEquals(log.map(({ event, principal, outcome }) => [event, principal.name, outcome]), [
    ["approval.proposed", "Mo Member", "ok"],
    ["approval.approved", "Ada Admin", "ok"],
    ["tool.called", "Mo Member", "ok"],
    ["approval.ended", "Mo Member", "ok"],
  ]);
});

databaseTest(
  "only a person's own session decides, whatever a key's owner may do and whatever the id",
  async () => {
    const id = await waiting();
    const { digest } = await show(id);
    const decisions = (as: CallerName, path: string, body: unknown) => workspace.ask(path, { as, body });
    for (const as of KEYS) {
      for (const  of of[id, crypto.randomUUID(), "no-id"]) {
        for (const body of [{ decision: "approve", digest }, { decision: "reject", digest }, {}, "{"]) {
          assertEquals([as, (await decisions(as, `/approvals/${of}/decision`, body)).body.reason], [
            as,
            "person_required",
          ]);
        }
      }
      const batch = { decisions: [{ id, decision: "approve", digest }] };
      for (const body of [batch, {}, "{"]) {
        assertEquals([as, (await decisions(as, "/approvals/decisions", body)).body.reason], [
          as,
          "person_required",
        ]);
      }
      assertEquals(
        (await decisions(as, `/approvals/${id}/settle`, { outcome: "applied", note: "x" })).body.reason,
        "person_required",
      );
    }
    for (const [as, refused] of [["bare_member", "grant_missing"], ["member", null]] as const) {
      assertEquals((await show(id, as)).approve_refused, refused);
    }
    assert(!("approve_refused" in await show(id, "admin_key")), "a program decides nothing at all");
    for (const [as, reason] of [["bare_member", "grant_missing"], ["nobody", "unauthenticated"]] as const) {
      assertEquals((await decisions(as, `/approvals/${id}/decision`, "{")).body.reason, reason);
    }
    assertEquals((await show(id)).status, "awaiting_approval");
  },
);

databaseTest("what is out of reach is decided with the bytes of what is missing", async () => {
  const id = await waiting();
  const body = { decision: "approve", digest: (await show(id)).digest };
  const ask = async (of: string) => {
    const { text, body: { request_id } } = await workspace.ask(`/approvals/${of}/decision`, {
      as: "stranger",
      body,
    });
    return text.replace(request_id, "");
  };
  assertEquals(await ask(id), await ask(crypto.randomUUID()));
  const { body: { results } } = await workspace.ask("/approvals/decisions", {
    as: "stranger",
    body: { decisions: [{ id, ...body }, { id: crypto.randomUUID(), ...body }] },
  });
  assertEquals(results[0].problem, results[1].problem);
  assertEquals(results[0].problem.reason, "not_found");
});

databaseTest("a decision under another digest decides and remakes nothing", async () => {
  const id = await waiting();
  const before = await show(id);
  const [{ n }] = await sql`select count(*)::int as n from framed.v2_approvals` as unknown as [{ n: number }];
  for (const decision of ["approve", "reject"] as const) {
    const { status, body } = await decide(id, { decision, digest: "0".repeat(64) });
    assertEquals([status, body.reason], [409, "approval_changed"]);
  }
  for (const digest of ["", "0", 7, null]) {
    const { body } = await workspace.ask(`/approvals/${id}/decision`, {
      as: "admin",
      body: { decision: "approve", digest },
    });
    assertEquals(body.reason, "bad_request");
  }
  const { request_id: _, ...same } = await show(id);
  const { request_id: __, ...was } = before;
  assertEquals(same, was);
  const [{ n: after }] = await sql`select count(*)::int as n from framed.v2_approvals` as unknown as [
    { n: number },
  ];
  assertEquals(after, n);
});

databaseTest("a rejection is final, and its reason reaches who asked", async () => {
  const id = await waiting({}, "reseller_key");
  const before = requests();
  const { status, body } = await decide(id, { decision: "reject", reason: "  Not this month.  " });
  assertEquals([status, body.status, body.reject_reason], [200, "rejected", "Not this month."]);
  const told = await show(id, "reseller_key");
  assertEquals([told.status, told.reject_reason, told.decided_by], ["rejected", "Not this month.", {
    kind: "session",
    name: "Ada Admin",
  }]);
  assertEquals(told.calls[0].status, "not_sent");
  const again = await decide(id, {});
  assertEquals([again.status, again.body.reason], [409, "already_decided"]);
  assertMatch(again.body.detail, /^Ada Admin rejected this at 20/);
  assertEquals(requests(), before);
  const { body: refused } = await decide(await waiting(), { decision: "approve", reason: "fine" });
  assertEquals(refused.reason, "bad_request");
  const [row] = (await workspace.log()).filter(({ event, detail }) =>
    event === "approval.rejected" && detail.approval_id === id
  );
  assertEquals(row.detail.reason, "Not this month.");
});

databaseTest("whoever decides again is told who did and when", async () => {
  const id = await waiting();
  assertEquals((await decide(id, { as: "second_admin" })).body.status, "applied");
  const before = requests();
  for (const as of ["admin", "second_admin", "member"] as const) {
    for (const decision of ["approve", "reject"] as const) {
      const { status, body } = await decide(id, { as, decision });
      assertEquals([status, body.reason], [409, "already_decided"]);
      assertMatch(body.detail, /^Sam Second approved this at 20\d\d-/);
    }
  }
  assertEquals(requests(), before);
});

databaseTest("a batch decides exactly what it names, each with a result of its own", async () => {
  const ids = [await waiting(), await waiting(), await waiting(), await waiting({ access: "sensitive" })];
  const untouched = await waiting();
  const digests = await Promise.all(ids.map(async (id) => (await show(id)).digest));
  const missing = crypto.randomUUID();
  const before = requests();
  const { status, body } = await workspace.ask("/approvals/decisions", {
    as: "member",
    body: {
      decisions: [
        { id: ids[0], decision: "approve", digest: digests[0] },
        { id: ids[1], decision: "reject", digest: digests[1], reason: "no" },
        { id: ids[2], decision: "approve", digest: digests[0] },
        { id: ids[3], decision: "approve", digest: digests[3] },
        { id: missing, decision: "approve", digest: digests[3] },
      ],
    },
  });
  assertEquals(status, 200);
  // deno-lint-ignore no-explicit-any
  const told = body.results.map((one: any) => [one.id, one.ok, one.approval?.status ?? one.problem.reason]);
  assertEquals(told, [
    [ids[0], true, "applied"],
    [ids[1], true, "rejected"],
    [ids[2], false, "approval_changed"],
    [ids[3], false, "admin_required"],
    [missing, false, "not_found"],
  ]);
  assertEquals(body.results[4].problem.status, 404);
  assertEquals(requests(), before + 1);
  for (const id of [ids[2]!, ids[3]!, untouched]) assertEquals((await show(id)).status, "awaiting_approval");
});

/** Decides all of these at once; gives the answer and what went to the log of the function. */
async function decideAll(ids: readonly string[]) {
  const decisions = await Promise.all(
    ids.map(async (id) => ({ id, decision: "approve", digest: (await show(id)).digest })),
  );
  return await withErrorOutput(() =>
    workspace.ask("/approvals/decisions", { as: "admin", body: { decisions } })
  );
}

for (
  const [says, code, reason] of [["breaks", "22000", "internal"], [
    "finds the store away",
    "57014",
    "store_unavailable",
  ]]
) {
  for (const place of [0, 1]) {
    databaseTest(
      `a batch has a result for each also where number ${
        place + 1
      } ${says}, and nothing is sent after its answer`,
      async () => {
        const ids: string[] = [];
        for (let n = 0; n < 7; n++) ids.push(await waiting());
        const broken = ids[place]!;
        await sql.unsafe(`create function framed.refuse_one() returns trigger language plpgsql as $$
          begin raise exception 'broken' using errcode = '${code}'; end $$`);
        await sql.unsafe(`create trigger refuse_one before update on framed.v2_approvals
          for each row when (new.id = '${broken}') execute function framed.refuse_one()`);
        const before = requests();
        const { value: { status, body }, lines } = await decideAll(ids);
        const sent = requests() - before;
        await sql`drop trigger refuse_one on framed.v2_approvals`;
        await sql`drop function framed.refuse_one()`;
        assertEquals([status, sent], [200, ids.length - 1]);
        // deno-lint-ignore no-explicit-any
        const told = body.results.map((one: any) => [one.id, one.approval?.status ?? one.problem.reason]);
        assertEquals(told, ids.map((id) => [id, id === broken ? reason : "applied"]));
        assertEquals(body.results[place].problem.request_id, body.request_id);
        assertEquals(
          lines.map((line) => JSON.parse(line)).map(({ cause, request_id }) => [cause, request_id]),
          [
            [`PostgresError ${code}`, body.request_id],
          ],
        );
        assertEquals((await show(broken)).status, "awaiting_approval");
      },
    );
  }
}

databaseTest("a batch does not wait for a store that is away longer than its answer may take", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) ids.push(await waiting());
  await sql.unsafe(`create function framed.refuse_all() returns trigger language plpgsql as $$
    begin raise exception 'away' using errcode = '57014'; end $$`);
  await sql.unsafe(`create trigger refuse_all before update on framed.v2_approvals
    for each row when (new.id <> '${ids[0]}') execute function framed.refuse_all()`);
  const { now } = performance;
  meanwhile = () => performance.now = () => now.call(performance) + 41_000;
  const { value: { status, body }, lines } = await decideAll(ids);
  meanwhile = () => {};
  performance.now = now;
  await sql`drop trigger refuse_all on framed.v2_approvals`;
  // deno-lint-ignore no-explicit-any
  const told = body.results.map((one: any) => one.approval?.status ?? one.problem.reason);
  assertEquals([status, told], [200, ["applied", ...Array(9).fill("store_unavailable")]]);
  // Those that were under way when it was found to be away, and no other.
  assertEquals(lines.length, 4);
  assertEquals(body.results[9].problem.hint, "Decide it again in a moment.");
  for (const id of ids.slice(1)) assertEquals((await show(id)).status, "awaiting_approval");
});

databaseTest("a batch names each approval once, and at most 200", async () => {
  const id = await waiting();
  const { digest } = await show(id);
  const ask = (decisions: unknown) =>
    workspace.ask("/approvals/decisions", { as: "admin", body: { decisions } });
  const one = { id, decision: "approve", digest };
  const many = (n: number) => Array.from({ length: n }, () => ({ ...one, id: crypto.randomUUID() }));
  for (
    const decisions of [[one, one], [one, { ...one, id: id.toUpperCase() }], [], many(201), [{
      ...one,
      id: "x",
    }]]
  ) {
    assertEquals((await ask(decisions)).body.reason, "bad_request");
  }
  assertEquals((await ask([one, ...many(199)])).body.results.length, 200);
  assertEquals((await show(id)).status, "applied");
});

databaseTest("a batch is one call to the limits", async () => {
  const limits = { ...DEFAULT_LIMITS, principal: { callsPerMinute: 1, burst: 1 } };
  const limited = await openTestWorkspace({ upstreams, limits });
  try {
    const { body } = await limited.ask("/approvals/decisions", {
      as: "admin",
      body: {
        decisions: Array.from({ length: 200 }, () => ({
          id: crypto.randomUUID(),
          decision: "approve",
          digest: "0".repeat(64),
        })),
      },
    });
    const reasons = body.results.map(({ problem }: { problem: { reason: string } }) => problem.reason);
    assertEquals(reasons, Array(200).fill("not_found"));
    const over = await limited.ask("/approvals/decisions", {
      as: "admin",
      body: { decisions: [{ id: crypto.randomUUID(), decision: "approve", digest: "0".repeat(64) }] },
    });
    assertEquals([over.status, over.body.reason, over.headers.has("retry-after")], [
      429,
      "rate_limited",
      true,
    ]);
  } finally {
    await limited.close();
  }
});

databaseTest(
  "where the workspace says so, nobody approves what they asked for, by whatever key",
  async () => {
    const set = (value: boolean) =>
      workspace.ask(`/workspaces/${workspace.id}`, {
        as: "admin",
        method: "PATCH",
        body: { approver_is_not_requester: value },
      });
    assertEquals((await set(true)).status, 200);
    try {
      const byKey = await waiting({}, "admin_key");
      const bySession = await waiting({}, "admin");
      const byMember = await waiting({}, "member");
      const byPartner = await waiting({}, "reseller_key");
      for (const id of [byKey, bySession]) {
        const { status, body } = await decide(id, { as: "admin" });
        assertEquals([status, body.reason], [403, "own_request"]);
        assertEquals((await show(id)).status, "awaiting_approval");
      }
      assertEquals((await decide(byMember, { as: "member" })).body.reason, "own_request");
      for (
        const [id, as, said] of [[bySession, "admin", "own_request"], [byMember, "admin", null]] as const
      ) {
        assertEquals((await show(id, as)).approve_refused, said, "it is told before anybody presses");
      }
      assertEquals((await decide(byMember, { as: "admin" })).body.status, "applied");
      assertEquals((await decide(byPartner, { as: "admin" })).body.status, "applied");
      assertEquals((await decide(byKey, { as: "second_admin" })).body.status, "applied");
      assertEquals((await decide(bySession, { as: "admin", decision: "reject" })).body.status, "rejected");
    } finally {
      await set(false);
    }
    assertEquals((await decide(await waiting({}, "admin_key"), { as: "admin" })).body.status, "applied");
  },
);

databaseTest(
  "what needs an administrator is decided by one: a sensitive call, and what a rule says",
  async () => {
    const rules = [{
      path: "number",
      op: "equals",
      value: "1",
      then: "admin",
      say: "The first is for them.",
    }];
    for (const file of [{ access: "sensitive" }, { rules }] as JsonObject[]) {
      const id = await waiting(file);
      assertEquals((await show(id, "member")).approve_refused, "admin_required");
      for (const decision of ["approve", "reject"] as const) {
        const { status, body } = await decide(id, { as: "member", decision });
        assertEquals([status, body.reason], [403, "admin_required"]);
      }
      const { body } = await decide(id, { as: "second_admin" });
      assertEquals([body.status, body.needs], ["applied", "admin"]);
      if ("rules" in file) {
        assertEquals(body.rules, [{ call: 0, then: "admin", say: "The first is for them." }]);
      }
    }
  },
);

databaseTest(
  "what nobody decided in time is expired, by the clock of a decision and by the tick's",
  async () => {
    const late = await waiting();
    await sql`update framed.v2_approvals set expires_at = now() - interval '1 second' where id = ${late}`;
    const before = requests();
    for (const decision of ["approve", "reject"] as const) {
      const { status, body } = await decide(late, { decision });
      assertEquals([status, body.reason], [409, "approval_expired"]);
    }
    const ticked = await waiting();
    const { expires_at, requested_at } = await show(ticked);
    assertEquals(Date.parse(expires_at) - Date.parse(requested_at), 14 * 24 * 3_600_000);
    await workspace.tick(new Date(Date.parse(expires_at) - 1_000));
    assertEquals((await show(ticked)).status, "awaiting_approval");
    await workspace.tick(new Date(expires_at));
    for (const id of [late, ticked]) {
      const shown = await show(id);
      assertEquals([shown.status, shown.calls[0].status, shown.decided_by], ["expired", "not_sent", null]);
      assertEquals((await decide(id, {})).body.reason, "approval_expired");
      const log = (await workspace.log()).filter(({ event, detail }) =>
        event === "approval.expired" && detail.approval_id === id
      );
      assertEquals(log.length, 1);
    }
    assertEquals(requests(), before);
  },
);

databaseTest("who lost the right to decide decides nothing", async () => {
  const id = await waiting({}, "admin");
  const { digest } = await show(id);
  const { member } = workspace.people;
  await sql`update framed.members set grants = '{}' where user_id = ${member}`;
  const { body } = await decide(id, { as: "member", digest });
  assertEquals(body.reason, "grant_missing");
  await sql`delete from framed.members where user_id = ${member}`;
  assertEquals((await decide(id, { as: "member", digest })).body.reason, "not_found");
  await sql`insert into framed.members (workspace_id, user_id, role, grants, name, email)
    values (${workspace.id}, ${member}, 'member', '{use_connectors}', 'Mo Member', 'mo@people.example')`;
  assertEquals((await decide(id, { as: "member", digest })).body.status, "applied");
});

databaseTest("an approved read answers on its approval", async () => {
  const slug = `read_${++count}`;
  assertEquals((await workspace.define(openFile({ slug, confirm: true }))).status, 200);
  const { approval_id: id } = await propose(slug);
  const { body } = await decide(id, { as: "member" });
  assertEquals([body.status, body.calls[0].result, body.calls[0].method], ["applied", { id: 7 }, "GET"]);
  assertStringIncludes(body.outcome, "taken");
  assertEquals((await sql`select count(*)::int as n from framed.v2_kept_reads`)[0]!.n, 0);
});
