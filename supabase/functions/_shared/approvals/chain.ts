/**
 * The values in a chain's arguments that earlier calls of it answer, `{{calls.<n>.result.<path>}}`: found and judged when
 * it is proposed, filled in when its call is sent. Pure. Only what came as a chain is looked at: of a single call `{{` is
 * data like any other.
 */

import { isStorable } from "../db/storable.ts";
import { LATE, LATE_TEXT } from "../definition/arguments/late.ts";
import { checkCall, findUnfit, type ToolCall } from "../definition/call.ts";
import { requestOf } from "../definition/call-request.ts";
import { fillValue } from "../definition/fill.ts";
import type { FramedTool } from "../definition/format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { findPlaceholders, type Placeholder } from "../definition/placeholder.ts";
import { formatProblems, type Path, type Problem } from "../definition/problem.ts";
import { hostOf, prepareRequest } from "../definition/request.ts";
import { quote } from "../definition/words.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import type { LateValue } from "./approval.ts";

/** One call of a chain with the file of its tool. */
export interface ChainCall {
  readonly file: FramedTool;
  readonly call: ToolCall;
}

/** The late values of one call. */
export interface LateValues {
  /** For the card: each with its place and the call it comes from, in the order they stand. */
  readonly values: readonly LateValue[];
  /** The texts of the arguments that hold one, each once. */
  readonly places: readonly { readonly at: Path; readonly whole: boolean }[];
  /** Where the arguments that rules look at stand: of an mcp call inside of `arguments`. */
  readonly root: Path;
}

/** Of one call: more is no chain that a person could look through. */
const MAX_LATE_VALUES = 200;
const LATE_VALUE = /^calls\.(0|[1-9]\d?)\.result\.([^.{}\s]+(?:\.[^.{}\s]+)*)$/;
const WANTED = "{{calls.<n>.result.<path>}} of an earlier call is wanted, with n from 0";

/**
 * The late values of each call of a chain. Refuses `bad_arguments` with a line for each `{{` that is none: of another
 * shape, in a key, of this or a later call, of a call of a sensitive tool, in the host's label, or where an mcp call says
 * which of the server's tools it calls; and for more than 200 in one call.
 */
export function findLateValues(calls: readonly ChainCall[]): Result<readonly LateValues[]> {
  const problems: Problem[] = [];
  const found = calls.map((one, n): LateValues => {
    const { file, call } = one;
    const placeholders = findPlaceholders(call.args);
    const root: Path = file.kind === "mcp" ? ["arguments"] : [];
    const path = ["calls", n, "args"];
    if (placeholders.length > MAX_LATE_VALUES) {
      problems.push({
        path,
        says: `hold more than ${MAX_LATE_VALUES} values of earlier calls; write some out`,
      });
      return { values: [], places: [], root };
    }
    const values = placeholders.flatMap((placeholder) => {
      const value = readLateValue(placeholder);
      const says = judge(placeholder, { value, n, root, calls });
      if (says !== null) problems.push({ path: [...path, ...placeholder.at], says });
      return says === null && value !== null ? [value] : [];
    });
    return { values, places: placesOf(placeholders), root };
  });
  if (problems.length === 0) return ok(found);
  return refuse("bad_arguments", {
    detail: "Values of earlier calls stand where none may, or are none.",
    hint:
      "In a chain {{ begins a value of an earlier call. A text that holds {{ as it stands is sent by a single call.",
    problems: formatProblems(problems, "calls"),
  });
}

function readLateValue({ at, inside, inKey }: Placeholder): LateValue | null {
  const [, call, resultPath] = inside === null || inKey ? [] : LATE_VALUE.exec(inside) ?? [];
  if (call === undefined || resultPath === undefined) return null;
  return { path: at.join("."), call: Number(call), result_path: resultPath };
}

interface Standing {
  readonly value: LateValue | null;
  /** Of the call it stands in. */
  readonly n: number;
  readonly root: Path;
  readonly calls: readonly ChainCall[];
}

/** What is wrong with one placeholder, `null` when it may stand there. */
function judge({ at, inside, inKey }: Placeholder, { value, n, root, calls }: Standing): string | null {
  if (inKey) return "a key is never filled; values of earlier calls stand in values";
  if (inside === null) return `a {{ is never closed; ${WANTED}`;
  const told = quote(`{{${inside}}}`);
  if (value === null) return `${told} is no value that a chain fills; ${WANTED}`;
  if (value.call >= n) {
    return n === 0
      ? `${told} comes from no earlier call, since this is the first; write the value out`
      : `${told} comes from no earlier call; a call from 0 to ${n - 1} is wanted`;
  }
  if (calls[value.call]!.file.access === "sensitive") {
    return `${told} comes from a sensitive call, whose answer goes nowhere; write the value out`;
  }
  const { file, call } = calls[n]!;
  if (at.length <= root.length || root.some((key, depth) => at[depth] !== key)) {
    return "which of the server's tools is called is written out; only its arguments may come from an earlier call";
  }
  if (file.kind === "request" && hostOf(requestOf(file, call).url).includes(`{${at[0]}}`)) {
    return "stands in the host that is called; the host of a call is written out";
  }
  return null;
}

