/** The options of `deno task build:console`. Pure. */

import type { ConsoleAddresses } from "./addresses.ts";

export interface BuildOptions {
  /** Null for the checkout's own `console/dist`. */
  readonly out: string | null;
  /** Null builds the site alone: who serves it tells it where everything is. */
  readonly addresses: ConsoleAddresses | null;
}

export const USAGE =
  `Usage: deno task build:console [--out DIR] [--api URL --supabase URL --key PUBLISHABLE_KEY [--connect URL]]

  --out DIR       where it is put: console/dist without it
  --api URL       the API, https://<ref>.supabase.co/functions/v1/api
  --supabase URL  where people sign in, https://<ref>.supabase.co
  --key KEY       the project's publishable key
  --connect URL   Connect, where it is not at <supabase>/functions/v1/connect

Without addresses it builds the site alone. With them it also writes what a static host needs: config.json,
_headers, _redirects and 404.html. Exit code 1: it could not be built. 2: usage.
`;

const NAMES = ["out", "api", "supabase", "key", "connect"] as const;
type Name = typeof NAMES[number];
/** What says where everything is, if any of it is said. */
const TOGETHER: readonly Name[] = ["api", "supabase", "key"];

/** The options, or what is wrong with them in one line. */
export function readBuildOptions(args: readonly string[]): BuildOptions | "help" | { problem: string } {
  const given = new Map<Name, string>();
  const rest = args.flatMap((arg) => /^--\w+=/.test(arg) ? splitOnce(arg) : [arg]);
  while (rest.length > 0) {
    const arg = rest.shift()!;
    if (arg === "--help" || arg === "-h") return "help";
    const name = NAMES.find((name) => arg === `--${name}`);
    if (name === undefined) return { problem: `${JSON.stringify(arg)} is not an option of build:console.` };
    const value = rest.shift() ?? "";
    if (value === "" || value.startsWith("--")) return { problem: `--${name} takes ${WANTED[name]}.` };
    if (given.has(name)) return { problem: `--${name} is there twice: give it once.` };
    given.set(name, value);
  }
  const out = given.get("out") ?? null;
  const addresses = readAddresses(given);
  return addresses !== null && "problem" in addresses ? addresses : { out, addresses };
}

const WANTED: Readonly<Record<Name, string>> = {
  out: "a folder",
  api: "the address of the API",
  supabase: "the address where people sign in",
  key: "the project's publishable key",
  connect: "the address of Connect",
};

function readAddresses(given: ReadonlyMap<Name, string>): ConsoleAddresses | null | { problem: string } {
  const there = NAMES.filter((name) => name !== "out" && given.has(name));
  if (there.length === 0) return null;
  const missing = TOGETHER.filter((name) => !given.has(name)).map((name) => `--${name}`);
  if (missing.length > 0) {
    return {
      problem: `${missing.join(" and ")} ${
        missing.length > 1 ? "are" : "is"
      } missing: --api, --supabase and --key go together.`,
    };
  }
  for (const name of ["api", "supabase", "connect"] as const) {
    const wrong = given.has(name) ? wrongWithAddress(given.get(name)!) : null;
    if (wrong !== null) return { problem: `--${name} takes ${WANTED[name]}: ${wrong}.` };
  }
  const publishable_key = given.get("key")!;
  const wrong = wrongWithKey(publishable_key);
  if (wrong !== null) return { problem: `--key takes ${WANTED.key}: ${wrong}.` };
  const supabase_url = withoutSlash(given.get("supabase")!);
  return {
    api: withoutSlash(given.get("api")!),
    supabase_url,
    publishable_key,
    connect: withoutSlash(given.get("connect") ?? `${supabase_url}/functions/v1/connect`),
  };
}

function wrongWithAddress(text: string): string | null {
  if (!URL.canParse(text)) return `${JSON.stringify(text)} is no address, it begins with https://`;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback)) {
    return `${JSON.stringify(text)} has to begin with https://`;
  }
  // What stands there may be a credential, so it is not said again.
  if (username !== "" || password !== "") return "it names a user, and a browser asks no such address";
  return search !== "" || hash !== "" ? "it ends with its path, without ? and #" : null;
}

/** Everyone who opens the console reads the key, so one that opens more than sign-in is not taken. */
function wrongWithKey(key: string): string | null {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(key) ?? [];
  if (key.startsWith("sb_secret_") || (payload !== undefined && roleOf(payload) !== "anon")) {
    return "this one is secret, and everyone who opens the console could read it";
  }
  if (payload !== undefined || /^[\w-]+$/.test(key)) return null;
  return "what was given has characters that no key has";
}

/** What an old project's key is for; it is a token. */
function roleOf(payload: string): unknown {
  try {
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))).role;
  } catch {
    return null;
  }
}

function withoutSlash(address: string): string {
  return new URL(address).href.replace(/\/+$/, "");
}

function splitOnce(arg: string): [string, string] {
  const at = arg.indexOf("=");
  return [arg.slice(0, at), arg.slice(at + 1)];
}
