/** What an OAuth endpoint answers when it refuses: the error codes of the standards, and how parameters are read. Pure. */

/** Sources: RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2, RFC 7009 §2.2.1. */
export type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_target"
  | "server_error"
  | "temporarily_unavailable"
  | "unsupported_grant_type"
  | "unsupported_response_type";

export interface OAuthFault {
  readonly error: OAuthErrorCode;
  /** For whoever builds the client: what was found and what is wanted. ASCII without quotes, as RFC 6749 has it. */
  readonly description: string;
}

export function fault(error: OAuthErrorCode, description: string): OAuthFault {
  return {
    error,
    description: description.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?").slice(0, 500),
  };
}

/**
 * Parameters that each stand there once. One that is repeated is a fault, so is one with a NUL, which the store cannot
 * hold, and an empty one counts as left out.
 */
export function readParameters(
  given: URLSearchParams,
): { readonly values: Readonly<Record<string, string | undefined>> } | OAuthFault {
  const values: Record<string, string | undefined> = Object.create(null);
  const seen = new Set<string>();
  for (const [name, value] of given) {
    // RFC 8707 lets it be repeated for several resources; a token of ours is for one.
    if (seen.has(name)) return fault("invalid_request", `${name.slice(0, 80)} is given more than once.`);
    seen.add(name);
    if (value.includes("\0")) return fault("invalid_request", `${name.slice(0, 80)} holds a NUL.`);
    if (value !== "") values[name] = value;
  }
  return { values };
}
