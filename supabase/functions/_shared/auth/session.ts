/** A person's session: a Supabase Auth access token, checked for signature, time, issuer, audience and role. */

import type { JWK } from "@supabase/auth-js";
import { createPublishedKeys, type PublishedKey } from "./published-keys.ts";

/** Sign-in could not be asked: whether the token stands is not known. */
export class SignInUnavailable extends Error {
  override name = "SignInUnavailable";
}

/** Verifies an access token; the person's id where it stands, null where it does not. Throws `SignInUnavailable`. */
export type VerifySession = (token: string) => Promise<string | null>;

/** The most characters of a token. */
const MAX_TOKEN = 16_384;
/** What Supabase signs access tokens with. HS256 is checked by sign-in itself, which alone holds that secret. */
const ALGORITHMS = new Set<unknown>(["ES256", "RS256", "HS256"]);
/** Tokens signed with a project's secret that sign-in refused are not asked about again for so long, in milliseconds. */
const REFUSED_MS = 60_000;
const MAX_REFUSED = 1_000;
/** All that sign-in may take for an answer, in milliseconds. */
const SIGN_IN_TIMEOUT_MS = 5_000;

/**
 * A verifier of the access tokens of the Supabase project at `supabaseUrl`.
 *
 * The sign-in client of supabase-js checks the signature against the project's published keys and the expiry; everything
 * else is checked here, and first, so that a token which cannot be ours asks nothing of sign-in. The client is loaded at
 * the first session, so that a call with a key does not wait for it.
 *
 * What is made up buys no requests: an unknown key is looked for once in ten seconds. A token signed with the project's
 * secret is taken only where the project publishes no keys, and then sign-in is asked about each.
 */
export function createSessionVerifier(
  { supabaseUrl, publishableKey, fetch = globalThis.fetch, timeoutMs = SIGN_IN_TIMEOUT_MS }: {
    supabaseUrl: string;
    publishableKey: string;
    fetch?: typeof globalThis.fetch;
    timeoutMs?: number;
  },
): VerifySession {
  const issuer = `${supabaseUrl.replace(/\/+$/, "")}/auth/v1`;
  const headers = { apikey: publishableKey, authorization: `Bearer ${publishableKey}` };
  const askWithin: typeof globalThis.fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const published = createPublishedKeys({
    ask: () => askWithin(`${issuer}/.well-known/jwks.json`, { headers }),
  });
  const refused = new Map<string, number>();
  let client: ReturnType<typeof createAuth> | undefined;

  async function createAuth() {
    const { AuthClient } = await import("@supabase/auth-js");
    return new AuthClient({
      url: issuer,
      headers,
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storageKey: issuer,
      fetch: askWithin,
    });
  }

  /** Whether the client says that the token stands: by the key that is given, else by asking sign-in. */
  async function stands(token: string, keys: PublishedKey[]): Promise<boolean> {
    const auth = await (client ??= createAuth());
    const { data, error } = await auth.getClaims(token, { jwks: { keys: keys as JWK[] } }).catch(
      unverifiable,
    );
    if (error !== null && !isVerdict(error)) throw new SignInUnavailable();
    return error === null && data !== null;
  }

  /** Only sign-in holds the secret. */
  async function standsBySecret(token: string): Promise<boolean> {
    const signature = token.slice(token.lastIndexOf("."));
    const refusedAtMs = refused.get(signature);
    if (refusedAtMs !== undefined && performance.now() - refusedAtMs < REFUSED_MS) return false;
    if (await stands(token, [])) return true;
    if (refused.size >= MAX_REFUSED) refused.clear();
    refused.set(signature, performance.now());
    return false;
  }

  return async function verifySession(token) {
    const session = readSession(token, issuer);
    if (session === null) return null;
    const keys = await published.read(session.kid);
    if (keys === null) throw new SignInUnavailable();
    const isBySecret = session.alg === "HS256";
    if (isBySecret && keys.some(({ kty }) => kty !== "oct")) return null;
    const key = keys.find(({ kid }) => kid === session.kid);
    if (!isBySecret && key === undefined) return null;
    return await (isBySecret ? standsBySecret(token) : stands(token, [key!])) ? session.userId : null;
  };
}

/** What a token says that is one of the issuer's for a signed-in person, if its signature holds; null for any other. */
function readSession(token: string, issuer: string): Session | null {
  if (token.length > MAX_TOKEN || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null;
  const [header, claims] = token.split(".", 2).map(readPart);
  if (!header || !claims || !ALGORITHMS.has(header.alg)) return null;
  const { iss, aud, role, sub, exp } = claims;
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (iss !== issuer || !audiences.includes("authenticated") || role !== "authenticated") return null;
  if (typeof exp !== "number" || typeof sub !== "string") return null;
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(sub)) return null;
  const { alg, kid } = header;
  return { userId: sub, alg, kid: typeof kid === "string" ? kid : null };
}

interface Session {
  readonly userId: string;
  readonly alg: unknown;
  /** Of the key it is signed with; null where it names none. */
  readonly kid: string | null;
}

function readPart(part: string): Record<string, unknown> | null {
  try {
    const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** What the client throws instead of answering: a key of another kind than the token's algorithm, text it cannot decode. */
function unverifiable(): { data: null; error: null } {
  return { data: null, error: null };
}

/**
 * Whether the error judges the token. Sign-in that is away, too busy, or answers with what is not its own
 * (`AuthRetryableFetchError`, `AuthUnknownError`, 429, 404 of a gateway) has not judged.
 */
function isVerdict({ name, status, code }: { name: string; status?: number; code?: string }): boolean {
  if (name === "AuthInvalidJwtError" || name === "AuthSessionMissingError") return true;
  return name === "AuthApiError" &&
    (status === 400 || status === 401 || status === 403 || code === "user_not_found");
}
