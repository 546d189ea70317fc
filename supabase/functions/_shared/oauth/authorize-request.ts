/** What a client asks of the authorization endpoint, and what is wrong with it. Pure. */

import { type ConnectPlace, resourceNamed } from "./place.ts";
import { MAX_REDIRECT_URI } from "./redirect-uri.ts";
import { MAX_CLIENT_ID } from "./client.ts";
import { fault, type OAuthFault, readParameters } from "./oauth-fault.ts";

/** The most characters of a state, which goes back to the client as it came. */
const MAX_STATE = 4_096;

/** Who asks and where the answer would go; all that has to hold before anything is sent there. */
export interface Asking {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
}

/** The whole of a request that can be put before a person. */
export interface AuthorizeRequest extends Asking {
  readonly codeChallenge: string;
  /** As tokens are made out for it. */
  readonly resource: string;
}

/**
 * Who asks, by a query string. What is wrong here is told to the browser that came, since where else to send it is not
 * known. Source: RFC 6749 §4.1.2.1.
 */
export function readAsking(query: URLSearchParams): Asking | OAuthFault {
  const parameters = readParameters(query);
  if ("error" in parameters) return parameters;
  const { client_id: clientId = "", redirect_uri: redirectUri = "", state = null } = parameters.values;
  if (clientId === "" || clientId.length > MAX_CLIENT_ID) {
    return fault("invalid_request", "client_id is missing or too long.");
  }
  if (redirectUri === "" || redirectUri.length > MAX_REDIRECT_URI) {
    return fault("invalid_request", "redirect_uri is missing or too long.");
  }
  if (state !== null && state.length > MAX_STATE) {
    return fault("invalid_request", `state has more than ${MAX_STATE} characters.`);
  }
  return { clientId, redirectUri, state };
}

/**
 * The rest of it, for this stack. What is wrong here goes back to the client.
 *
 * Takes a code for a challenge by SHA-256 alone; any scope, since there is one, which the answer names; a resource that
 * is ours. Source: OAuth 2.1 §4.1.1, RFC 7636 §4.3, RFC 8707 §2.
 */
export function readAuthorizeRequest(
  query: URLSearchParams,
  { asking, place }: { asking: Asking; place: ConnectPlace },
): AuthorizeRequest | OAuthFault {
  const parameters = readParameters(query);
  if ("error" in parameters) return parameters;
  const {
    response_type,
    response_mode,
    code_challenge,
    code_challenge_method,
    resource,
    request,
    request_uri,
  } = parameters.values;
  if (request !== undefined || request_uri !== undefined) {
    return fault("invalid_request", "A request object is not taken: send the parameters themselves.");
  }
  if (response_type !== "code") return fault("unsupported_response_type", "response_type has to be code.");
  if (response_mode !== undefined && response_mode !== "query") {
    return fault("invalid_request", "response_mode can only be query.");
  }
  if (code_challenge === undefined || code_challenge_method !== "S256") {
    return fault("invalid_request", "A code_challenge with code_challenge_method=S256 is needed (PKCE).");
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(code_challenge)) {
    return fault("invalid_request", "code_challenge is no SHA-256 in base64url, which has 43 characters.");
  }
  const known = resourceNamed(place, resource ?? null);
  if (known === null) return fault("invalid_target", "resource is not the address of this Connect.");
  return { ...asking, codeChallenge: code_challenge, resource: known };
}
