/** Where the API is and with which key it is asked, as the environment says. Pure. */

/** What is wrong with how a program was called, and what to do, in one line. */
export interface UsageProblem {
  readonly usage: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ApiAddress {
  /** Base URL of the API, without a slash at the end. */
  readonly apiBase: string;
  /** Null where the environment has none. */
  readonly apiKey: string | null;
}

const DEFAULT_API_BASE = "https://www.framed.dev/api";

/**
 * The address by `FRAMED_API_BASE` and the key by `FRAMED_API_KEY`. Refuses a key that can be none, an address that is
 * none or holds the key, and http to another machine. Repeats no credential.
 */
export function readApiAddress(env: Environment): ApiAddress | UsageProblem {
  const apiKey = (env.FRAMED_API_KEY ?? "").trim();
  if (!/^[!-~]*$/.test(apiKey)) {
    return {
      usage: "FRAMED_API_KEY holds what no key has, such as a space or a line break: copy it once more.",
    };
  }
  const base = env.FRAMED_API_BASE?.trim() || DEFAULT_API_BASE;
  if (apiKey !== "" && base.includes(apiKey)) {
    return { usage: "FRAMED_API_BASE holds the key: it goes in FRAMED_API_KEY alone." };
  }
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    return { usage: `FRAMED_API_BASE is no address of an API: write it like ${DEFAULT_API_BASE}.` };
  }
  if (url.username !== "" || url.password !== "") {
    return { usage: "FRAMED_API_BASE carries a user or a password: the key alone says who calls." };
  }
  if (url.protocol === "http:" && !isThisMachine(url.hostname)) {
    return {
      usage:
        "FRAMED_API_BASE is http: the key would travel in the clear. Use https, or http on this machine.",
    };
  }
  return { apiBase: url.href.replace(/\/+$/, ""), apiKey: apiKey === "" ? null : apiKey };
}

/** Whether what goes to this host stays on this machine. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
