/** The body of a request, as JSON or as a form: checked, and filled. Pure. */

import { kindOf, quote } from "../words.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { checkTemplate, piecesOf, readTemplate, soleArgument, type Template } from "../template.ts";
import { isCredentialValue } from "./credential-value.ts";
import {
  argumentOf,
  argumentPath,
  ARGUMENTS,
  type Filling,
  fillPieces,
  isFull,
  note,
  put,
} from "./filling.ts";
import { checkForm, fillForm, formOf } from "./form.ts";
import { type HoledText, jsonEncode } from "./holes.ts";
import { isCredentialField, overridesMethod } from "./names.ts";
import type { RequestContext } from "./request-template.ts";

const SAYS_OVERRIDE = "makes another method of the call; write the method under method";

interface CheckOptions {
  readonly path: Path;
  readonly context: RequestContext;
}

interface FillOptions {
  readonly format: "json" | "form";
  readonly filling: Filling;
}

/** What is wrong with `body`. */
export function checkBody(
  body: JsonValue,
  { format, ...options }: CheckOptions & { format: "json" | "form" },
): Problem[] {
  const overrides = isJsonObject(body) ? Object.keys(body).filter(overridesMethod) : [];
  return [
    ...overrides.map((key) => ({ path: [...options.path, key], says: SAYS_OVERRIDE })),
    ...checkValue(body, options),
    ...(format === "form" ? checkForm(body, options.path) : []),
  ];
}

/** The filled body, `null` when nothing is left of it. An absent argument drops its key or list element. */
export function fillBody(body: JsonValue, { format, filling }: FillOptions): HoledText | null {
  const sole = typeof body === "string" ? soleArgument(piecesOf(body)) : null;
  if (sole === null) {
    return format === "json" ? fillJson(body, filling) : fillForm(body as JsonObject, filling);
  }
  const value = argumentOf(sole, filling);
  return value === undefined ? null : wholeBody(value, { format, filling, path: argumentPath(sole) });
}

/** The body of a request that has none written: `args` as one object, each with its type. */
export function defaultBody(args: JsonObject, options: FillOptions): HoledText {
  return wholeBody(args, { ...options, path: ARGUMENTS });
}

/** A body that comes from the call alone, so what its keys do is looked at now. */
function wholeBody(value: JsonValue, { format, filling, path }: FillOptions & { path: Path }): HoledText {
  for (const key of isJsonObject(value) ? Object.keys(value).filter(overridesMethod) : []) {
    note({ path: [...path, key], says: SAYS_OVERRIDE }, filling);
  }
  if (format === "json") return [putJson(value, { path, filling })];
  if (isJsonObject(value)) return formOf(value, { path, filling });
  note({ path, says: `found ${kindOf(value)}; an object of form fields is wanted` }, filling);
  return [];
}

/** `field` is the name of the field that the value, or the list it is in, stands in. */
function checkValue(value: JsonValue, options: CheckOptions & { field?: string }): Problem[] {
  const { path, context, field } = options;
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => checkValue(item, { ...options, path: [...path, at] }));
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, inner]) => [
      ...checkKey(key, [...path, key]),
      ...checkValue(inner, { path: [...path, key], context, field: key }),
    ]);
  }
  const secretive = field !== undefined && isCredentialField(field);
  const template = typeof value === "string" ? readTemplate(value) : null;
  const says = template === null ? [] : checkTemplate(template, { context, secretive });
  if (secretive && holdsLiteral(value, template)) {
    says.push(
      `the field ${
        quote(field)
      } carries a credential by its name; a placeholder such as {{secret}} is wanted`,
    );
  }
  return says.map((says) => ({ path, says }));
}

function checkKey(key: string, path: Path): Problem[] {
  if (!/\{[^{}]*\}/.test(key)) return [];
  return [{ path, says: 'a placeholder stands for a key; it may stand for a value: "name": "{name}"' }];
}

/** Whether a value is written out where only placeholders may stand: a number, or letters and digits of a text. */
function holdsLiteral(value: JsonValue, template: Template | null): boolean {
  if (template === null) return typeof value === "number";
  if (isCredentialValue(value as string)) return false;
  return template.pieces.some((piece) => piece.kind === "text" && /[\p{L}\p{N}]/u.test(piece.text));
}

function fillJson(value: JsonValue, filling: Filling): HoledText | null {
  if (typeof value === "string") return fillJsonText(value, filling);
  if (Array.isArray(value)) {
    const items = value.map((item) => fillJson(item, filling)).filter((item) => item !== null);
    return ["[", ...joined(items), "]"];
  }
  if (!isJsonObject(value)) return [putJson(value, { filling })];
  const members = Object.entries(value).flatMap(([key, inner]): HoledText[] => {
    const filled = fillJson(inner, filling);
    return filled === null ? [] : [[`${putJson(key, { filling })}:`, ...filled]];
  });
  return ["{", ...joined(members), "}"];
}

function fillJsonText(text: string, filling: Filling): HoledText | null {
  const pieces = piecesOf(text);
  const sole = soleArgument(pieces);
  if (sole !== null) {
    const value = argumentOf(sole, filling);
    return value === undefined ? null : [putJson(value, { path: argumentPath(sole), filling })];
  }
  const filled = fillPieces(pieces, { filling, place: "json", encode: jsonEncode, encodeText: jsonEncode });
  return filled === null ? null : ['"', ...filled, '"'];
}

/** The file's own brackets and commas are not counted: nothing repeats them. */
function putJson(value: JsonValue, { path, filling }: { path?: Path; filling: Filling }): string {
  return isFull("body", filling) ? "" : put(JSON.stringify(value), { part: "body", path, filling });
}

function joined(parts: readonly HoledText[]): HoledText {
  return parts.flatMap((part, at) => at === 0 ? part : [",", ...part]);
}
