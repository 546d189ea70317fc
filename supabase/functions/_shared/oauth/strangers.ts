/** How often whoever has not said who they are may ask Connect for something, by their address and all together. */

import { createHash } from "node:crypto";

/** What strangers ask for. */
export type Asked = "register" | "authorize" | "token";

interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/**
 * For one address, and for everyone: many people may sit behind one address, and the servers of a host renew the tokens
 * of all their people from a few.
 */
const RATES: Readonly<Record<Asked, { readonly stranger: Rate; readonly everyone: Rate }>> = {
  register: { stranger: { perMinute: 60, burst: 120 }, everyone: { perMinute: 600, burst: 600 } },
  authorize: { stranger: { perMinute: 120, burst: 120 }, everyone: { perMinute: 1_200, burst: 600 } },
  token: { stranger: { perMinute: 600, burst: 300 }, everyone: { perMinute: 6_000, burst: 3_000 } },
};

/** Addresses share so many buckets, so that a flood of made-up ones leaves no more rows than this. */
const SLOTS = 256;

/** The buckets that a request takes from, and what they hold, as the store wants them. */
export function bucketsOf(asked: Asked, address: string) {
  const { stranger, everyone } = RATES[asked];
  return {
    stranger: bucketId(`${asked} ${slotOf(address)}`),
    everyone: bucketId(`${asked} everyone`),
    limits: {
      stranger_step: 60 / stranger.perMinute,
      stranger_room: stranger.burst * 60 / stranger.perMinute,
      everyone_step: 60 / everyone.perMinute,
      everyone_room: everyone.burst * 60 / everyone.perMinute,
    },
  };
}

function slotOf(address: string): number {
  return digest(address).readUInt16BE(0) % SLOTS;
}

/** An id in the form of the others, which no person, key or workspace has. */
function bucketId(name: string): string {
  const hex = digest(`connect ${name}`).toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

function digest(text: string) {
  return createHash("sha256").update(text, "utf8").digest();
}
