/** The OAuth of Connect, as a client without a secret speaks it: found by its metadata, spoken with the official SDK. */

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  OAuthError,
  refreshAuthorization,
  registerClient,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { isThisMachine } from "../runner/api-address.ts";
import { Failure, whyUnreachable } from "./failure.ts";
import { REGISTERED_REDIRECT } from "./loopback.ts";
import type { Tokens } from "./sign-in-file.ts";

/** Where Connect lets people sign in, and for what. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** What tokens are asked for, in the very spelling of Connect. */
  readonly resource: string;
  readonly scope: string | undefined;
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Finds out where to sign in, by what Connect answers to who does not say who calls. Fails in words where it is away, or
 * where something else answers.
 */
export async function findServer(serverUrl: string, fetch: Fetch): Promise<AuthorizationServer> {
  const response = await fetch(serverUrl, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: "{}",
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  if (response.status !== 401 || resourceMetadataUrl === undefined) {
    throw new Failure(
      `${serverUrl} is not Framed's Connect: it answered ${response.status} where it would ask for a sign-in. Check FRAMED_API_BASE.`,
    );
  }
  const found = await inWords(
    "does not say how to sign in",
    serverUrl,
    discoverOAuthServerInfo(serverUrl, { resourceMetadataUrl, fetchFn: fetch }),
  );
  const { authorizationServerMetadata: metadata, resourceMetadata } = found;
  const resource = resourceMetadata?.resource;
  if (metadata === undefined || resource === undefined) {
    throw new Failure(`${serverUrl} does not say how to sign in.`);
  }
  // Tokens for something else, or asked for in the clear, would be good for whoever made it say so.
  if (!checkResourceAllowed({ requestedResource: serverUrl, configuredResource: resource })) {
    throw new Failure(
      `${serverUrl} asks to sign in for something else, ${resource}: nobody is signed in for that.`,
    );
  }
  for (
    const address of [
      metadata.authorization_endpoint,
      metadata.token_endpoint,
      metadata.registration_endpoint,
    ]
  ) {
    if (address !== undefined && !isSafe(address)) {
      throw new Failure(
        `${serverUrl} asks to sign in over http, which others can read: nobody is signed in that way.`,
      );
    }
  }
  return { issuer: metadata.issuer, metadata, resource, scope };
}

/** Registers this program; its id. */
export async function register(
  { issuer, metadata, scope }: AuthorizationServer,
  fetch: Fetch,
): Promise<string> {
  const registered = await inWords(
    "does not take the registration of this program",
    issuer,
    registerClient(issuer, {
      metadata,
      scope,
      fetchFn: fetch,
      clientMetadata: {
        client_name: "Framed connect-mcp",
        redirect_uris: [REGISTERED_REDIRECT],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        application_type: "native",
      },
    }),
  );
  return registered.client_id;
}

/** The address a browser begins at, and the verifier that the code is redeemed with. */
export async function beginAuthorization(
  { issuer, metadata, resource, scope }: AuthorizationServer,
  { clientId, redirectUri, state }: { clientId: string; redirectUri: string; state: string },
): Promise<{ url: URL; verifier: string }> {
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: { client_id: clientId },
    redirectUrl: redirectUri,
    state,
    resource,
    ...(scope === undefined ? {} : { scope }),
  });
  return { url: authorizationUrl, verifier: codeVerifier };
}

/** The tokens for the code that the browser brought. The issuer has to be the one that was asked. Source: RFC 9207. */
export async function redeemCode(
  { issuer, metadata, resource }: AuthorizationServer,
  { answer, clientId, redirectUri, verifier }: {
    answer: URLSearchParams;
    clientId: string;
    redirectUri: string;
    verifier: string;
  },
  fetch: Fetch,
): Promise<Tokens> {
  const tokens = await inWords(
    "does not take the sign-in",
    issuer,
    exchangeAuthorization(issuer, {
      metadata,
      clientInformation: { client_id: clientId },
      authorizationCode: answer.get("code") ?? "",
      iss: answer.get("iss") ?? undefined,
      codeVerifier: verifier,
      redirectUri,
      resource,
      fetchFn: fetch,
    }),
  );
  return keepable(tokens);
}

/** Fresh tokens for a refresh token; null where there are none to be had by it any more. */
export async function renewTokens(
  { issuer, metadata, resource }: AuthorizationServer,
  { clientId, refresh }: { clientId: string; refresh: string },
  fetch: Fetch,
): Promise<Tokens | null> {
  const renewing = refreshAuthorization(issuer, {
    metadata,
    clientInformation: { client_id: clientId },
    refreshToken: refresh,
    resource,
    fetchFn: fetch,
  }).then(keepable, (error) => {
    const isOver = error instanceof OAuthError && ENDED.test(error.code);
    if (!isOver) throw error;
    return null;
  });
  return await inWords("does not renew the sign-in", issuer, renewing);
}

const ENDED = /^(?:invalid_grant|invalid_client|unauthorized_client)$/;

/** Ends the grant that a token belongs to. Source: RFC 7009. */
export async function revoke(
  { metadata }: AuthorizationServer,
  { clientId, token }: { clientId: string; token: string },
  fetch: Fetch,
): Promise<boolean> {
  const endpoint = "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
  if (typeof endpoint !== "string" || !isSafe(endpoint)) return false;
  const body = new URLSearchParams({ token, client_id: clientId });
  const response = await fetch(endpoint, { method: "POST", body });
  await response.body?.cancel();
  return response.ok;
}

function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
}

function keepable(
  { access_token, refresh_token, expires_in }: {
    access_token: string;
    refresh_token?: string;
    expires_in?: number;
  },
): Tokens {
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: expires_in === undefined ? null : Date.now() + expires_in * 1_000,
  };
}

/** What the SDK says of a server may hold what the server said; of that only OAuth's own words are told. */
async function inWords<T>(what: string, who: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const said = error instanceof OAuthError
      ? `${error.code}: ${error.message.slice(0, 300)}`
      : whyUnreachable(error);
    throw new Failure(`${who} ${what}: ${said.replace(/\.$/, "")}.`);
  }
}
