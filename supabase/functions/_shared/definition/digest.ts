/** The fingerprint of a file, by which an equal definition is known. Pure. */

import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonValue } from "./json.ts";

/** SHA-256 of the canonical JSON of `definition`, as 64 hex digits. The order of keys does not count. */
export function definitionDigest(definition: unknown): string {
  return createHash("sha256").update(canonicalJson(definition as JsonValue), "utf8").digest("hex");
}
