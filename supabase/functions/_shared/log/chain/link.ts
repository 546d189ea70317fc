/** One link of the log's chain: what of a row is hashed, and how a link follows the one before. Pure. */

import { createHash } from "node:crypto";
import { canonicalJson } from "../../definition/canonical-json.ts";
import type { JsonObject } from "../../definition/json.ts";
import type { LoggedEvent } from "../event.ts";

/** What the first row of a workspace follows. */
export const FIRST_PREVIOUS_HASH = "0".repeat(64);

/**
 * The hash of a row that follows `previousHash`, both lower-case hex: SHA-256 of the previous hash's 32 bytes and the
 * row's canonical JSON (RFC 8785), in UTF-8.
 *
 * The row is hashed as it is read back, without `chain` and without members that are null: a column that the log gains
 * later leaves the hashes of earlier rows as they are.
 */
export function hashRow(previousHash: string, row: LoggedEvent): string {
  const { chain: _chain, ...said } = row;
  const told = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
  return createHash("sha256")
    .update(previousHash, "hex")
    .update(canonicalJson(told as JsonObject), "utf8")
    .digest("hex");
}
