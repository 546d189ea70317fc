import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { APPROVAL_STATUSES, CALL_STATUSES } from "../../supabase/functions/_shared/approvals/state.ts";
import { approvalView } from "../../supabase/functions/_shared/approvals/view.ts";
import type { Approval, ApprovalCall } from "../../supabase/functions/_shared/approvals/approval.ts";
import { readTable } from "./examples.ts";

const REFERENCE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "reference.md"));

/** Everything that can be said of a call. */
const CALL = {
  tool: "book",
  args: {},
  capability: "invoice.read",
  operation: "get",
  may_destroy: true,
  from_calls: [{ path: "number", call: 0, result_path: "number" }],
  preview: { tool: "look", args: {}, compare: null, ok: true, result: 1, read_at: "2026-11-30T10:00:00Z" },
  sent_args: {},
  reason: "internal",
  detail: "It broke.",
  host: "ledger.example",
  tool_name: "Book",
} as unknown as ApprovalCall;
const APPROVAL = {
  calls: [CALL],
  rules: [],
  waits_for: [],
  requested_by: {},
  decided_by: null,
  settled: null,
  follow_up: null,
} as unknown as Approval;

const SHOWN = approvalView(APPROVAL, {
  seesArguments: true,
  isHost: false,
  withCard: true,
  approveRefused: null,
  reviewUrl: "https://console.example/tasks",
  resultOf: () => ({
    result: 1,
    truncated: true,
    result_handle: "h",
    answers_with: "configured example",
    note: "It is one.",
  }),
});

function keysOf(column: string): string[] {
  return readTable(REFERENCE, { columns: [column, "what it is"] }).flatMap((row) => row[column]!.split(", "));
}

Deno.test("docs/reference.md lists the keys of an approval, and of a call of one, as they are answered", () => {
  assertEquals(keysOf("key of an approval").sort(), Object.keys(SHOWN).sort());
  assertEquals(keysOf("key of a call").sort(), Object.keys((SHOWN.calls as object[])[0]!).sort());
});

Deno.test("docs/reference.md lists the states of an approval in their order, and those of a call", () => {
  const rows = readTable(REFERENCE, { columns: ["status", "what it means"], under: "### Approvals" });
  assertEquals(rows.map(({ status }) => status), [...APPROVAL_STATUSES]);
  const call = readTable(REFERENCE, { columns: ["key of a call"] }).find((row) =>
    row["key of a call"] === "status"
  )!;
  const named = call["what it is"]!.split(/, or |, /).sort();
  assertEquals(named, [...CALL_STATUSES].sort());
});
