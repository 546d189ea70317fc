/** Answers the console's paths from memory: its files, its one page, and what it is told when it starts. */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { CONFIG_PATH, configText, type ConsoleAddresses, originsOf } from "./addresses.ts";
import { ASKED_EACH_TIME, KEPT_FOR_EVER, PAGE_PATHS, pageHeaders } from "./page-headers.ts";
import { INDEX, type Site, type SiteFile, siteFile } from "./site.ts";

/** Answers what the console has at the request's path; null where it has nothing, or is asked for anything but to read. */
export type ConsoleHandler = (request: Request) => Response | Promise<Response> | null;

type Encoding = "br" | "gzip";
type Bytes = Uint8Array<ArrayBuffer>;

const ENCODERS: Readonly<Record<Encoding, (bytes: Bytes) => Promise<Bytes>>> = {
  br: async (bytes) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    return new Uint8Array(await promisify(brotliCompress)(bytes, { params }));
  },
  gzip: async (bytes) => new Uint8Array(await promisify(gzip)(bytes)),
};
/** Less fits into one packet as it is. */
const MIN_COMPRESSED_BYTES = 1_024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;

/** Serves `site` on the origin that is told of in `addresses`. Paths are looked up, not followed. */
export function serveConsole(site: Site, addresses: ConsoleAddresses): ConsoleHandler {
  const config = siteFile(CONFIG_PATH, new TextEncoder().encode(configText(addresses)));
  const compressed = new Map<string, Promise<Bytes>>();
  return function answerConsole(request) {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const url = new URL(request.url);
    const { pathname } = url;
    const headers = pageHeaders(originsOf(addresses).filter((origin) => origin !== url.origin));
    const answer = (file: SiteFile) =>
      answerFile(file, {
        request,
        headers: { ...headers, "cache-control": cachingOf(pathname) },
        compress: (encoding) => {
          const key = `${encoding} ${file.tag}`;
          const known = compressed.get(key) ?? ENCODERS[encoding](file.bytes);
          compressed.set(key, known);
          return known;
        },
      });
    if (pathname === CONFIG_PATH) return answer(config);
    const file = site.get(pathname.slice(1));
    if (file !== undefined) return answer(file);
    if (isPagePath(pathname)) return wantsPage(request) ? answer(site.get(INDEX)!) : null;
    return isMistyped(pathname) && isOpenedByPerson(request) ? asNotFound(answer(site.get(INDEX)!)) : null;
  };
}

/** Says in the console's place, where it could not be built, why and what to do about it. */
export function serveNoConsole(why: string): ConsoleHandler {
  return function answerNoConsole(request) {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    if (!isPagePath(new URL(request.url).pathname) || !wantsPage(request)) return null;
    return new Response(request.method === "HEAD" ? null : why, {
      status: 503,
      headers: {
        ...pageHeaders(),
        "cache-control": "no-store",
        "content-type": "text/plain; charset=utf-8",
      },
    });
  };
}

/** Whether the console's page stands at `pathname`. */
export function isPagePath(pathname: string): boolean {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
  return PAGE_PATHS.some((pattern) =>
    pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern
  );
}

/** Whether `pathname` looks like that of a page, and not of a file or of anything that is to be read another way. */
function isMistyped(pathname: string): boolean {
  return /^(?:\/[A-Za-z0-9_-]+)+\/?$/.test(pathname) && !/^\/assets(?:\/|$)/.test(pathname);
}

/** A browser names pages first; a program that takes anything is told in the API's words that nothing is there. */
function isOpenedByPerson({ headers }: Request): boolean {
  return (headers.get("accept") ?? "").startsWith("text/html");
}

/** The page says what to do; the status that there is none, as on a static host. */
async function asNotFound(answer: Promise<Response>): Promise<Response> {
  const { status, headers, body } = await answer;
  return new Response(body, { status: status === 304 ? 304 : 404, headers });
}

/** A program that names what it takes, and not pages, is told in its own terms that there is nothing. */
function wantsPage({ headers }: Request): boolean {
  const accepted = headers.get("accept") ?? "*/*";
  return /text\/html|text\/\*|\*\/\*/.test(accepted);
}

function cachingOf(pathname: string): string {
  return pathname.startsWith("/assets/") ? KEPT_FOR_EVER : ASKED_EACH_TIME;
}

interface Asked {
  readonly request: Request;
  readonly headers: Readonly<Record<string, string>>;
  readonly compress: (encoding: Encoding) => Promise<Bytes>;
}

async function answerFile(
  { bytes, type, tag }: SiteFile,
  { request, headers: given, compress }: Asked,
): Promise<Response> {
  const headers = new Headers({ ...given, "content-type": type, etag: `W/"${tag}"` });
  const mayCompress = COMPRESSIBLE.test(type) && bytes.length >= MIN_COMPRESSED_BYTES;
  if (mayCompress) headers.set("vary", "accept-encoding");
  if (knows(request, tag)) return new Response(null, { status: 304, headers });
  const encoding = mayCompress ? acceptedEncoding(request) : null;
  const body = encoding === null ? bytes : await compress(encoding);
  if (encoding !== null) headers.set("content-encoding", encoding);
  headers.set("content-length", String(body.length));
  return new Response(request.method === "HEAD" ? null : body, { headers });
}

function knows({ headers }: Request, tag: string): boolean {
  return (headers.get("if-none-match") ?? "").split(",").some((known) =>
    known.trim().replace(/^W\//, "") === `"${tag}"`
  );
}

function acceptedEncoding({ headers }: Request): Encoding | null {
  const accepted = new Map(
    (headers.get("accept-encoding") ?? "").split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))];
    }),
  );
  for (const encoding of ["br", "gzip"] as const) if (accepted.get(encoding) === true) return encoding;
  return null;
}
