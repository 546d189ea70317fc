/**
 * Which IP addresses are public. Pure.
 * Judges the text of one address; where the address comes from, and that the connection then goes to that very
 * address, is the guarded fetch's business.
 */

import { once } from "../definition/once.ts";

export type AddressVerdict =
  | { readonly public: true }
  | { readonly public: false; readonly why: string };

interface Range {
  readonly first: bigint;
  readonly bits: number;
  readonly why: string;
}

/** Source: IANA IPv4 Special-Purpose Address Registry, whole, and the multicast block. */
const IPV4_REFUSED = once(() =>
  ranges(32, [
    ["0.0.0.0/8", "this network"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "shared by carriers"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local, where clouds keep their metadata"],
    ["172.16.0.0/12", "private"],
    ["192.0.0.0/24", "protocol assignments"],
    ["192.0.2.0/24", "documentation"],
    ["192.31.196.0/24", "AS112"],
    ["192.52.193.0/24", "AMT"],
    ["192.88.99.0/24", "6to4 relays"],
    ["192.168.0.0/16", "private"],
    ["192.175.48.0/24", "AS112"],
    ["198.18.0.0/15", "benchmarking"],
    ["198.51.100.0/24", "documentation"],
    ["203.0.113.0/24", "documentation"],
    ["224.0.0.0/4", "multicast"],
    ["240.0.0.0/4", "reserved"],
    // In a public block, but each Azure machine finds its own host's agent behind it.
    ["168.63.129.16/32", "the platform agent of Azure"],
  ])
);

/** The only block of IPv6 that is routed on the public internet. Source: IANA IPv6 Address Space. */
const IPV6_GLOBAL = once(() => ranges(128, [["2000::/3", "global unicast"]]));

/** What inside 2000::/3 is not a host's own public address. Source: IANA IPv6 Special-Purpose Address Registry. */
const IPV6_REFUSED = once(() =>
  ranges(128, [
    ["2001::/23", "protocol assignments"],
    ["2001:db8::/32", "documentation"],
    ["2002::/16", "6to4, which wraps an IPv4 address"],
    ["3fff::/20", "documentation"],
  ])
);

/**
 * Whether `ip`, an IPv4 address in its dotted form or an IPv6 address, is one on the public internet. Refuses what
 * wraps another address (mapped, compatible, translated, NAT64, 6to4), zone ids, and every text that is no address
 * in full: a short, octal or hexadecimal form was for the caller to resolve.
 */
export function judgeAddress(ip: string): AddressVerdict {
  const v4 = readIpv4(ip);
  if (v4 !== null) return verdict(IPV4_REFUSED().find((range) => holds(range, { address: v4, width: 32 })));
  const v6 = readIpv6(ip);
  if (v6 === null) return { public: false, why: "it is no IP address" };
  const within = (range: Range) => holds(range, { address: v6, width: 128 });
  if (!IPV6_GLOBAL().some(within)) {
    return { public: false, why: "it is not a global address (outside 2000::/3)" };
  }
  return verdict(IPV6_REFUSED().find(within));
}

function verdict(refused: Range | undefined): AddressVerdict {
  return refused === undefined
    ? { public: true }
    : { public: false, why: `it is not a public address (${refused.why})` };
}

function holds({ first, bits }: Range, { address, width }: { address: bigint; width: number }): boolean {
  const shift = BigInt(width - bits);
  return address >> shift === first >> shift;
}

function ranges(width: 32 | 128, rows: readonly (readonly [cidr: string, why: string])[]): Range[] {
  return rows.map(([cidr, why]) => {
    const [ip, bits] = cidr.split("/") as [string, string];
    const first = width === 32 ? readIpv4(ip) : readIpv6(ip);
    if (first === null) throw new TypeError(`${cidr} is no range`);
    return { first, bits: Number(bits), why };
  });
}

/** The number `ip` stands for, or `null` unless it is four decimal parts without leading zeros. */
function readIpv4(ip: string): bigint | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(ip)?.slice(1);
  if (parts === undefined || parts.some((part) => Number(part) > 255 || String(Number(part)) !== part)) {
    return null;
  }
  return parts.reduce((sum, part) => sum << 8n | BigInt(part), 0n);
}

/** The number `ip` stands for, or `null` unless it is an IPv6 address of RFC 4291 without a zone. */
function readIpv6(ip: string): bigint | null {
  const tail = /^(.*:)([0-9.]+\.[0-9.]+)$/.exec(ip);
  if (tail !== null) {
    const v4 = readIpv4(tail[2]!);
    return v4 === null
      ? null
      : readIpv6(`${tail[1]}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`);
  }
  const halves = ip.split("::");
  if (halves.length > 2) return null;
  const [left, right] = halves.map((half) => half === "" ? [] : half.split(":")) as [string[], string[]?];
  const given = left.length + (right?.length ?? 0);
  if (right === undefined ? given !== 8 : given > 7) return null;
  const groups = [...left, ...Array<string>(8 - given).fill("0"), ...(right ?? [])];
  if (groups.some((group) => !/^[0-9A-Fa-f]{1,4}$/.test(group))) return null;
  return groups.reduce((sum, group) => sum << 16n | BigInt(`0x${group}`), 0n);
}
