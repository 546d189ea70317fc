/** A client that asks people for consent, as it registers or as its own document describes it. Pure. */

import { looksLikeCredential } from "../definition/credentials.ts";
import { isJsonObject, type JsonValue } from "../definition/json.ts";
import { fault, type OAuthFault } from "./oauth-fault.ts";
import { judgeRedirect, matchesRedirect, type Redirect } from "./redirect-uri.ts";
import { SCOPE } from "./server-metadata.ts";

/** The most characters of a client's id, which may be the address of its document. */
export const MAX_CLIENT_ID = 2_048;
const MAX_REDIRECTS = 20;
const MAX_NAME = 80;

/** What is known of a client. Nobody has checked any of it but the host of a document's address. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/**
 * What a client says about itself, to register or in its document: a name and 1 to 20 redirect addresses, each of them
 * allowed. One that is not refuses the whole and is named: a client that is let in with the others would fail later, in
 * front of a person.
 *
 * What it says of secrets is overruled, as RFC 7591 §3.2.1 lets us: each client is a public one. All else is ignored.
 */
export function readClientMetadata(
  metadata: JsonValue,
): { readonly name: string; readonly redirectUris: readonly string[] } | OAuthFault {
  if (!isJsonObject(metadata)) return fault("invalid_client_metadata", "A JSON object is wanted.");
  const { redirect_uris: uris, client_name: name, grant_types, response_types } = metadata;
  if (!Array.isArray(uris) || uris.length < 1 || uris.length > MAX_REDIRECTS) {
    return fault("invalid_redirect_uri", `redirect_uris has to list 1 to ${MAX_REDIRECTS} addresses.`);
  }
  for (const [index, uri] of uris.entries()) {
    const judged = typeof uri === "string"
      ? judgeRedirect(uri)
      : { ok: false, why: "it is no text" } as const;
    if (!judged.ok) {
      return fault("invalid_redirect_uri", `redirect_uris[${index}] is refused: ${judged.why}.`);
    }
  }
  if (!includesIfGiven(grant_types, "authorization_code")) {
    return fault("invalid_client_metadata", "grant_types has to hold authorization_code.");
  }
  if (!includesIfGiven(response_types, "code")) {
    return fault("invalid_client_metadata", "response_types has to hold code.");
  }
  return { name: nameOf(name), redirectUris: [...new Set(uris as string[])] };
}

/** Where a code for this client goes; null where it did not register the address, or it is none a code may go to. */
export function redirectOf({ redirectUris }: Client, presented: string): Redirect | null {
  const judged = judgeRedirect(presented);
  return judged.ok && redirectUris.some((registered) => matchesRedirect(registered, presented))
    ? judged.redirect
    : null;
}

/** What a client that registered is told. Source: RFC 7591 §3.2.1. */
export function registeredClient({ id, name, redirectUris }: Client, issuedAt: Date) {
  return {
    client_id: id,
    client_id_issued_at: Math.floor(issuedAt.getTime() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: SCOPE,
  };
}

/**
 * The name a person is shown: on one line, without what cannot be seen or turns the text around it, at most 80
 * characters. A sign-in does not fail for a name; one of which nothing is left says so.
 */
function nameOf(given: JsonValue | undefined): string {
  const bare = typeof given === "string" ? given.slice(0, 1_000) : "";
  const name = [
    ...bare.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu, " ").replace(/\s+/g, " ")
      .trim(),
  ]
    .slice(0, MAX_NAME).join("").trim();
  return /[\p{L}\p{N}]/u.test(name) && !looksLikeCredential(name) ? name : "A program without a name";
}

function includesIfGiven(given: JsonValue | undefined, wanted: string): boolean {
  return given === undefined || given === null || (Array.isArray(given) && given.includes(wanted));
}
