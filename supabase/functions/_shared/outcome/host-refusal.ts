/** A refusal as a host is told it: without the names of secrets and of the other system's host. Pure. */

import type { Refusal } from "./result.ts";

/** What a secret may be called: no other word of ours looks like it. */
const SECRET_NAME = /\bCONNECTOR_[A-Z0-9_]{1,55}\b/g;
/** One, or several in a row. */
const SECRET_NAMES = new RegExp(`${SECRET_NAME.source}(?:(?:, and |, | and )${SECRET_NAME.source})*`, "g");

/**
 * The refusal in words that tell nothing of how a tool works: `host`, where the tool has one, is "the other system", and a
 * secret is "a secret". Told by form and not case by case, so that a refusal nobody thought of tells no more.
 */
export function refusalForHost(refusal: Refusal, { host }: { host: string | null }): Refusal {
  const { detail, hint, problems } = refusal;
  const say = (text: string) => textForHost(text, { host });
  return {
    ...refusal,
    ...(detail === undefined ? {} : { detail: say(detail) }),
    ...(hint === undefined ? {} : { hint: say(hint) }),
    ...(problems === undefined ? {} : { problems: problems.map(say) }),
  };
}

/** The same for one text. */
export function textForHost(text: string, { host }: { host: string | null }): string {
  const nameless = text.replace(SECRET_NAMES, (names) => {
    const { length } = names.match(SECRET_NAME)!;
    return length === 1 ? "a secret" : `${length} secrets`;
  });
  if (host === null) return nameless;
  return nameless.replace(
    patternOf(host),
    (_, at: number) => startsSentence(nameless, at) ? THE_OTHER : OTHER,
  );
}

const OTHER = "the other system";
const THE_OTHER = "The other system";

function startsSentence(text: string, at: number): boolean {
  return at === 0 || /[.:!?] $/.test(text.slice(0, at));
}

/** The host as a file writes it: a placeholder stands for one label, and the port may be left out where it is told. */
function patternOf(host: string): RegExp {
  const [, name = "", port = ""] = /^(.*?)(:[0-9]+)?$/.exec(host) ?? [];
  const written = name.split(/\{[^}]*\}/).map(escape).join("[a-z0-9-]+");
  const withPort = port === "" ? "(?::443)?" : `(?:${escape(port)})?`;
  return new RegExp(`(?:\\bthe name )?(?<![a-z0-9.-])${written}\\.?${withPort}(?![a-z0-9-])`, "gi");
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
