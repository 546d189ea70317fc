/** What Connect says about itself to clients that look for a way to sign in. Pure. */

import { audiencesOf, type ConnectPlace, resourceUnder } from "./place.ts";

/** The one scope there is: what a person's own grants let them do, on one workspace. */
export const SCOPE = "connect";

/** The metadata of the resource under a roof. Source: RFC 9728 §2. */
export function resourceMetadata({ issuer }: ConnectPlace, roofUrl: string) {
  return {
    resource: resourceUnder(roofUrl),
    resource_name: "Framed Connect",
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    scopes_supported: [SCOPE],
  };
}

/**
 * The metadata of the authorization server. It also answers as OpenID configuration, which is the one form that clients
 * look for under the issuer's own path. That form has three members of no use here: Connect issues no ID token, and
 * its key set is empty. Source: RFC 8414 §2, RFC 9207 §3, OpenID Connect Discovery 1.0 §3.
 */
export function serverMetadata({ issuer }: ConnectPlace) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: [SCOPE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

/**
 * The roof that a well-known address is about, by what follows its name: nothing for the one it was asked under, else
 * the path of a resource or of the issuer. Null where none is ours. Source: RFC 9728 §3.1, RFC 8414 §3.1.
 */
export function roofOfSuffix(
  place: ConnectPlace,
  { suffix, roofUrl }: { suffix: string; roofUrl: string },
): string | null {
  if (suffix === "") return roofUrl;
  const resource = audiencesOf(place).find((url) => [url, url.slice(0, -"/mcp".length)].some(hasPath));
  return resource === undefined ? null : resource.slice(0, -"/mcp".length);

  function hasPath(url: string): boolean {
    return new URL(url).pathname === suffix;
  }
}
