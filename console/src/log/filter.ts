/** The filter of the log as it stands in the address. Pure but for the clock it is given. */

import type { LogFilter } from "../api/log.ts";

export const NO_FILTER: LogFilter = { tool: null, principal: null, outcome: null, since: null, until: null };

const NAMES = Object.keys(NO_FILTER) as (keyof LogFilter)[];

/** Spans that people ask for, in hours. */
export const SPANS: readonly { readonly name: string; readonly hours: number }[] = [
  { name: "The last hour", hours: 1 },
  { name: "The last day", hours: 24 },
  { name: "The last week", hours: 7 * 24 },
  { name: "The last 30 days", hours: 30 * 24 },
];

export function readFilter(search: URLSearchParams): LogFilter {
  return Object.fromEntries(NAMES.map((name) => [name, search.get(name) || null])) as unknown as LogFilter;
}

/** `search` with one of them set, or taken out where it is null. */
export function withFilter(search: URLSearchParams, changed: Partial<LogFilter>): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

export function hasFilter(filter: LogFilter): boolean {
  return NAMES.some((name) => filter[name] !== null);
}

/** Whether rows between two of the list may have been left out: a span alone cuts only its ends. */
export function leavesOut({ tool, principal, outcome }: LogFilter): boolean {
  return tool !== null || principal !== null || outcome !== null;
}

/** What an `<input type="datetime-local">` shows of an instant, in the browser's zone. */
export function localOf(at: string | null): string {
  if (at === null || Number.isNaN(Date.parse(at))) return "";
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** And back; null where nothing was chosen. */
export function instantOf(local: string): string | null {
  return local === "" ? null : new Date(local).toISOString();
}
