/** From a host to the addresses a connection may go to. Every answer of a name is judged, not only the one used. */

import { lookup } from "node:dns/promises";
import { refuse, type Result } from "../outcome/result.ts";
import { judgeAddress } from "./address.ts";

/** Names that nobody can have (RFC 2606). */
const FOR_EXAMPLES = /\.(?:example|test|invalid)\.?$/i;

/** All addresses of a name; an empty list or an error for a name that has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;
/** Whether a connection may go to an address. `judgeAddress` everywhere but in the tests of the connection itself. */
export type Judge = typeof judgeAddress;

/**
 * The addresses of `host` (a name, or an IP literal as a URL writes it), all of them public, IPv4 first because not
 * every place has a way out over IPv6.
 *
 * Refuses `upstream_unreachable` when there is no answer and `address_refused` when a single one is not public: a name
 * that answers both ways is one that means to be let through by its good side (DNS rebinding).
 */
export async function resolvePublic(
  host: string,
  { resolve, judge }: { resolve: Resolve; judge: Judge },
): Promise<Result<readonly string[]>> {
  const literal = readLiteral(host);
  const addresses = literal !== null ? [literal] : await answersOf(host, resolve);
  if (addresses.length === 0) {
    return refuse("upstream_unreachable", {
      detail: `The name ${host} does not resolve to an address.`,
      hint: FOR_EXAMPLES.test(host)
        ? "Such names are for examples and exist nowhere. On the local stack FRAMED_LOCAL_UPSTREAMS says where connections for one really go."
        : "Check the host in the tool's URL, and that its DNS entry exists.",
    });
  }
  for (const address of addresses) {
    const verdict = judge(address);
    if (verdict.public) continue;
    return refuse("address_refused", {
      detail: `${host} leads to an address that may not be reached: ${verdict.why}. Nothing was sent.`,
      hint: "A tool reaches public addresses only; every address of its host has to be one.",
    });
  }
  return {
    ok: true,
    value: [...new Set(addresses)].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":"))),
  };
}

/** The system's resolver. */
export async function resolveBySystem(host: string): Promise<string[]> {
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
}

/** Without brackets, or null for a name. The caller's URL parser has made every IPv4 spelling the dotted one. */
export function readLiteral(host: string): string | null {
  if (host.startsWith("[")) return host.slice(1, -1);
  return /^\d+(\.\d+){3}$/.test(host) ? host : null;
}

/** A resolver says "no such name" by an error as often as by an empty list. */
async function answersOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}
