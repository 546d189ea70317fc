/** Steps that are told to the store again because their answer was lost: done once, and answered as the first time. */

import { assertEquals } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { beginApproval, settleApproval } from "../_shared/approvals/store.ts";
import type { LogEvent } from "../_shared/log/event.ts";

const upstream = startUpstream(() => new Response(null, { status: 500 }));
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
const { approved, propose, show } = askingOn(workspace);
assertEquals((await workspace.define(openBookingFile())).status, 200);
const ADA = { kind: "session", id: workspace.people.admin, name: "Ada Admin" } as const;
const SAM = { kind: "session", id: workspace.people.second_admin, name: "Sam Second" } as const;
const AT = "2026-11-30T10:00:00.000Z";
const eventOf = (event: LogEvent["event"]): LogEvent => ({
  event,
  request_id: `req_${crypto.randomUUID().replaceAll("-", "")}`,
  principal: ADA,
  tool: "book",
  connector_id: null,
  version: 1,
  operation: null,
  args: null,
  outcome: "ok",
  total_ms: 1,
});
const logged = async (event: string) => (await workspace.log()).filter((row) => row.event === event).length;

databaseTest(
  "beginApproval() of a rejection that stands is the same rejection, and another's is not",
  async () => {
    const { approval_id: id } = await propose("book", { number: "1" });
    const { digest } = await show(id);
    const reject = (by: typeof ADA | typeof SAM) =>
      beginApproval(sql, {
        workspaceId: workspace.id,
        id,
        decided: {
          by,
          at: AT,
          digest,
          needs: "member",
          reject_reason: "No.",
          sender: crypto.randomUUID(),
          lease_seconds: 60,
          sends: false,
        },
        events: [eventOf("approval.rejected")],
      });
    const [first, again] = [await reject(ADA), await reject(ADA)];
    assertEquals([first.changed, again], [undefined, first]);
    assertEquals((await reject(SAM)).changed, "decided");
    assertEquals(await logged("approval.rejected"), 1);
  },
);

databaseTest(
  "settleApproval() of a settlement that stands is the same settlement, and another's is not",
  async () => {
    const { id } = await approved("book", { number: "2" });
    const settle = (by: typeof ADA | typeof SAM) =>
      settleApproval(sql, {
        workspaceId: workspace.id,
        id,
        settled: { outcome: "applied", by, at: AT, note: "It stands there." },
        event: eventOf("approval.settled"),
      });
    const [first, again] = [await settle(ADA), await settle(ADA)];
    assertEquals([first.changed, again], [undefined, first]);
    assertEquals((await settle(SAM)).changed, "settled");
    assertEquals(await logged("approval.settled"), 1);
  },
);
