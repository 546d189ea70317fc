/** People who decide at the same moment: one of them does, the others are told who and when, and at most one request leaves. */

import { assert, assertEquals } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const upstream = startUpstream(() => Response.json({ id: 7 }));
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { propose, show } = askingOn(workspace);
assertEquals((await workspace.define(openBookingFile())).status, 200);

interface Hand {
  readonly as: CallerName;
  readonly decision: "approve" | "reject";
}
const NAMES: Partial<Record<CallerName, string>> = {
  admin: "Ada Admin",
  second_admin: "Sam Second",
  member: "Mo Member",
};
const APPROVE = (as: CallerName): Hand => ({ as, decision: "approve" });
const REJECT = (as: CallerName): Hand => ({ as, decision: "reject" });

const TABLE: readonly { readonly says: string; readonly hands: readonly Hand[] }[] = [
  { says: "two people approve", hands: [APPROVE("admin"), APPROVE("second_admin")] },
  { says: "one person approves four times", hands: Array(4).fill(APPROVE("admin")) },
  { says: "one approves and another rejects", hands: [APPROVE("admin"), REJECT("second_admin")] },
  { says: "one person approves and rejects", hands: [REJECT("member"), APPROVE("member")] },
  { says: "two people reject", hands: [REJECT("admin"), REJECT("member")] },
  {
    says: "everybody does something",
    hands: [APPROVE("admin"), REJECT("admin"), APPROVE("member"), REJECT("member"), APPROVE("second_admin")],
  },
];
const ROUNDS = 25;
let number = 0;

for (const { says, hands } of TABLE) {
  databaseTest(`${says} at the same moment: one wins, and the others are told who and when`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { approval_id: id } = await propose("book", { number: String(number++) });
      const { digest } = await show(id);
      const before = upstream.requests.length;
      // Not always in the same order, and each time all of them before one is answered.
      const turn = hands.map((_, at) => hands[(at + round) % hands.length]!);
      const answers = await Promise.all(
        turn.map(({ as, decision }) =>
          workspace.ask(`/approvals/${id}/decision`, { as, body: { decision, digest } })
        ),
      );
      const winners = answers.flatMap(({ status }, at) => status === 200 ? [at] : []);
      assertEquals(winners.length, 1, answers.map(({ text }) => text).join("\n"));
      const winner = winners[0]!;
      const { as, decision } = turn[winner]!;
      const shown = await show(id);
      assertEquals(shown.decided_by, { kind: "session", name: NAMES[as] });
      assertEquals(shown.status, decision === "approve" ? "applied" : "rejected");
      const sent = upstream.requests.slice(before);
      assertEquals(
        sent.map(({ headers }) => headers.get("idempotency-key")),
        decision === "approve" ? [`${id}.0`] : [],
      );
      const what = decision === "approve" ? "approved" : "rejected";
      for (const [at, { status, body }] of answers.entries()) {
        if (at === winner) continue;
        assertEquals([status, body.reason], [409, "already_decided"]);
        assert(body.detail.startsWith(`${NAMES[as]} ${what} this at ${shown.decided_at}.`), body.detail);
      }
      const rows = (await workspace.log()).filter(({ event, detail }) =>
        /^approval\.(approved|rejected)$/.test(event) && detail.approval_id === id
      );
      assertEquals(rows.map(({ event }) => event), [`approval.${what}`]);
    }
  });
}

databaseTest("two batches of the same approvals at the same moment decide each once", async () => {
  const ids = await Promise.all(
    Array.from({ length: 30 }, async () => (await propose("book", { number: String(number++) })).approval_id),
  );
  const decisions = await Promise.all(
    ids.map(async (id) => ({ id, decision: "approve", digest: (await show(id)).digest })),
  );
  const before = upstream.requests.length;
  const answers = await Promise.all(
    (["admin", "second_admin", "member"] as const).map((as, at) =>
      workspace.ask("/approvals/decisions", {
        as,
        body: { decisions: [...decisions.slice(at * 10), ...decisions.slice(0, at * 10)] },
      })
    ),
  );
  // deno-lint-ignore no-explicit-any
  const results = answers.flatMap(({ body }) => body.results as any[]);
  for (const id of ids) {
    const own = results.filter((result) => result.id === id).map(({ ok, problem }) => ok || problem.reason);
    assertEquals(own.sort(), ["already_decided", "already_decided", true].sort());
  }
  const keys = upstream.requests.slice(before).map(({ headers }) => headers.get("idempotency-key"));
  assertEquals(keys.sort(), ids.map((id) => `${id}.0`).sort());
});

databaseTest(
  "a definition that is replaced while somebody approves: sent as it was seen, or not at all",
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { approval_id: id } = await propose("book", { number: String(number++) });
      const { digest } = await show(id);
      const before = upstream.requests.length;
      const [defined, decided] = await Promise.all([
        workspace.define(openBookingFile({ description: `Books one invoice, as told in round ${round}.` })),
        workspace.ask(`/approvals/${id}/decision`, { as: "admin", body: { decision: "approve", digest } }),
      ]);
      assertEquals(defined.status, 200, defined.text);
      const shown = await show(id);
      const sent = upstream.requests.length - before;
      if (decided.status === 200) {
        assertEquals([shown.status, sent], ["applied", 1]);
      } else {
        assertEquals([decided.body.reason, shown.status, sent], ["approval_changed", "superseded", 0]);
        assertEquals((await show(shown.superseded_by)).status, "awaiting_approval");
      }
    }
  },
);

databaseTest(
  "a tool that is removed while somebody approves: sent as it was seen, or not at all",
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const slug = `gone_${round}`;
      await workspace.define(openBookingFile({ slug }));
      const { approval_id: id } = await propose(slug, { number: "1" });
      const { digest } = await show(id);
      const before = upstream.requests.length;
      const [removed, decided] = await Promise.all([
        workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, { as: "admin", method: "DELETE" }),
        workspace.ask(`/approvals/${id}/decision`, { as: "admin", body: { decision: "approve", digest } }),
      ]);
      assertEquals(removed.status, 204, removed.text);
      const shown = await show(id);
      const sent = upstream.requests.length - before;
      if (decided.status === 200) {
        assertEquals([shown.status, sent], ["applied", 1]);
      } else {
        assertEquals([decided.body.reason, shown.status, shown.superseded_by, sent], [
          "approval_changed",
          "superseded",
          null,
          0,
        ]);
      }
    }
  },
);