function placesOf(placeholders: readonly Placeholder[]): LateValues["places"] {
  // Those of one text follow one another.
  return placeholders.filter(({ at }, index) => index === 0 || placeholders[index - 1]!.at !== at)
    .map(({ at, whole }) => ({ at, whole }));
}

/**
 * Whether the call can become one that its tool takes: everything that is told of the arguments that are there, and of the
 * request they make, is told now; what hangs on a late value is left to the sending. Refuses `bad_arguments` and what
 * `prepareCall` refuses. Whether the arguments with their placeholders are within the limits counts too.
 */
export function checkLateCall(file: FramedTool, call: ToolCall, late: LateValues): Result<void> {
  const unfit = findUnfit(call.args);
  if (unfit !== null) return refuseArguments([unfit]);
  const places = late.places.map(({ at, whole }) => [at, whole ? LATE : LATE_TEXT] as const);
  const checked = checkCall(file, { ...call, args: withPlaced(call.args, places) });
  if (!checked.ok || file.kind !== "request") return checked;
  // A text of one letter may stand wherever a value may: what it is refused for does not hang on the value.
  const args = withPlaced(call.args, late.places.map(({ at }) => [at, "x"] as const));
  const prepared = prepareRequest(requestOf(file, call), args);
  return prepared.ok ? ok(undefined) : prepared;
}

/** The arguments without those that hold a late value, at the root or, of an mcp call, inside of `arguments`. */
export function withoutLateValues(args: JsonObject, { places, root }: LateValues): JsonObject {
  const late = new Set(places.map(({ at }) => String(at[root.length])));
  const without = (given: JsonObject) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !late.has(name)));
  if (root.length === 0) return without(args);
  return isJsonObject(args.arguments) ? { ...args, arguments: without(args.arguments) } : args;
}

/** Whether a value goes from the answer of one host to a call of another: then an administrator decides. No host is one of its own. */
export function needsAdministrator(
  calls: readonly { readonly host: string | null; readonly from_calls: readonly LateValue[] }[],
): boolean {
  return calls.some(({ host, from_calls }) => from_calls.some(({ call }) => calls[call]?.host !== host));
}

/**
 * The arguments of a call of a chain with its late values filled in from `answers`, by the number of the call. Refuses
 * `bad_arguments`, with a line for each, when an answer is not there or a value in it is missing, one of several, no text,
 * number, true or false, holds what no caller's text may, or makes the arguments larger than any tool takes. What the tool
 * takes is to be checked again.
 */
export function fillLate(args: JsonObject, answers: ReadonlyMap<number, JsonValue>): Result<JsonObject> {
  const sources = Object.fromEntries([...answers].map(([n, answer]) => [`calls.${n}.result`, answer]));
  const filled = fillValue(args, sources, { scalarsOnly: true });
  if (!filled.ok) {
    return refuseArguments(filled.refusal.map(({ path, says, why }) => ({
      path: ["args", ...path],
      says: why === "no_source" ? "the answer this comes from is not there" : says,
    })));
  }
  const unfit = findUnfit(filled.value as JsonObject) ?? findUnstorable(filled.value as JsonObject, ["args"]);
  return unfit === null ? ok(filled.value as JsonObject) : refuseArguments([unfit]);
}

/** The first text that could not have come from a caller: with a NUL, or half of a surrogate pair. */
function findUnstorable(value: JsonValue, path: Path): Problem | null {
  if (typeof value === "string") {
    return isStorable(value) ? null : { path, says: "holds a NUL character or half of a surrogate pair" };
  }
  if (typeof value !== "object" || value === null) return null;
  const members = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of members) {
    const found = findUnstorable(member, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function refuseArguments(problems: readonly Problem[]): Result<never> {
  return refuse("bad_arguments", {
    detail: "The arguments cannot be made with the values of earlier calls.",
    problems: formatProblems(problems, "args"),
  });
}

/** A copy of `args` with each of `places` replaced; all that is not on the way to one is shared. */
function withPlaced(
  args: JsonObject,
  places: readonly (readonly [at: Path, value: JsonValue])[],
): JsonObject {
  return replaced(args, places, 0) as JsonObject;
}

function replaced(
  value: JsonValue,
  places: readonly (readonly [at: Path, value: JsonValue])[],
  depth: number,
): JsonValue {
  const here = places.find(([at]) => at.length === depth);
  if (here !== undefined) return here[1];
  const below = Map.groupBy(places, ([at]) => at[depth]!);
  const member = (key: string | number, each: JsonValue) =>
    below.has(key) ? replaced(each, below.get(key)!, depth + 1) : each;
  if (Array.isArray(value)) return value.map((item, index) => member(index, item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, member(key, each)]));
}
