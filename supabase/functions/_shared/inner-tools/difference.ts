/** What a server tells of a tool now, against what was accepted of it: in words, for the person who is to accept it. Pure. */

import { canonicalJson } from "../definition/canonical-json.ts";
import { revealHidden } from "../definition/hidden.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import type { KnownTool, ToldTool } from "./inner-tool.ts";

/** The most lines that are told, and the most characters of one value in them. */
const MAX_LINES = 60;
const MAX_SHOWN = 1_000;
/** How much of what is the same is shown before a difference far inside of a long value. */
const AROUND = 40;

/**
 * A line for each thing that is another one now, none where all is as it was accepted. Of a tool that nobody has accepted
 * yet, a line for everything it says. Values stand as JSON, with what hides or turns text around made visible.
 */
export function describeDifference({ told, accepted }: Pick<KnownTool, "told" | "accepted">): string[] {
  const lines = accepted === null ? describeNew(told) : describeChanges(accepted.told, told);
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more lines`];
}

const NOTHING: Omit<ToldTool, "name"> = {
  title: null,
  description: null,
  inputSchema: {},
  outputSchema: null,
  annotations: {},
};

function describeNew(told: ToldTool): string[] {
  return ["It appeared after the first list.", ...describeChanges({ ...NOTHING, name: told.name }, told)];
}

function describeChanges(was: ToldTool, is: ToldTool): string[] {
  const [wasArguments, isArguments] = [argumentsOf(was.inputSchema), argumentsOf(is.inputSchema)];
  return [
    ...change("title", was.title ?? undefined, is.title ?? undefined),
    ...change("description", was.description ?? undefined, is.description ?? undefined),
    ...changesIn(was.annotations, is.annotations, (key) => `annotation ${key}`),
    ...changesIn(wasArguments.properties, isArguments.properties, (name) => `argument ${shown(name)}`),
    ...change("arguments that have to be there", wasArguments.required, isArguments.required),
    ...changesIn(wasArguments.rest, isArguments.rest, (key) => `${shown(key)} of all arguments`),
    ...change("what it answers", was.outputSchema ?? undefined, is.outputSchema ?? undefined),
  ];
}

/** A schema apart: its arguments one by one, which are required, and what else it says. */
function argumentsOf({ properties, required, type: _type, ...rest }: JsonObject) {
  return { properties: isJsonObject(properties) ? properties : {}, required, rest };
}

function changesIn(was: JsonObject, is: JsonObject, nameOf: (key: string) => string): string[] {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return keys.flatMap((key) => change(nameOf(key), own(was, key), own(is, key)));
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function change(what: string, was: JsonValue | undefined, is: JsonValue | undefined): string[] {
  if (was === undefined && is === undefined) return [];
  if (was === undefined) return [`${what}: new, ${shown(is!)}`];
  if (is === undefined) return [`${what}: gone, was ${shown(was)}`];
  if (canonicalJson(was) === canonicalJson(is)) return [];
  const [before, after] = [visible(was), visible(is)];
  const from = before.length > MAX_SHOWN || after.length > MAX_SHOWN ? firstDifference(before, after) : 0;
  return [`${what}: was ${clip(before, from)}, is now ${clip(after, from)}`];
}

/** Where the two begin to differ, less what lets a reader find the place. */
function firstDifference(before: readonly string[], after: readonly string[]): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return Math.max(0, at - AROUND);
}

/** The characters of the value as JSON, each of them one that can be seen. */
function visible(value: JsonValue): string[] {
  return [...revealHidden(JSON.stringify(value))];
}

function shown(value: JsonValue): string {
  return clip(visible(value), 0);
}

function clip(characters: readonly string[], from: number): string {
  const end = from + MAX_SHOWN;
  const left = characters.length - end;
  return (from > 0 ? `(after ${from} characters that are the same) …` : "") +
    characters.slice(from, end).join("") +
    (left > 0 ? `… (${left} more characters)` : "");
}
