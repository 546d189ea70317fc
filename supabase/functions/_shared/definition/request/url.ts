/** The URL of a request: checked, and filled. Pure. */

import { findUrlFaults } from "../../egress/url.ts";
import { quote } from "../words.ts";
import { isCredential } from "../credentials.ts";
import type { Path, Problem } from "../problem.ts";
import { checkTemplate, piecesOf, readTemplate } from "../template.ts";
import { argumentPath, type Filling, fillPieces, isFull, note, put } from "./filling.ts";
import { checkHost, checkHostCharacters, fillHost } from "./host.ts";
import { type HoledText, isDotPiece, percentEncode, withStandIns } from "./holes.ts";
import type { RequestContext } from "./request-template.ts";

export interface UrlParts {
  readonly authority: string;
  readonly path: string;
  /** Without its `?`; empty when there is none. */
  readonly query: string;
  /** Where in the URL the query begins, or would. */
  readonly queryAt: number;
}

/** The parts of a URL template, `null` when it does not begin as one. What is no https, or a fragment, the check tells. */
export function splitUrl(url: string): UrlParts | null {
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url);
  if (parts === null) return null;
  const [, scheme = "", authority = "", path = "", query = ""] = parts;
  return { authority, path, query, queryAt: scheme.length + authority.length + path.length + 1 };
}

/** What is wrong with a URL template, but for what its query says (`query.ts`). */
export function checkUrl(url: string, { path, context }: { path: Path; context: RequestContext }): Problem[] {
  return urlProblems(url, context).map((says) => ({ path, says }));
}

function urlProblems(url: string, context: RequestContext): string[] {
  const slashed = url.replace(/\\\{[^{}]*\}?|\\/g, "x");
  const problems = slashed === url
    ? []
    : ["a backslash has no place in an address; a brace as text is written %7B"];
  const parts = splitUrl(slashed);
  const head = parts === null ? slashed : slashed.slice(0, parts.queryAt - 1);
  problems.push(...checkTemplate(readTemplate(head), { context }));
  if (parts === null) return [...problems, ...faultsOf(slashed)];
  const hostProblems = [...checkHostCharacters(parts.authority), ...checkHost(parts.authority, context)];
  problems.push(...hostProblems, ...checkPath(parts.path, context));
  // A host that is wrong by its placeholder is told once; the rest of the address is looked at all the same.
  const authorityAt = head.length - parts.path.length - parts.authority.length;
  const judged = hostProblems.length === 0
    ? slashed
    : `${head.slice(0, authorityAt)}host.example${slashed.slice(authorityAt + parts.authority.length)}`;
  return [...problems, ...faultsOf(judged)];
}

/**
 * The URL without its query, `null` when its argument would lead to another owner's host. A piece of the path that
 * is empty, `.` or `..` is noted as the argument's problem.
 */
export function fillAddress({ authority, path }: UrlParts, filling: Filling): HoledText | null {
  const host = fillHost(authority, filling);
  if (host === null) return null;
  return [put(`https://${host}`, { part: "address", filling }), ...fillPath(path, filling)];
}

function faultsOf(url: string): readonly string[] {
  return findUrlFaults(url.replace(/\{\{[^{}]*\}\}|\{[^{}]*\}|\{/g, "x"));
}

function checkPath(path: string, { names, required }: RequestContext): string[] {
  const problems = new Set<string>();
  for (const piece of readTemplate(path).pieces) {
    if (piece.kind === "argument" && names.has(piece.name) && !required.has(piece.name)) {
      problems.add(`{${piece.name}} stands in the path; add it to arguments.required`);
    }
    if (piece.kind === "credential" && isCredential(piece.key)) {
      problems.add(`{{${piece.key}}} may not stand in the path; put it in a header, the query or the body`);
    }
  }
  return [...problems];
}

function fillPath(path: string, filling: Filling): HoledText {
  const judge = (text: string, at: Path) => {
    if (isDotPiece(text)) {
      note({ path: at, says: `found ${quote(text)}, which has no place in a path` }, filling);
    }
  };
  return path.split("/").flatMap((segment, index): HoledText => {
    const pieces = piecesOf(segment);
    const filled = fillPieces(pieces, { filling, place: "path", encode: percentEncode, judge });
    if (filled === null) noteAbsent(segment, filling);
    else if (filled.length > 1 && !isFull("address", filling) && isDotPiece(withStandIns(filled))) {
      const names = pieces.flatMap((piece) => piece.kind === "argument" ? [piece.name] : []);
      const says = "makes a . or .. of its piece of the path, which leads to another address";
      for (const name of names) note({ path: argumentPath(name), says }, filling);
    }
    return index === 0 ? filled ?? [] : [put("/", { part: "address", filling }), ...filled ?? []];
  });
}

function noteAbsent(segment: string, filling: Filling): void {
  for (const piece of piecesOf(segment)) {
    if (piece.kind === "argument" && !Object.hasOwn(filling.args, piece.name)) {
      note({ path: argumentPath(piece.name), says: "missing; the address needs it" }, filling);
    }
  }
}
