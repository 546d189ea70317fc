/** The cron secret: what the caller of the tick presents. */

import { createHash, timingSafeEqual } from "node:crypto";

/** Fewer characters are a mistake in the environment rather than a secret. */
const MIN_LENGTH = 16;

/** `FRAMED_CRON_SECRET`, or null where the environment has none. Throws in words where it is too short to be one. */
export function cronSecretFromEnv(
  read: (name: string) => string | undefined = Deno.env.get,
): string | null {
  const secret = read("FRAMED_CRON_SECRET") ?? "";
  if (secret === "") return null;
  if (secret.length >= MIN_LENGTH) return secret;
  throw new Error(`FRAMED_CRON_SECRET is shorter than ${MIN_LENGTH} characters; see docs/operate.md.`);
}

/**
 * Whether an `Authorization` header holds `secret` as its bearer; never where there is no secret. Digests are compared,
 * all of them, so that the time it takes tells nothing about the secret.
 */
export function presentsCronSecret(authorization: string | undefined, secret: string | null): boolean {
  const presented = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  return presented !== undefined && secret !== null && timingSafeEqual(digest(presented), digest(secret));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text, "utf8").digest();
}
