/** Stands in for `node:crypto` in the bundle: the one hash that the pure modules use. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** `createHash("sha256").update(text, "utf8" or "hex").digest("hex")`, and nothing else of it. */
export function createHash(algorithm: "sha256") {
  if (algorithm !== "sha256") throw new Error(`There is no ${algorithm} here.`);
  const hash = sha256.create();
  return {
    update(data: string, encoding: "utf8" | "hex") {
      hash.update(encoding === "hex" ? hexToBytes(data) : utf8ToBytes(data));
      return this;
    },
    digest: (_encoding: "hex") => bytesToHex(hash.digest()),
  };
}
