/** What a 401 of Connect says about where to sign in. Pure. */

import { SCOPE } from "./server-metadata.ts";

/**
 * The `WWW-Authenticate` of an answer that asks for a token: where the metadata of what was asked for is, under the
 * function's own path, since the root of the host may be somebody else's. `invalid` where a token was presented.
 * Source: RFC 9728 §5.1, RFC 6750 §3.
 */
export function challenge(roofUrl: string, { invalid }: { invalid: boolean }): string {
  const parameters = {
    ...(invalid ? { error: "invalid_token", error_description: "The token is not valid now" } : {}),
    resource_metadata: `${roofUrl}/.well-known/oauth-protected-resource`,
    scope: SCOPE,
  };
  return `Bearer ${Object.entries(parameters).map(([name, value]) => `${name}="${value}"`).join(", ")}`;
}
