/** Checks a workspace's chain against its log, and names the first row that does not hold. */

import type { Queryable } from "../../db/client.ts";
import type { LoggedEvent } from "../event.ts";
import { hashRow } from "./link.ts";
import {
  type Chain,
  countUnsealed,
  findChain,
  findStray,
  listLinks,
  listSeals,
  type Stray,
} from "./check-store.ts";
import { type Link, listRows, type Seal } from "./store.ts";

/** What a check found. */
export type Verdict =
  | {
    readonly holds: true;
    readonly events: number;
    readonly seals: number;
    /** Rows that no tick has sealed yet: nothing can be said of them. */
    readonly unsealed: number;
    /** The last seal; null where nothing is sealed. */
    readonly head: { readonly seal: number; readonly hash: string } | null;
    /** The last row that retention removed; null where it has removed none. */
    readonly startsAfter: string | null;
    /** Whether the hash that was asked for is one of the chain's; null where none was. */
    readonly holdsExpected: boolean | null;
  }
  | { readonly holds: false; readonly broken: Broken };

/** The first place that does not hold. */
export interface Broken {
  /** The row, by its id; null where it is a seal that is wrong. */
  readonly eventId: string | null;
  readonly seal: number;
  /** What is wrong, for a person. */
  readonly says: string;
}

/** Seals that are looked at with one query. */
const SEALS_AT_ONCE = 500;

/**
 * Follows the chain from its start: every row up to the last seal has its link, every link its row, each follows the one
 * before, and each seal ends as it says.
 *
 * Has to run in one transaction that is repeatable read, as the owner, so that what is sealed or removed meanwhile looks
 * like nothing. Takes memory for one batch. With `expected`, a hash that was noted earlier: whoever can write to the
 * database could remake a whole chain, but not so that it still holds a hash that was noted elsewhere.
 */
export async function verifyLog(
  tx: Queryable,
  { workspaceId, expected = null }: { workspaceId: string; expected?: string | null },
): Promise<Verdict> {
  const chain = await findChain(tx, { workspaceId });
  const stray = await findStray(tx, { workspaceId });
  if (stray !== null) return { holds: false, broken: describeStray(stray, chain) };

  const found = {
    events: 0,
    seals: 0,
    holdsExpected: expected === null ? null : chain.startHash === expected,
  };
  let end = { number: chain.startSeal, id: chain.startId, hash: chain.startHash };
  while (end.number < chain.lastSeal) {
    const seals = await listSeals(tx, { workspaceId, after: end.number, limit: SEALS_AT_ONCE });
    for (const seal of seals) {
      if (seal.number !== end.number + 1) break;
      // One more than the seal counts is enough to meet a row that it does not.
      const range = { workspaceId, after: end.id, upTo: seal.last_id, limit: seal.row_count + 1 };
      const rows = (await listRows(tx, range)).map((line): LoggedEvent => JSON.parse(line));
      const links = await listLinks(tx, range);
      const broken = checkBatch(seal, { previousHash: end.hash, rows, links });
      if (broken !== null) return { holds: false, broken };
      end = { number: seal.number, id: seal.last_id, hash: seal.hash };
      found.events += seal.row_count;
      found.seals++;
      if (links.some(({ hash }) => hash === expected)) found.holdsExpected = true;
    }
    if (end.number < chain.lastSeal && seals.at(-1)?.number !== end.number) {
      return { holds: false, broken: missingSeal(end) };
    }
  }
  if (end.id !== chain.lastId || end.hash !== chain.lastHash) {
    return {
      holds: false,
      broken: { eventId: null, seal: end.number, says: "the chain does not end as its last seal does" },
    };
  }
  return {
    holds: true,
    ...found,
    unsealed: await countUnsealed(tx, { workspaceId, after: end.id }),
    head: end.number === 0 ? null : { seal: end.number, hash: end.hash },
    startsAfter: chain.startSeal === 0 ? null : chain.startId,
  };
}

function describeStray({ kind, id }: Stray, { startSeal, lastSeal }: Chain): Broken {
  switch (kind) {
    case "event":
      return {
        eventId: id,
        seal: startSeal,
        says: "it stands before the start of the chain: it was inserted",
      };
    case "link":
      return {
        eventId: id,
        seal: lastSeal,
        says: "its link is outside of the chain: the chain's ends were changed",
      };
    case "seal":
      return {
        eventId: null,
        seal: Number(id),
        says: "it is outside of the chain: the chain's ends were changed",
      };
    default:
      kind satisfies never;
      throw new TypeError("unknown kind");
  }
}

function missingSeal(end: { number: number; id: string }): Broken {
  return {
    eventId: null,
    seal: end.number + 1,
    says: `the seal is gone, and what it sealed after event ${end.id} cannot be checked`,
  };
}

/**
 * What is wrong with one batch, the lowest id first; null where it holds. Pure.
 *
 * `rows` and `links` are all there are after the seal before, up to this one's last id, in the order of ids.
 */
export function checkBatch(
  seal: Seal,
  { previousHash, rows, links }: {
    previousHash: string;
    rows: readonly LoggedEvent[];
    links: readonly Link[];
  },
): Broken | null {
  const broken = (eventId: string | null, says: string) => ({ eventId, seal: seal.number, says });
  let hash = previousHash;
  for (let index = 0; index < Math.max(rows.length, links.length); index++) {
    const [row, link] = [rows[index], links[index]];
    if (link === undefined || (row !== undefined && BigInt(row.id) < BigInt(link.event_id))) {
      return broken(row!.id, "it was inserted: no seal holds it");
    }
    if (row === undefined || row.id !== link.event_id) return broken(link.event_id, "it was removed");
    if (link.previous_hash !== hash) {
      return broken(
        row.id,
        "it does not follow the one before: what stood between was removed, or the links were changed",
      );
    }
    if (hashRow(hash, row) !== link.hash) {
      return broken(row.id, "it is not what was sealed: it was changed, or another was put in its place");
    }
    hash = link.hash;
  }
  const [first, last] = [links[0]?.event_id, links.at(-1)?.event_id];
  if (
    links.length !== seal.row_count || first !== seal.first_id || last !== seal.last_id || hash !== seal.hash
  ) {
    return broken(
      null,
      `it seals ${seal.row_count} events from ${seal.first_id} to ${seal.last_id}, and other ones are there`,
    );
  }
  return null;
}
