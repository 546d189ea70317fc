import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ApprovalStatus } from "../../../../supabase/functions/_shared/approvals/state.ts";
import {
  comparePlaces,
  firstPage,
  isCovered,
  type ListPage,
  mergePage,
  type PageStart,
  type Place,
} from "./pages.ts";

interface Row extends Place {
  readonly status: ApprovalStatus;
}

/** Answers as the API does: those of one status after the cursor, newest first. */
function answer(rows: readonly Row[], { status, cursor, limit }: {
  status: ApprovalStatus | null;
  cursor: string | null;
  limit: number;
}) {
  const all = rows.filter((row) => status === null || row.status === status).toSorted(comparePlaces);
  const from = cursor === null ? 0 : Number(cursor);
  const approvals = all.slice(from, from + limit);
  return { approvals, next_cursor: from + limit < all.length ? String(from + limit) : null };
}

function readAll(
  rows: readonly Row[],
  statuses: readonly ApprovalStatus[] | null,
  limit: number,
): ListPage<Row>[] {
  const pages: ListPage<Row>[] = [];
  let start: PageStart | null = firstPage(statuses);
  while (start !== null) {
    const answers = start.sources.map((source) => answer(rows, { ...source, limit }));
    const page: ListPage<Row> = mergePage(start, answers);
    pages.push(page);
    assert(pages.length <= rows.length + 2, "every page gets on");
    start = page.next;
  }
  return pages;
}

const STATUSES = ["applied", "failed", "rejected"] as const satisfies ApprovalStatus[];
const rowsOf = fc.uniqueArray(
  fc.record({
    // Few instants, so that several rows share one.
    requested_at: fc.integer({ min: 0, max: 8 }).map((day) =>
      new Date(Date.UTC(2026, 0, 1 + day)).toISOString()
    ),
    id: fc.uuid(),
    status: fc.constantFrom(...STATUSES, "awaiting_approval" as const),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);

Deno.test("mergePage() reads several statuses as one list: newest first, each once, nothing left out", () => {
  fc.assert(fc.property(rowsOf, fc.integer({ min: 1, max: 7 }), (rows, limit) => {
    for (const statuses of [[...STATUSES], ["applied" as const], null]) {
      const wanted = rows.filter(({ status }) => statuses === null || (statuses as string[]).includes(status))
        .toSorted(comparePlaces);
      assertEquals(readAll(rows, statuses, limit).flatMap(({ approvals }) => approvals), wanted);
    }
  }));
});

Deno.test("isCovered() says of every approval which one page it would be on", () => {
  fc.assert(fc.property(rowsOf, fc.integer({ min: 1, max: 7 }), (rows, limit) => {
    const pages = readAll(rows, [...STATUSES], limit);
    for (const row of rows) {
      const covering = pages.filter((page) => isCovered(page, row));
      assertEquals(covering.length, 1);
      const isListed = row.status !== "awaiting_approval";
      assertEquals(covering[0]!.approvals.some(({ id }) => id === row.id), isListed);
    }
  }));
});
