/**
 * Which URLs may be reached, as far as the text alone can tell. Pure.
 * What a name resolves to, and where the connection really goes, is the guarded fetch's business.
 */

import { judgeAddress } from "./address.ts";
import { refuseHostName } from "./host-names.ts";
import { refusePort } from "./ports.ts";
import { tellCharacter } from "../definition/words.ts";

export type UrlVerdict =
  | {
    readonly ok: true; /** Without port, A-labels, no trailing dot. */
    readonly host: string;
    readonly url: URL;
  }
  | { readonly ok: false; readonly why: string };

/**
 * Whether `url` is one this system may call, with the host and the URL exactly as they will be used.
 *
 * Takes `https` only, no userinfo, no fragment, a port of 443 or a free one from 1024 up, a public name or a public
 * IP literal. The text has to be what the WHATWG parser makes of it but for case, IDN, the default port, an empty
 * path and one trailing dot of the host: two parsers must not read two hosts out of it. `why` is in words and
 * repeats nothing of the text but host suffix, port and single characters.
 */
export function judgeUrl(url: string): UrlVerdict {
  const { faults, parsed, host } = lookAt(url);
  const [why] = faults;
  if (why !== undefined || parsed === null) return { ok: false, why: why ?? NO_ADDRESS };
  if (parsed.hostname !== host) parsed.hostname = host;
  return { ok: true, host, url: parsed };
}

/** All reasons for which `judgeUrl` refuses `url`, the one it tells first; none when it takes it. */
export function findUrlFaults(url: string): readonly string[] {
  return lookAt(url).faults;
}

/** Told where a user name or password stands in front of the host. */
export const USERINFO_FAULT = "a user name or password stands in front of the host; leave it out";
const NO_ADDRESS = "this is no address: host or port cannot be read";
const HTTPS_WANTED = "an address that starts with https:// is wanted";

interface Look {
  readonly faults: readonly string[];
  readonly parsed: URL | null;
  readonly host: string;
}

/** What is wrong in one place is told and taken away, so that the rest can be looked at too. */
function lookAt(url: string): Look {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)(#?)/i.exec(url);
  if (parts === null) return { faults: [HTTPS_WANTED], parsed: null, host: "" };
  const [, scheme = "", written = "", rest = "", fragment] = parts;
  const faults: string[] = [];
  if (scheme.toLowerCase() !== "https") faults.push(HTTPS_WANTED);
  if (written.includes("@")) faults.push(USERINFO_FAULT);
  if (fragment !== "") faults.push("a fragment (#…) is never sent; leave it out");
  const authority = written.slice(written.lastIndexOf("@") + 1);
  const parsed = parse(`https://${authority}${rest}`);
  if (parsed === null) return { faults: [...faults, NO_ADDRESS], parsed, host: "" };
  const [, writtenHost = "", writtenPort] = /^(.*?)(?::([^:\]]*))?$/s.exec(authority) ?? [];
  const host = dropDot(parsed.hostname);
  if (!isAsWritten(writtenHost, host)) faults.push("the host is not written as it will be used");
  const port = parsed.port === "" ? 443 : Number(parsed.port);
  if (writtenPort !== undefined && writtenPort !== String(port)) {
    faults.push("the port is not written as it will be used");
  }
  if (toCanonical(rest) !== parsed.pathname + searchOf(parsed)) faults.push(...tellDifferences(rest));
  const refused = [refuseHost(host), refusePort(port)].filter((why) => why !== null);
  return { faults: [...faults, ...refused], parsed, host };
}

function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

function refuseHost(host: string): string | null {
  const literal = /^\[(.*)\]$/.exec(host)?.[1] ?? (/^[0-9.]+$/.test(host) ? host : null);
  if (literal === null) return refuseHostName(host);
  const verdict = judgeAddress(literal);
  return verdict.public ? null : `the host is an IP address, and ${verdict.why}`;
}

/** The WHATWG parser maps a name outside ASCII, so only one inside ASCII can be compared with what was written. */
function isAsWritten(written: string, host: string): boolean {
  // deno-lint-ignore no-control-regex
  const isMapped = /[^\x00-\x7f]/.test(written) && !written.includes("%");
  return isMapped || dropDot(written.toLowerCase()) === host;
}

function dropDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

function toCanonical(rest: string): string {
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** `URL.search` hides a lone `?`, which is sent all the same. */
function searchOf({ href, search }: URL): string {
  return search === "" && href.endsWith("?") ? "?" : search;
}

/** Characters of one part of an address that are named. */
const MAX_NAMED = 5;

/** What of path and query is not written as it is sent: which characters, else that it has pieces that are steps. */
function tellDifferences(rest: string): string[] {
  const [path = ""] = rest.split("?", 1);
  const told = [
    ...tellCharacters(path, { part: "path", prefix: "https://host.example/" }),
    ...tellCharacters(rest.slice(path.length + 1), { part: "query", prefix: "https://host.example/?" }),
  ];
  if (path.split("/").some((piece) => /^(?:\.|%2e){1,2}$/i.test(piece))) {
    told.push("the path has a . or .. piece, which leads to another address; write that address");
  }
  if (told.length > 0) return told;
  return ["path and query are not written as they will be sent: percent-encode what needs it"];
}

function tellCharacters(text: string, { part, prefix }: { part: string; prefix: string }): string[] {
  const changed: string[] = [];
  for (const character of new Set(text)) {
    if (/[A-Za-z0-9./]/.test(character)) continue;
    const sent = new URL(`${prefix}a${character}a`).href.slice(prefix.length + 1, -1);
    if (sent === character) continue;
    if (changed.length === MAX_NAMED) {
      changed.push("and others too");
      break;
    }
    changed.push(
      sent === ""
        ? `${tellCharacter(character)} is dropped`
        : `${tellCharacter(character)} is sent as ${sent}`,
    );
  }
  return changed.length === 0 ? [] : [`in the ${part} ${changed.join(", ")}; write what is sent`];
}
