import { assertEquals, assertStrictEquals } from "@std/assert";
import type { ApprovalStatus } from "../../../../supabase/functions/_shared/approvals/state.ts";
import { firstPage, type ListPage } from "./pages.ts";
import { findMissing, findNew, insertApprovals, later, renewPages, replaceApproval } from "./reconcile.ts";

interface Row {
  readonly id: string;
  readonly requested_at: string;
  readonly status: ApprovalStatus;
}

/** One that was asked in a minute of an hour. */
function row(minute: number, status: ApprovalStatus = "awaiting_approval"): Row {
  const requested_at = new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString();
  return { id: `approval ${minute}`, requested_at, status };
}

const start = firstPage(["awaiting_approval"]);
/** What was read as the newest two of more, and what came after them. */
const newest: ListPage<Row> = {
  start,
  approvals: [row(9), row(8)],
  next: { sources: start.sources, after: row(8) },
};
const rest: ListPage<Row> = { start: newest.next!, approvals: [row(5), row(4)], next: null };
const pages = [newest, rest];
const idsOf = (all: readonly ListPage<Row>[]) => all.map(({ approvals }) => approvals.map(({ id }) => id));

Deno.test("later() never goes back to what an approval was, and keeps one of which nothing changed", () => {
  const known = row(9, "applied");
  assertStrictEquals(later(known, row(9)), known);
  assertStrictEquals(later(known, { ...known }), known);
  assertEquals(later(row(9), known), known);
});

Deno.test("findMissing() names what was to be found and was not, of the pages that were read again", () => {
  const again = { ...newest, approvals: [row(9), row(5)], next: { ...newest.next!, after: row(5) } };
  assertEquals(findMissing([row(9), row(8), row(5), row(4)], [again]), [row(8)]);
});

Deno.test("findNew() gives what is not known yet, newest first", () => {
  const again = { ...newest, approvals: [row(10), row(11), row(9)] };
  assertEquals(findNew(new Set(["approval 9"]), [again]), [row(11), row(10)]);
});

Deno.test("insertApprovals() puts each where it belongs, and none twice", () => {
  assertEquals(idsOf(insertApprovals(pages, [row(12), row(6), row(9)])), [
    ["approval 12", "approval 9", "approval 8"],
    ["approval 6", "approval 5", "approval 4"],
  ]);
});

Deno.test("replaceApproval() puts the fresh one where the old one stood, and only there", () => {
  assertEquals(idsOf(replaceApproval(insertApprovals(pages, [row(12)]), "approval 5", row(12))), [
    ["approval 9", "approval 8"],
    ["approval 12", "approval 4"],
  ]);
});

Deno.test("renewPages() leaves a page the same object where nothing on it changed", () => {
  const [first, second] = renewPages(
    pages,
    new Map([["approval 5", row(5, "running")], ["approval 9", row(9)]]),
  );
  assertStrictEquals(first, newest);
  assertEquals(second!.approvals, [row(5, "running"), row(4)]);
});
