/** A client asks for a person's consent: who it is and where the answer would go is settled before a person sees anything. */

import { hashKey } from "../auth/keys.ts";
import type { Database } from "../db/client.ts";
import type { JsonValue } from "../definition/json.ts";
import { readAsking, readAuthorizeRequest } from "../oauth/authorize-request.ts";
import { type Client, readClientMetadata, redirectOf } from "../oauth/client.ts";
import { type FindDescribed, isDocumentId } from "../oauth/client-document.ts";
import { fault, type OAuthFault } from "../oauth/oauth-fault.ts";
import type { ConnectPlace } from "../oauth/place.ts";
import { redirectTo } from "../oauth/redirect-uri.ts";
import { newRequestId } from "../oauth/request-id.ts";
import { findClient, insertClient, insertRequest } from "../oauth/store.ts";

/** How long a person has to consent. */
const REQUEST_SECONDS = 600;
/** Characters of all redirect addresses: anyone may register, and what they write is kept for days. */
const MAX_REGISTERED = 4_096;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where the browser that came goes on: to the console with a request for consent, back to the client, or nowhere. */
export type Authorizing =
  | { readonly goesTo: "consent"; readonly requestId: string }
  | { readonly goesTo: "client"; readonly location: string }
  | { readonly goesTo: "nowhere"; readonly fault: OAuthFault };

export interface AuthorizeMeans {
  readonly db: Database;
  readonly connect: ConnectPlace;
  readonly findDescribed: FindDescribed;
}

/** Registers a client under a new id. */
export async function registerClient(
  { db }: Pick<AuthorizeMeans, "db">,
  metadata: JsonValue,
): Promise<Client | OAuthFault> {
  const read = readClientMetadata(metadata);
  if ("error" in read) return read;
  const length = read.redirectUris.join("").length;
  if (length > MAX_REGISTERED) {
    return fault(
      "invalid_redirect_uri",
      `redirect_uris come to ${length} characters together; ${MAX_REGISTERED} at most are kept of a client that registers.`,
    );
  }
  const client = { id: crypto.randomUUID(), ...read };
  await insertClient(db, client);
  return client;
}

/**
 * Judges a request to the authorization endpoint and keeps it for 10 minutes, for one person to decide.
 *
 * Nothing is sent to an address before it is known to be the client's and one that a code may go to; whatever is wrong
 * after that is told to the client there. Source: RFC 9700 §4.11.
 */
export async function beginAuthorization(
  { db, connect, findDescribed }: AuthorizeMeans,
  query: URLSearchParams,
): Promise<Authorizing> {
  const asking = readAsking(query);
  if ("error" in asking) return { goesTo: "nowhere", fault: asking };
  const client = await findAsked({ db, findDescribed }, asking.clientId);
  if ("error" in client) return { goesTo: "nowhere", fault: client };
  if (redirectOf(client, asking.redirectUri) === null) {
    return {
      goesTo: "nowhere",
      fault: fault("invalid_request", "redirect_uri is not one that this client registered."),
    };
  }
  const request = readAuthorizeRequest(query, { asking, place: connect });
  if ("error" in request) {
    const { error, description } = request;
    const told = { error, error_description: description, state: asking.state, iss: connect.issuer };
    return { goesTo: "client", location: redirectTo(asking.redirectUri, told) };
  }
  const requestId = newRequestId();
  await insertRequest(db, { ...request, client, hash: hashKey(requestId), lifeSeconds: REQUEST_SECONDS });
  return { goesTo: "consent", requestId };
}

async function findAsked(
  { db, findDescribed }: Pick<AuthorizeMeans, "db" | "findDescribed">,
  id: string,
): Promise<Client | OAuthFault> {
  if (isDocumentId(id)) return await findDescribed(id);
  const client = UUID.test(id) ? await findClient(db, { id }) : null;
  return client ??
    fault("invalid_client", "No client with this client_id is registered here. Register again.");
}
