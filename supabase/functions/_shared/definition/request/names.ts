/** Names that give a header, a parameter or a field a meaning of its own, whatever it holds. Pure. */

/** What makes another method of a call, as a header or a parameter; as {@link readAs} has it. */
const METHOD_OVERRIDES: ReadonlySet<string> = new Set([
  "-method",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
]);

/** Query parameters that carry a credential. */
const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "access_key",
  "access_token",
  "api_key",
  "api_token",
  "apikey",
  "auth",
  "auth_token",
  "client_secret",
  "key",
  "password",
  "private_token",
  "refresh_token",
  "secret",
  "secret_key",
  "sig",
  "signature",
  "token",
]);

/** Fields of a body that carry a credential. Fewer than in a query: `key` or `token` in a body is often plain data. */
const CREDENTIAL_FIELDS: ReadonlySet<string> = new Set([
  "access_token",
  "api_key",
  "apikey",
  "client_secret",
  "password",
  "private_key",
  "refresh_token",
  "secret_key",
]);

/** Headers that belong to the connection, to cookies or to proxies: the sender's own business. */
const REFUSED_HEADERS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|cookie2?|proxy-.*|expect|upgrade|te|trailer|sec-.*|forwarded|x-forwarded-.*|x-original-url|x-rewrite-url)$/;

/** Headers that say how a body is packed, which is not the file's business either. */
const PACKING_HEADERS: ReadonlyMap<string, string> = new Map([
  [
    "accept-encoding",
    "asks for answers packed in a way of its own; leave it out: answers are decoded by themselves",
  ],
  ["content-encoding", "says that the body is packed, and it is sent as it is; leave it out"],
]);

const CREDENTIAL_HEADERS =
  /^(?:authorization|(?:.*-)?(?:api-?key|token|secret|auth|password)|(?:.*-)?(?:access|application|auth|functions|master|private|secret|signing|subscription)-key)$/;

/** A header's name. Source: RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * A name as programs behind a web server may read it: CGI takes `_` and `-` for one, PHP also `.` and a blank, drops
 * blanks in front, and takes what is in brackets for a key.
 */
function readAs(name: string): string {
  return name.trim().toLowerCase().replace(/\[.*$/s, "").replace(/[_.\s]/g, "-");
}

export function overridesMethod(name: string): boolean {
  return METHOD_OVERRIDES.has(readAs(name));
}

export function isCredentialParameter(name: string): boolean {
  return CREDENTIAL_PARAMETERS.has(underscored(name));
}

export function isCredentialField(name: string): boolean {
  return CREDENTIAL_FIELDS.has(underscored(name));
}

/** Whether a header carries a credential by its name alone: `Authorization`, `X-Api-Key`, `*-Token` and such. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_HEADERS.test(readAs(name));
}

/** Why no file may send a header of this name, in words, or `null` when it may. */
export function refuseHeaderName(name: string): string | null {
  if (!TOKEN.test(name)) return "no header has this name; letters, digits and hyphens are wanted";
  if (overridesMethod(name)) return "makes another method of the call; write the method under method";
  const read = readAs(name);
  return REFUSED_HEADERS.test(read)
    ? "is a header that only the connection itself may set; leave it out"
    : PACKING_HEADERS.get(read) ?? null;
}

/** `accessToken`, `access-token` and `ACCESS_TOKEN` are one name to whoever reads them. */
function underscored(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase();
}
