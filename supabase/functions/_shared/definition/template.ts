/**
 * The texts of a request template, read into pieces: `{name}` is an argument, `{{key}}` a credential, `\{` a brace.
 * Pure. Where a piece may stand and how it is encoded is `request/`'s business.
 */

import { isPlainName, nameOf, nearest } from "./words.ts";
import { CREDENTIAL_KEYS, type CredentialKey, isCredentialKey } from "./credentials.ts";
import type { RequestContext } from "./request/request-template.ts";

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "argument"; readonly name: string }
  | { readonly kind: "credential"; readonly key: CredentialKey; readonly base64: boolean };

export interface Template {
  readonly pieces: readonly Piece[];
  /** What is wrong with its braces, one for each; those are no pieces. */
  readonly faults: readonly string[];
}

/** `\{`, a placeholder of a credential, one of an argument, or a brace that opens neither. */
const BRACE = /\\\{|\{\{([^{}]*)\}\}|\{([^{}]*)\}|\{/g;
const ARGUMENT = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Faults of one text that are told. */
const MAX_FAULTS = 50;

/**
 * The pieces of `text`, in order and without empty ones, and what is wrong with its braces, each by its place: a text
 * that begins at character `from` of what its reader sees. A closing brace that closes nothing is text. Knows nothing
 * of which arguments and credentials there are but the closed list of keys, and repeats nothing it does not know.
 */
export function readTemplate(text: string, from = 0): Template {
  const pieces: Piece[] = [];
  const faults: string[] = [];
  let written = "";
  let copiedTo = 0;
  let character = from;
  for (const match of text.matchAll(BRACE)) {
    const [brace, credential, argument] = match;
    const before = text.slice(copiedTo, match.index);
    written += before;
    copiedTo = match.index + brace.length;
    const place = `at character ${character + codePoints(before) + 1}`;
    character += codePoints(before) + codePoints(brace);
    if (brace === "\\{") {
      written += "{";
      continue;
    }
    const piece = credential !== undefined
      ? readCredential(credential, place)
      : readArgument(argument, place);
    if (typeof piece === "string") {
      faults.push(piece);
      if (faults.length === MAX_FAULTS) return { pieces, faults };
      continue;
    }
    if (written !== "") pieces.push({ kind: "text", text: written });
    written = "";
    pieces.push(piece);
  }
  written += text.slice(copiedTo);
  if (written !== "") pieces.push({ kind: "text", text: written });
  return { pieces, faults };
}

/** The pieces of a template that passed the check. */
export function piecesOf(text: string): readonly Piece[] {
  const { pieces, faults } = readTemplate(text);
  if (faults.length > 0) throw new TypeError("A template is filled that did not pass the check");
  return pieces;
}

interface TemplateOptions {
  readonly context: RequestContext;
  /** By its place a credential could stand in the text, so nothing between braces is repeated. */
  readonly secretive?: boolean;
}

/** What is wrong with a template: with its braces, then with what its placeholders name. */
export function checkTemplate({ pieces, faults }: Template, options: TemplateOptions): string[] {
  return [...faults, ...checkPieces(pieces, options)];
}

/** What is wrong with the placeholders among `pieces`: each argument is declared, each credential is given. */
function checkPieces(pieces: readonly Piece[], { context, secretive = false }: TemplateOptions): string[] {
  const { names, credentials, near = (name) => nearest(name, names), server = false } = context;
  const problems = new Set<string>();
  for (const piece of pieces) {
    if (piece.kind === "argument" && server) {
      problems.add("no call fills anything in here; write the value out instead of {…}");
    } else if (piece.kind === "argument" && !names.has(piece.name)) {
      const meant = near(piece.name);
      const found = secretive || !isPlainName(piece.name) ? "what {…} holds" : `{${piece.name}}`;
      const instead = meant === null
        ? "declare it under arguments.properties"
        : `did you mean {${nameOf(meant)}}?`;
      problems.add(`${found} is no declared argument; ${instead}`);
    }
    if (piece.kind === "credential" && !credentials.has(piece.key)) {
      problems.add(`{{${piece.key}}} is used but not given; ${whereGiven(piece.key, server)}`);
    }
  }
  return [...problems];
}

function whereGiven(key: CredentialKey, server: boolean): string {
  if (server) {
    return key === "secret"
      ? "name its secret in mcp.auth.secret"
      : "an MCP server is sent {{secret}} and nothing else";
  }
  return `name its secret in ${key === "secret" ? "auth.secret" : `auth.env.${key}`}`;
}

/** The one argument a template is nothing but, or `null`. */
export function soleArgument(pieces: readonly Piece[]): string | null {
  const [piece, ...more] = pieces;
  return piece?.kind === "argument" && more.length === 0 ? piece.name : null;
}

function readCredential(inside: string, place: string): Piece | string {
  const [key = "", filter] = inside.split("|", 2);
  if (isCredentialKey(key) && (inside === key || inside === `${key}|base64`)) {
    return { kind: "credential", key, base64: filter !== undefined };
  }
  const keys = CREDENTIAL_KEYS.map((key) => `{{${key}}}`).join(", ");
  return `what {{…}} ${place} holds is no credential; known are ${keys}, each also with |base64`;
}

function readArgument(inside: string | undefined, place: string): Piece | string {
  if (inside !== undefined && ARGUMENT.test(inside)) return { kind: "argument", name: inside };
  const found = inside === undefined
    ? `the brace { ${place} opens no placeholder`
    : `what {…} ${place} holds is no name`;
  return `${found}; write {name} for an argument, {{secret}} for a credential, or \\{ for a brace as text where one may stand`;
}

function codePoints(text: string): number {
  let points = 0;
  for (const _ of text) points++;
  return points;
}
