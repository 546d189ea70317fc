/** A client exchanges a code or a refresh token for tokens, or gives one back. */

import { createHash } from "node:crypto";
import {
  CODE_PREFIX,
  createCredential,
  hashKey,
  isWellFormed,
  REFRESH_PREFIX,
  TOKEN_PREFIX,
} from "../auth/keys.ts";
import type { Database } from "../db/client.ts";
import { redeemCode, revokeToken, rotateToken } from "../oauth/grant-store.ts";
import { fault, type OAuthFault, readParameters } from "../oauth/oauth-fault.ts";
import { type ConnectPlace, resourceNamed } from "../oauth/place.ts";
import { SCOPE } from "../oauth/server-metadata.ts";
import type { Occasion } from "./occasion.ts";

/** How long an access token is good, and a refresh token that nobody uses. */
export const ACCESS_SECONDS = 3_600;
export const REFRESH_SECONDS = 90 * 24 * 3_600;

/** What a client gets. Source: RFC 6749 §5.1. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** One request to the token endpoint. */
interface Exchange {
  readonly db: Database;
  readonly place: ConnectPlace;
  readonly form: URLSearchParams;
  readonly occasion: Occasion;
}

/**
 * The tokens for what the form presents.
 *
 * A code is good once, for a minute, with the verifier of its challenge and, where one is named, the redirect address it
 * went to; a refresh token is good once. Either used a second time ends the grant with every token that came of it, also where both uses
 * come at once: one of them gets tokens, which then are dead. Source: OAuth 2.1 §4.1.3 and §4.3, RFC 9700 §4.14.
 */
export async function exchangeToken({ db, place, form, occasion }: Exchange): Promise<Tokens | OAuthFault> {
  const parameters = readParameters(form);
  if ("error" in parameters) return parameters;
  const { grant_type, client_id, code, redirect_uri = null, code_verifier, refresh_token, resource } =
    parameters.values;
  if (client_id === undefined) return fault("invalid_request", "client_id is missing.");
  const named = resource === undefined ? null : resourceNamed(place, resource);
  if (resource !== undefined && named === null) {
    return fault("invalid_target", "resource is not the address of this Connect.");
  }
  const made = { access: createCredential(TOKEN_PREFIX), refresh: createCredential(REFRESH_PREFIX) };
  const storing = {
    issued: {
      access_hash: hashKey(made.access),
      refresh_hash: hashKey(made.refresh),
      access_seconds: ACCESS_SECONDS,
      refresh_seconds: REFRESH_SECONDS,
    },
    event: frameOf(occasion),
  };
  switch (grant_type) {
    case "authorization_code": {
      if (code === undefined || code_verifier === undefined) {
        return fault("invalid_request", "code and code_verifier are needed.");
      }
      if (!isWellFormed(CODE_PREFIX, code) || !VERIFIER.test(code_verifier)) return NO_CODE;
      const presented = {
        code_hash: hashKey(code),
        client_id,
        redirect_uri,
        code_challenge: challengeOf(code_verifier),
        resource: named,
      };
      return await redeemCode(db, { presented, ...storing }) ? tokensOf(made) : NO_CODE;
    }
    case "refresh_token": {
      if (refresh_token === undefined) return fault("invalid_request", "refresh_token is missing.");
      if (!isWellFormed(REFRESH_PREFIX, refresh_token)) return NO_REFRESH;
      const presented = { token_hash: hashKey(refresh_token), client_id, resource: named };
      return await rotateToken(db, { presented, ...storing }) ? tokensOf(made) : NO_REFRESH;
    }
    case undefined:
      return fault("invalid_request", "grant_type is missing.");
    default:
      return fault("unsupported_grant_type", "grant_type is authorization_code or refresh_token here.");
  }
}

/**
 * Ends the grant that the token in the form belongs to. A token that is none, or another client's, is no fault: what was
 * wanted is so already. Source: RFC 7009 §2.
 */
export async function revokePresented(
  { db, form, occasion }: Omit<Exchange, "place">,
): Promise<OAuthFault | null> {
  const parameters = readParameters(form);
  if ("error" in parameters) return parameters;
  const { token, client_id = null } = parameters.values;
  if (token === undefined) return fault("invalid_request", "token is missing.");
  if (!isWellFormed(TOKEN_PREFIX, token) && !isWellFormed(REFRESH_PREFIX, token)) return null;
  await revokeToken(db, { presented: { token_hash: hashKey(token), client_id }, event: frameOf(occasion) });
  return null;
}

/** Source: RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** The same for whatever is wrong with it, so that it tells nothing about codes that exist. */
const NO_CODE = fault(
  "invalid_grant",
  "The code is not good for this client, redirect_uri, code_verifier and resource, or has been used or expired.",
);
const NO_REFRESH = fault(
  "invalid_grant",
  "The refresh token is not good for this client and resource, or has been used, revoked or expired.",
);

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier, "ascii").digest("base64url");
}

function frameOf({ requestId, elapsedMs }: Occasion) {
  return { request_id: requestId, total_ms: elapsedMs() };
}

function tokensOf({ access, refresh }: { access: string; refresh: string }): Tokens {
  return {
    access_token: access,
    token_type: "Bearer",
    expires_in: ACCESS_SECONDS,
    refresh_token: refresh,
    scope: SCOPE,
  };
}
