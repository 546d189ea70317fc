/** A form made from the `arguments` of a tool: which field each argument gets, and what was typed as arguments. Pure. */

import type { JsonObject, JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";
import { argumentsInWords, isObject } from "./file-words.ts";

export interface ArgumentKind {
  readonly name: string;
  readonly control: "text" | "long" | "number" | "boolean" | "choice" | "json";
  readonly choices: readonly JsonValue[];
  readonly isWhole: boolean;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string;
}

/** What stands in each field: a text, for a choice the number of it, for yes or no `true` and `false`; "" where nothing does. */
export type Typed = Readonly<Record<string, string>>;

const LONG_FROM = 200;

export function fieldsOf(schema: unknown): ArgumentKind[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return argumentsInWords(schema).map((said) => {
    const one = properties[said.name];
    const choices = isObject(one) && Array.isArray(one.enum) ? one.enum : [];
    return {
      ...said,
      choices,
      control: choices.length > 0 ? "choice" : controlOf(one),
      isWhole: isObject(one) && one.type === "integer",
    };
  });
}

function controlOf(schema: JsonValue | undefined): ArgumentKind["control"] {
  if (!isObject(schema)) return "json";
  switch (schema.type) {
    case "string":
      return typeof schema.maxLength === "number" && schema.maxLength >= LONG_FROM ? "long" : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

/** The arguments that were typed, those left empty left out; or what is wrong, by the name of the argument. */
export function readArguments(
  fields: readonly ArgumentKind[],
  typed: Typed,
): { args: JsonObject; faults: ReadonlyMap<string, string> } {
  const entries: [string, JsonValue][] = [];
  const faults = new Map<string, string>();
  for (const field of fields) {
    const text = typed[field.name] ?? "";
    if (text === "") {
      if (field.isRequired) faults.set(field.name, "A call needs this.");
      continue;
    }
    const read = readValue(field, text);
    if (typeof read === "string") faults.set(field.name, read);
    else entries.push([field.name, read.value]);
  }
  // Names of strangers: none may reach a prototype.
  return { args: Object.fromEntries(entries), faults };
}

/** The value, or in words why there is none. */
function readValue(field: ArgumentKind, text: string): { value: JsonValue } | string {
  switch (field.control) {
    case "text":
    case "long":
      return { value: text };
    case "choice":
      return { value: field.choices[Number(text)]! };
    case "boolean":
      return { value: text === "true" };
    case "number": {
      const number = Number(text.trim());
      if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) || !Number.isFinite(number)) {
        return "A number is wanted, such as 12 or 12.5.";
      }
      if (field.isWhole && !Number.isSafeInteger(number)) return "A whole number is wanted.";
      return { value: number };
    }
    case "json":
      try {
        return { value: JSON.parse(text) as JsonValue };
      } catch {
        return 'JSON is wanted, such as "a text", 12, ["a", "b"] or {"name": "Acme"}.';
      }
    default:
      return field.control satisfies never;
  }
}
