/** Form fields: scalars and lists of scalars, a list as repeated fields. Pure. */

import { kindOf } from "../words.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { piecesOf, readTemplate, soleArgument } from "../template.ts";
import { argumentOf, argumentPath, type Filling, fillPieces, isFull, put, scalarText } from "./filling.ts";
import { formEncode, type HoledText } from "./holes.ts";

/** What of `body` no form can hold. */
export function checkForm(body: JsonValue, path: Path): Problem[] {
  if (isJsonObject(body)) {
    return Object.entries(body).flatMap(([key, value]) => checkField(value, [...path, key]));
  }
  if (typeof body === "string") {
    const { pieces, faults } = readTemplate(body);
    if (faults.length > 0 || soleArgument(pieces) !== null) return [];
  }
  return [{ path, says: `found ${kindOf(body)}; a form is an object of fields` }];
}

/** The filled form. An absent argument leaves its field or its list element out. */
export function fillForm(body: JsonObject, filling: Filling): HoledText {
  return joined(Object.entries(body).flatMap(([key, value]) => fillField(key, { value, filling })));
}

/** The form that `values`, which come from the call, are written as. `path` is where they come from. */
export function formOf(values: JsonObject, { path, filling }: { path: Path; filling: Filling }): HoledText {
  return joined(
    Object.entries(values).flatMap(([key, value]) => fieldsOf(key, { value, path: [...path, key], filling })),
  );
}

function checkField(value: JsonValue, path: Path): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => checkScalar(item, [...path, at]));
  return checkScalar(value, path);
}

function checkScalar(value: JsonValue, path: Path): Problem[] {
  if (value !== null && typeof value !== "object") return [];
  return [{
    path,
    says: `found ${kindOf(value)}; a form field is a text, a number, true, false, or a list of these`,
  }];
}

function fillField(key: string, { value, filling }: { value: JsonValue; filling: Filling }): HoledText[] {
  if (isFull("body", filling)) return [];
  if (Array.isArray(value)) return value.flatMap((item) => fillField(key, { value: item, filling }));
  if (typeof value !== "string") return [[formName(key, { filling }) + formText(String(value), { filling })]];
  const pieces = piecesOf(value);
  const sole = soleArgument(pieces);
  if (sole !== null) {
    const given = argumentOf(sole, filling);
    return given === undefined ? [] : fieldsOf(key, { value: given, path: argumentPath(sole), filling });
  }
  const filled = fillPieces(pieces, { filling, place: "form", encode: formEncode, encodeText: formEncode });
  return filled === null ? [] : [[formName(key, { filling }), ...filled]];
}

interface Given {
  /** Where in the arguments it comes from; as a whole by default. */
  readonly path?: Path;
  readonly filling: Filling;
}

function fieldsOf(
  key: string,
  { value, path, filling }: Required<Given> & { value: JsonValue },
): HoledText[] {
  if (!Array.isArray(value)) return [[fieldOf(key, { value, path, filling })]];
  const fields: HoledText[] = [];
  for (const [at, item] of value.entries()) {
    if (isFull("body", filling)) break;
    fields.push([fieldOf(key, { value: item, path: [...path, at], filling })]);
  }
  return fields;
}

function fieldOf(key: string, { value, path, filling }: Required<Given> & { value: JsonValue }): string {
  const text = scalarText(value, { path, filling }) ?? "";
  return formName(key, { path, filling }) + formText(text, { path, filling });
}

function formName(key: string, given: Given): string {
  return put(key, { part: "body", ...given, encode: (text) => `${formEncode(text)}=` });
}

function formText(text: string, given: Given): string {
  return put(text, { part: "body", ...given, encode: formEncode });
}

function joined(fields: readonly HoledText[]): HoledText {
  return fields.flatMap((field, at) => at === 0 ? field : ["&", ...field]);
}
