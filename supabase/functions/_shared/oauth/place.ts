/** Where Connect stands: its issuer, and the addresses its endpoint goes by under each roof. Pure. */

/** The public addresses of Connect, none with a slash at the end. */
export interface ConnectPlace {
  /** Who issues tokens, and the one address of everything a sign-in asks for. */
  readonly issuer: string;
  /** Where the functions `connect` and `api` serve it. The same one where the stack has one address for it. */
  readonly roofs: { readonly connect: string; readonly api: string };
}

export type Roof = keyof ConnectPlace["roofs"];

/** What Connect is asked for under a roof: the address of the MCP endpoint, which tokens are made out for. */
export function resourceUnder(roofUrl: string): string {
  return `${roofUrl}/mcp`;
}

/**
 * The resource that a client means, in the one spelling tokens are stored with; null where it is none of ours. A roof
 * itself is taken for its endpoint, and one slash at the end is let pass. Without one it is the issuer's own.
 * Source: RFC 8707.
 */
export function resourceNamed(place: ConnectPlace, named: string | null): string | null {
  if (named === null) return resourceUnder(place.issuer);
  const bare = named.endsWith("/") ? named.slice(0, -1) : named;
  const roof = Object.values(place.roofs).find((url) => bare === url || bare === resourceUnder(url));
  return roof === undefined ? null : resourceUnder(roof);
}

/** Everything a token of this stack may be made out for: the same endpoint under its roofs. */
export function audiencesOf({ roofs }: ConnectPlace): readonly string[] {
  return [...new Set(Object.values(roofs).map(resourceUnder))];
}

/**
 * The place that the stack's settings say: `url` where it has one address of its own, else under the functions of the
 * project. Throws in words where the address is none that a client could be given.
 */
export function placeConnect(
  { url, functionsUrl }: { url: string | undefined; functionsUrl: string },
): ConnectPlace {
  if (url === undefined || url === "") {
    const connect = `${functionsUrl}/connect`;
    return { issuer: connect, roofs: { connect, api: `${functionsUrl}/api/connect` } };
  }
  const bare = url.replace(/\/+$/, "");
  if (!isPublicAddress(bare)) {
    throw new Error(
      "FRAMED_CONNECT_URL is no address such as https://example.com/connect, without a query; see docs/operate.md.",
    );
  }
  return { issuer: bare, roofs: { connect: bare, api: bare } };
}

/** Written as programs write it, so that clients compare equal what they were given and what they computed. */
function isPublicAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash, href } = new URL(text);
  const isLoopback = protocol === "http:" && /^(?:localhost|127\.[0-9.]+|\[::1\])$/.test(hostname);
  return (protocol === "https:" || isLoopback) && username === "" && password === "" && search === "" &&
    hash === "" && !/[?#]/.test(text) && (href === text || href === `${text}/`);
}
