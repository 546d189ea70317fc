/**
 * Pages of a list that the API gives status by status: merged newest first, so that several statuses read as one list.
 * Pure.
 */

import type { ApprovalStatus } from "../../../../supabase/functions/_shared/approvals/state.ts";

/** Where an approval stands in a list. */
export interface Place {
  readonly requested_at: string;
  readonly id: string;
}

/** What the API answers of one source. */
export interface Answered<T extends Place> {
  readonly approvals: readonly T[];
  readonly next_cursor: string | null;
}

/** How far one status has been read. */
export interface Source {
  /** Null for all statuses. */
  readonly status: ApprovalStatus | null;
  readonly cursor: string | null;
}

/** Where a page begins: its sources, those that have nothing more left out, and the last approval of the page before. */
export interface PageStart {
  readonly sources: readonly Source[];
  readonly after: Place | null;
}

export interface ListPage<T extends Place> {
  readonly start: PageStart;
  readonly approvals: readonly T[];
  /** Null where nothing comes after it. */
  readonly next: PageStart | null;
}

export function firstPage(statuses: readonly ApprovalStatus[] | null): PageStart {
  return { sources: (statuses ?? [null]).map((status) => ({ status, cursor: null })), after: null };
}

/** Below 0 where `a` stands before `b`: the newest first. */
export function comparePlaces(a: Place, b: Place): number {
  return Date.parse(b.requested_at) - Date.parse(a.requested_at) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/**
 * The page that begins at `start`, of what each of its sources answered. It ends where a source that has more was read
 * to: what comes after may have to stand among what that one answers next. Every page gets on by at least one source.
 */
export function mergePage<T extends Place>(start: PageStart, answers: readonly Answered<T>[]): ListPage<T> {
  const { after } = start;
  const ends = answers.filter(({ next_cursor }) => next_cursor !== null)
    .map(({ approvals }) => approvals.at(-1)).filter((last) => last !== undefined);
  const end = ends.length === 0 ? null : ends.reduce((a, b) => comparePlaces(a, b) <= 0 ? a : b);
  const isUpToEnd = (place: Place) => end === null || comparePlaces(place, end) <= 0;
  const approvals = answers.flatMap(({ approvals }) => approvals)
    .filter((place) => (after === null || comparePlaces(after, place) < 0) && isUpToEnd(place))
    .sort(comparePlaces);
  const sources = start.sources.flatMap((source, at): Source[] => {
    const { approvals: read = [], next_cursor = null } = answers[at] ?? {};
    if (read.every(isUpToEnd)) {
      return next_cursor === null ? [] : [{ ...source, cursor: next_cursor }];
    }
    return [source];
  });
  const last = approvals.at(-1) ?? after;
  return { start, approvals, next: sources.length === 0 ? null : { sources, after: last } };
}

/** Whether an approval that stands at `place` would be among those of `page`. */
export function isCovered({ start, approvals, next }: ListPage<Place>, place: Place): boolean {
  const last = approvals.at(-1) ?? start.after;
  return (start.after === null || comparePlaces(start.after, place) < 0) &&
    (next === null || (last !== null && comparePlaces(place, last) <= 0));
}
