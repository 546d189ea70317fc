/** What a request presents to say who calls: an API key, a Connect token or a session, checked for form before the store is asked. */

import { hashKey, isWellFormed, isWellFormedKey, TOKEN_PREFIX } from "../auth/keys.ts";
import type { Presented } from "../auth/principal.ts";
import type { VerifySession } from "../auth/session.ts";
import { audiencesOf, type ConnectPlace } from "../oauth/place.ts";
import { refuse, type Result } from "../outcome/result.ts";

/** The one answer to whatever does not say who calls, so that it tells nothing about keys that exist. */
export const UNAUTHENTICATED = refuse("unauthenticated", {
  detail: "No key, token or session that is valid now was found.",
  hint:
    "Send a key as X-Framed-Api-Key: frk_live_…, or a person's session or a Connect token as Authorization: Bearer ….",
});

/** What reading it takes: who verifies sessions, and what tokens have to be made out for. */
export interface Readers {
  readonly verifySession: VerifySession;
  readonly connect: ConnectPlace;
}

/**
 * What the request presents. `X-Framed-Api-Key` is looked at first: clients of Supabase add an `Authorization` header
 * of their own. A malformed key or token is refused here, before any query.
 */
export async function readPresented(
  headers: Headers,
  { verifySession, connect }: Readers,
): Promise<Result<Presented>> {
  const key = headers.get("x-framed-api-key");
  if (key !== null) {
    return isWellFormedKey(key) ? { ok: true, value: { key_hash: hashKey(key) } } : UNAUTHENTICATED;
  }
  const token = bearerOf(headers);
  if (token === null) return UNAUTHENTICATED;
  if (token.startsWith(TOKEN_PREFIX)) {
    if (!isWellFormed(TOKEN_PREFIX, token)) return UNAUTHENTICATED;
    return { ok: true, value: { token_hash: hashKey(token), audiences: audiencesOf(connect) } };
  }
  const userId = await verifySession(token);
  return userId === null ? UNAUTHENTICATED : { ok: true, value: { user_id: userId } };
}

/** The token of an `Authorization: Bearer …`; null where there is none. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}
