/**
 * Where the local stack's connections really go: how `FRAMED_LOCAL_UPSTREAMS` is read. Nothing but loopback can be
 * named, so that a variable left behind somewhere reaches no other machine. Pure.
 */

import type { Result } from "../outcome/result.ts";

/** By host as a file names it, port included unless it is 443: the loopback address to connect to instead. */
export type LocalUpstreams = ReadonlyMap<string, URL>;

const WANTED = "an entry is host=http://127.0.0.1:4801, or https:// for TLS under the host's own name";

/**
 * The upstreams that `text` (`ledger.example=http://127.0.0.1:4801,…`) writes down; none for a missing or blank text.
 * Refuses with one line per entry that is wrong.
 */
export function parseLocalUpstreams(text: string | undefined): Result<LocalUpstreams, readonly string[]> {
  const upstreams = new Map<string, URL>();
  const problems: string[] = [];
  if (text === undefined || text.trim() === "") return { ok: true, value: upstreams };
  for (const [index, entry] of text.split(",").entries()) {
    const problem = addEntry(entry.trim(), upstreams);
    if (problem !== null) problems.push(`FRAMED_LOCAL_UPSTREAMS, entry ${index + 1}: ${problem}`);
  }
  return problems.length > 0 ? { ok: false, refusal: problems } : { ok: true, value: upstreams };
}

/** Whether a connection to `target` stays on this machine: a literal of 127.0.0.0/8 or ::1. A name could lie. */
export function isLoopback(target: URL): boolean {
  return target.hostname === "[::1]" || /^127(\.\d+){3}$/.test(target.hostname);
}

function addEntry(entry: string, upstreams: Map<string, URL>): string | null {
  const [, name, address] = /^([^=]*)=(.*)$/s.exec(entry) ?? [];
  if (name === undefined || address === undefined) return `it has no "="; ${WANTED}`;
  const host = readHost(name.trim());
  if (host === null) return `what stands before "=" is no host; ${WANTED}`;
  if (upstreams.has(host)) return `${host} is named by an earlier entry; remove one`;
  const target = URL.parse(address.trim());
  if (target === null || (target.protocol !== "http:" && target.protocol !== "https:")) {
    return `what stands after "=" is no http:// or https:// address; ${WANTED}`;
  }
  if (!isLoopback(target)) return "only 127.0.0.0/8 and [::1] can be named, written as an address";
  if (target.href !== `${target.origin}/`) {
    return "its address holds more than scheme, address and port; leave that out";
  }
  upstreams.set(host, target);
  return null;
}

function readHost(name: string): string | null {
  const url = URL.parse(`https://${name}`);
  return url === null || name === "" || url.href !== `https://${url.host}/` ? null : url.host;
}
