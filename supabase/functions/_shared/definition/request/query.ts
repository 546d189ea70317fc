/** The query of a request, from its URL and from `query`: checked, and filled pair by pair. Pure. */

import { quote } from "../words.ts";
import type { Path, Problem } from "../problem.ts";
import { checkTemplate, piecesOf, readTemplate, soleArgument } from "../template.ts";
import { isCredentialValue } from "./credential-value.ts";
import { argumentOf, argumentPath, type Filling, fillPieces, isFull, put, scalarText } from "./filling.ts";
import { type HoledText, percentEncode } from "./holes.ts";
import { isCredentialParameter, overridesMethod } from "./names.ts";
import type { RequestContext, RequestTemplate } from "./request-template.ts";

interface Pair {
  readonly path: Path;
  /** As a reader of the query understands it. */
  readonly name: string;
  /** As it is sent. */
  readonly encodedName: string;
  /** `null` for a name without `=`. */
  readonly value: string | null;
  /** Whether the template's own text is percent-encoded already, as it is in a URL. */
  readonly encoded: boolean;
  /** The character of the URL or of the value itself at which `value` begins, from 0. */
  readonly from: number;
}

/** What is wrong with the query of the URL, which begins at its character `from`, and with `query`. */
export function checkQuery(
  { inUrl, from, query }: { inUrl: string; from: number; query: unknown },
  { path, context }: { path: Path; context: RequestContext },
): Problem[] {
  const ofUrl = { path: [...path, "url"], from };
  return [
    ...[...pairsOfUrl(inUrl, ofUrl), ...pairsOfQuery(query, [...path, "query"])]
      .flatMap((pair) => checkPair(pair, context).map((says) => ({ path: pair.path, says }))),
    ...checkSplit(inUrl, ofUrl),
  ];
}

/**
 * Servers of older frameworks part a query at `;` too: what they would read as a parameter is looked at by its name. Not
 * what reads as a filter, where `;` is an "and": `name==x;key==y`, `key=gt=5`.
 */
function checkSplit(inUrl: string, ofUrl: { path: Path; from: number }): Problem[] {
  if (!inUrl.includes(";")) return [];
  const whole = new Set(pairsOfUrl(inUrl, ofUrl).map(({ encodedName, value }) => `${encodedName}=${value}`));
  return pairsOfUrl(inUrl, ofUrl, /[&;]/)
    .filter(({ encodedName, value }) => !whole.has(`${encodedName}=${value}`))
    .filter(({ value }) => !/^(?:=|[a-z]{2,7}=.)/.test(value ?? ""))
    .flatMap(({ path, name, value }) => checkName(name, value).map((says) => ({ path, says })));
}

/** The filled query without its `?`; `null` when no pair is left. An absent argument leaves its whole pair out. */
export function fillQuery(
  { inUrl, query }: { inUrl: string; query: RequestTemplate["query"] },
  filling: Filling,
): HoledText | null {
  const pairs = [...pairsOfUrl(inUrl), ...pairsOfQuery(query, [])].flatMap((pair) => fillPair(pair, filling));
  return pairs.length === 0 ? null : pairs.flatMap((pair, at) => at === 0 ? pair : ["&", ...pair]);
}

/** Which argument fills each parameter that is filled by one argument and nothing else. */
export function argumentsOfQuery(
  { inUrl, query }: { inUrl: string; query: RequestTemplate["query"] },
): Map<string, string> {
  return new Map(
    [...pairsOfUrl(inUrl), ...pairsOfQuery(query, [])].flatMap(({ name, value }): [string, string][] => {
      const sole = value === null ? null : soleArgument(piecesOf(value));
      return sole === null ? [] : [[name, sole]];
    }),
  );
}

function checkPair({ name, value, from }: Pair, context: RequestContext): string[] {
  const problems: string[] = [];
  if (/\{[^{}]*\}/.test(name)) {
    problems.push("a placeholder stands for a query parameter's name; it may stand for a value: name={name}");
  }
  if (value !== null && value !== "") {
    const secretive = isCredentialParameter(name);
    problems.push(...checkTemplate(readTemplate(value, from), { context, secretive }));
  }
  return [...problems, ...checkName(name, value)];
}

/** What is wrong with a parameter by its name. */
function checkName(name: string, value: string | null): string[] {
  const problems: string[] = [];
  if (overridesMethod(name)) {
    problems.push(
      `the parameter ${quote(name)} makes another method of the call; write the method under method`,
    );
  }
  if (value === null || value === "" || !isCredentialParameter(name)) return problems;
  if (soleArgument(readTemplate(value).pieces) === null && !isCredentialValue(value)) {
    problems.push(
      `the parameter ${
        quote(name)
      } carries a credential by its name; a placeholder such as {{secret}} is wanted, never the value`,
    );
  }
  return problems;
}

/** Each pair takes the `?` or `&` in front of it as well. */
function fillPair({ encodedName, value, encoded }: Pair, filling: Filling): HoledText[] {
  const name = (text: string, path?: Path) => put(`&${text}`, { part: "address", path, filling }).slice(1);
  if (value === null) return [[name(encodedName)]];
  const pieces = piecesOf(value);
  const sole = soleArgument(pieces);
  const list = sole === null ? undefined : argumentOf(sole, filling);
  if (sole !== null && Array.isArray(list)) {
    const pairs: HoledText[] = [];
    for (const [at, item] of list.entries()) {
      if (isFull("address", filling)) break;
      const path = [...argumentPath(sole), at];
      const text = scalarText(item, { path, filling }) ?? "";
      const named = name(`${encodedName}=`, path);
      pairs.push([named + put(text, { part: "address", path, filling, encode: percentEncode })]);
    }
    return pairs;
  }
  const encodeText = encoded ? undefined : percentEncode;
  const filled = fillPieces(pieces, { filling, place: "query", encode: percentEncode, encodeText });
  return filled === null ? [] : [[name(`${encodedName}=`), ...filled]];
}

function pairsOfUrl(
  inUrl: string,
  { path, from }: { path: Path; from: number } = { path: [], from: 0 },
  separator: string | RegExp = "&",
): Pair[] {
  const pairs: Pair[] = [];
  let begins = from;
  for (const text of inUrl.split(separator)) {
    const at = text.indexOf("=");
    const encodedName = at < 0 ? text : text.slice(0, at);
    const value = at < 0 ? null : text.slice(at + 1);
    const pair = {
      path,
      name: decode(encodedName),
      encodedName,
      value,
      encoded: true,
      from: begins + at + 1,
    };
    if (text !== "") pairs.push(pair);
    begins += text.length + 1;
  }
  return pairs;
}

/** What is no text, number, true or false is passed over: the format tells. */
function pairsOfQuery(query: unknown, path: Path): Pair[] {
  if (typeof query !== "object" || query === null || Array.isArray(query)) return [];
  return Object.entries(query)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => ({
      path: [...path, name],
      name,
      encodedName: percentEncode(name.toWellFormed()),
      value: String(value),
      encoded: false,
      from: 0,
    }));
}

function decode(text: string): string {
  return [...new URLSearchParams(`${text}=`).keys()][0] ?? text;
}
