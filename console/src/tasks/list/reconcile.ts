/** What a list that stands on the screen becomes when it was looked at again: nothing on it moves. Pure. */

import type { ApprovalStatus } from "../../../../supabase/functions/_shared/approvals/state.ts";
import { comparePlaces, isCovered, type ListPage, type Place } from "./pages.ts";

/** What is listed. */
interface Listed extends Place {
  readonly status: ApprovalStatus;
}

/** How far an approval has come: it never goes back, so what is nearer the beginning was read earlier. */
const STEPS: Readonly<Record<ApprovalStatus, number>> = {
  awaiting_approval: 0,
  running: 1,
  unknown: 2,
  applied: 3,
  failed: 3,
  rejected: 3,
  expired: 3,
  superseded: 3,
};

/** The later of two readings of one approval; the first, as the same object, where both say the same. */
export function later<T extends Listed>(known: T, read: T): T {
  if (STEPS[read.status] < STEPS[known.status]) return known;
  return JSON.stringify(known) === JSON.stringify(read) ? known : read;
}

/** What is on the screen and was to be found in `pages`, read again, and is not. */
export function findMissing<T extends Listed>(known: readonly T[], pages: readonly ListPage<T>[]): T[] {
  const read = new Set(pages.flatMap(({ approvals }) => approvals.map(({ id }) => id)));
  return known.filter((one) => !read.has(one.id) && pages.some((page) => isCovered(page, one)));
}

/** What `pages` hold that is not known yet, newest first. */
export function findNew<T extends Listed>(known: ReadonlySet<string>, pages: readonly ListPage<T>[]): T[] {
  const found = new Map<string, T>();
  for (const { approvals } of pages) {
    for (const one of approvals) if (!known.has(one.id)) found.set(one.id, one);
  }
  return [...found.values()].sort(comparePlaces);
}

/** The pages with each approval as it was read last; the same object where nothing changed. */
export function renewPages<T extends Listed>(
  pages: readonly ListPage<T>[],
  read: ReadonlyMap<string, T>,
): ListPage<T>[] {
  return pages.map((page) => {
    const approvals = page.approvals.map((one) => {
      const again = read.get(one.id);
      return again === undefined ? one : later(one, again);
    });
    return approvals.some((one, at) => one !== page.approvals[at]) ? { ...page, approvals } : page;
  });
}

/** The pages without those approvals. */
export function withoutApprovals<T extends Listed>(
  pages: readonly ListPage<T>[],
  ids: ReadonlySet<string>,
): ListPage<T>[] {
  return pages.map((page) => {
    const approvals = page.approvals.filter(({ id }) => !ids.has(id));
    return approvals.length === page.approvals.length ? page : { ...page, approvals };
  });
}

/** The pages with `one` in the place of the approval `id`. */
export function replaceApproval<T extends Listed>(
  pages: readonly ListPage<T>[],
  id: string,
  one: T,
): ListPage<T>[] {
  return withoutApprovals(pages, new Set([one.id])).map((page) => ({
    ...page,
    approvals: page.approvals.map((known) => known.id === id ? one : known),
  }));
}

/** The pages with `added` where they belong in the order of the list. */
export function insertApprovals<T extends Listed>(
  pages: readonly ListPage<T>[],
  added: readonly T[],
): ListPage<T>[] {
  const known = new Set(pages.flatMap(({ approvals }) => approvals.map(({ id }) => id)));
  const all: ListPage<T>[] = [...pages];
  for (const one of added) {
    if (known.has(one.id)) continue;
    const at = Math.max(0, all.findIndex((page) => isCovered(page, one)));
    const page = all[at]!;
    const before = page.approvals.findIndex((other) => comparePlaces(one, other) < 0);
    const approvals = [...page.approvals];
    approvals.splice(before < 0 ? approvals.length : before, 0, one);
    all[at] = { ...page, approvals };
  }
  return all;
}
