/** Which pages and names may ask the endpoint: what a browser sends by itself must not reach it under a foreign name. Pure. */

/** The names this stack goes by, and the origins whose pages may ask it. */
export interface OwnPlaces {
  /** Host names without ports. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** Found on loopback: pages of this machine may ask then, on whatever port they are. */
  readonly isLocal: boolean;
}

/** What the platform names itself to a function, whatever name the client used. */
const PLATFORM_HOST = "edge-runtime.supabase.com";
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** The places of a stack that is found under `urls`, with pages of `consoleOrigins`. On loopback each of its names is good. */
export function ownPlaces(
  { urls, consoleOrigins }: { urls: readonly string[]; consoleOrigins: readonly string[] },
): OwnPlaces {
  const names = urls.map((url) => new URL(url).hostname);
  const isLocal = names.some((name) => LOOPBACK.includes(name));
  return {
    hosts: [...new Set([...names, PLATFORM_HOST, ...(isLocal ? LOOPBACK : [])])],
    origins: [...new Set([...consoleOrigins, ...urls.map((url) => new URL(url).origin)])],
    isLocal,
  };
}

/**
 * What is wrong with where a request says it comes from and goes to; null where nothing is. A page of another site can
 * make a browser ask, under a name that it made lead here: such a request has that name in `Host`, and says its own in
 * `Origin`. Programs that are no browsers send no `Origin`. Source: MCP, Streamable HTTP, "Security warning".
 */
export function refuseForeign({ headers, url }: Request, places: OwnPlaces): string | null {
  const host = headers.get("host") ?? new URL(url).host;
  const origin = headers.get("origin");
  if (!URL.canParse(`http://${host}`) || !places.hosts.includes(new URL(`http://${host}`).hostname)) {
    return "This is not a name that this server answers to.";
  }
  if (origin !== null && !places.origins.includes(origin) && !(places.isLocal && isOfThisMachine(origin))) {
    return "Pages of this origin may not ask this server.";
  }
  return null;
}

function isOfThisMachine(origin: string): boolean {
  return URL.canParse(origin) && LOOPBACK.includes(new URL(origin).hostname);
}
