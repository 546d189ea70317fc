/** The fixtures of a file: each example is a call the tool takes, and each is the one that answers it. Pure. */

import { listed, nameOf, tell } from "../words.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { isIdGiven } from "../capability.ts";
import { tellUnknownArgument } from "../arguments/object-rules.ts";
import type { StepBudget } from "../arguments/run.ts";
import type { Path, Problem } from "../problem.ts";
import { type FillBudget, findMisfits, type RequestTemplate } from "../request.ts";
import { type Draft, listOf, objectOf } from "./draft.ts";
import { nearestKey } from "./nearest-key.ts";
import type { RequestsCheck } from "./requests.ts";
import { findShadowed } from "./shadowed.ts";

/** Of all examples together, held against the schema of the arguments: as many as one call may take. */
const MAX_STEPS = 500_000;
/**
 * Characters of requests, rules and result that all examples together are held against, as compact JSON; and as many that
 * their requests may come to, which is more than one request may.
 */
const MAX_FILLED = 2_000_000;

/** What is wrong with the examples, and between the fixtures, given the file's requests. */
export function checkFixtures(draft: Draft, requests: RequestsCheck): Problem[] {
  const fixtures = listOf(draft.file.fixtures);
  const common = {
    declared: draft.capabilities === null ? null : readCapabilities(draft.capabilities),
    budget: { left: MAX_STEPS },
    toFill: { left: MAX_FILLED },
    requestOf: isTooMuch(draft, fixtures) ? () => null : requests.requestOf,
  };
  const problems = fixtures.flatMap((fixture, at) => {
    const { example } = objectOf(fixture);
    const path = ["fixtures", at, "example"];
    return isJsonObject(example) ? checkExample(draft, { ...common, example, path }) : [];
  });
  return [
    ...problems,
    ...(common.budget.left > 0 ? [] : [{
      path: ["fixtures"],
      says: "too much work to hold against the schema of arguments; fewer, or simpler examples are wanted",
    }]),
    ...(isTooMuch(draft, fixtures) || common.toFill.left <= 0
      ? [{
        path: ["fixtures"],
        says: "too many for requests and rules as long as these; fewer fixtures, or shorter ones are wanted",
      }]
      : []),
    ...checkWithoutExample(draft, fixtures),
    ...checkShadowed(fixtures),
  ];
}

/** Each example is a call that is decided, here and in the view of a host. */
function isTooMuch({ file }: Draft, fixtures: readonly JsonValue[]): boolean {
  if (fixtures.length < 2) return false;
  const { request, capabilities, rules, result } = file;
  const text = JSON.stringify([request, capabilities, rules, result].map((part) => part ?? null));
  return fixtures.length * text.length > MAX_FILLED;
}

/** The capabilities of the file, read once for all examples. */
interface Declared {
  readonly operationsById: ReadonlyMap<string, ReadonlySet<JsonValue>>;
  /** The ids in words, for a problem. */
  readonly ids: string;
}

function readCapabilities(capabilities: readonly JsonValue[]): Declared {
  const operationsById = new Map<string, ReadonlySet<JsonValue>>();
  for (const { id, operations } of capabilities.map(objectOf)) {
    if (typeof id === "string" && !operationsById.has(id)) {
      operationsById.set(id, new Set(listOf(operations)));
    }
  }
  return { operationsById, ids: listed([...operationsById.keys()], nameOf) };
}

interface Example {
  readonly example: JsonObject;
  readonly path: Path;
  /** `null` when the file declares no capabilities. */
  readonly declared: Declared | null;
  /** What is left for the schema of the arguments, of all examples together. */
  readonly budget: StepBudget;
  /** What is left for the requests that all examples together make. */
  readonly toFill: FillBudget;
  readonly requestOf: RequestsCheck["requestOf"];
}

function checkExample(
  draft: Draft,
  { example, path, declared, budget, toFill, requestOf }: Example,
): Problem[] {
  if (draft.kind === "mcp") return checkMcpExample(draft, { example, path, budget });
  const { capability, operation, ...rest } = example;
  const args = declared === null ? example : rest;
  const problems = checkArguments(draft, { args, path, budget });
  const request = problems.length === 0 ? requestOf({ capability, operation }) : null;
  return [
    ...(declared === null ? [] : checkCapabilityExample(example, { path, declared })),
    ...problems,
    ...(request === null ? [] : checkFit(request, { args, path, budget: toFill })),
  ];
}

/** What an example gives has a place in the request it makes: else nobody could ever make the call. */
function checkFit(
  request: RequestTemplate,
  { args, path, budget }: { args: JsonObject; path: Path; budget: FillBudget },
): Problem[] {
  return findMisfits(request, { args, budget }).map(({ path: [, ...at], says }) => ({
    path: [...path, ...at],
    says,
  }));
}

function checkCapabilityExample(
  { capability, operation, id }: JsonObject,
  { path, declared: { operationsById, ids } }: { path: Path; declared: Declared },
): Problem[] {
  const problems: Problem[] = [];
  const operations = typeof capability === "string" ? operationsById.get(capability) : undefined;
  if (capability === undefined) {
    problems.push({
      path: [...path, "capability"],
      says: "missing; an example says which capability it answers",
    });
  } else if (operations === undefined && operationsById.size > 0) {
    problems.push({
      path: [...path, "capability"],
      says: `found ${tell(capability)}; a declared id is wanted: ${ids}`,
    });
  }
  if (operation === undefined) {
    problems.push({
      path: [...path, "operation"],
      says: "missing; an example says which operation it answers",
    });
  } else if (operations !== undefined && operations.size > 0 && !operations.has(operation)) {
    const says = `found ${tell(operation)}; an operation of the capability is wanted`;
    problems.push({ path: [...path, "operation"], says });
  }
  if (operation === "get" && !isIdGiven(id)) {
    problems.push({ path: [...path, "id"], says: "missing; the example of a get says which id it answers" });
  }
  return problems;
}

const MCP_KEYS = ["action", "tool", "arguments"];

function checkMcpExample(
  draft: Draft,
  { example, path, budget }: Pick<Example, "example" | "path" | "budget">,
): Problem[] {
  const { action, tool, arguments: inner } = example;
  const problems: Problem[] = Object.keys(example).filter((key) => !MCP_KEYS.includes(key)).map((key) => ({
    path: [...path, key],
    says: `not a key of an mcp call; the nearest is ${nearestKey(key, MCP_KEYS)}`,
  }));
  if (action === undefined) {
    problems.push({ path: [...path, "action"], says: 'missing; "list" or "call" is wanted' });
  } else if (action !== "list" && action !== "call") {
    problems.push({ path: [...path, "action"], says: `found ${tell(action)}; "list" or "call" is wanted` });
  }
  for (const key of ["tool", "arguments"]) {
    if (action === "list" && example[key] !== undefined) {
      problems.push({ path: [...path, key], says: "a list takes no tool and no arguments; leave it out" });
    }
  }
  if (tool !== undefined && (typeof tool !== "string" || tool === "")) {
    problems.push({
      path: [...path, "tool"],
      says: `found ${tell(tool)}; the name of one of the server's tools is wanted`,
    });
  }
  if (inner === undefined) return problems;
  if (isJsonObject(inner)) {
    return [...problems, ...checkArguments(draft, { args: inner, path: [...path, "arguments"], budget })];
  }
  return [...problems, { path: [...path, "arguments"], says: `found ${tell(inner)}; an object is wanted` }];
}

/** An example may leave arguments out; those it names are declared, and each is of its own schema. */
function checkArguments(
  draft: Draft,
  { args, path, budget }: { args: JsonObject; path: Path; budget: StepBudget },
): Problem[] {
  const { schema, names, near, open } = draft.arguments;
  if (schema !== null) {
    if (budget.left === 0) return [];
    const problems = schema.check(args, { path, partial: true, budget });
    // What the whole call would take is paid for as well: the view of a host makes it.
    if (problems.length === 0) schema.check(args, { path, budget });
    return problems;
  }
  if (open) return [];
  return Object.keys(args).filter((key) => !names.has(key)).map((key) => ({
    path: [...path, key],
    says: tellUnknownArgument({ names, meant: near(key) }),
  }));
}

/** One fixture may answer what no example does, unless an empty example answers everything. */
function checkWithoutExample(draft: Draft, fixtures: readonly JsonValue[]): Problem[] {
  const without = fixtures.flatMap((fixture, at) =>
    isJsonObject(fixture) && fixture.example === undefined ? [at] : []
  );
  if (draft.capabilities !== null) {
    const says = "without an example; with capabilities each example names capability and operation";
    return without.map((at) => ({ path: ["fixtures", at], says }));
  }
  const empty = fixtures.findIndex((fixture) => {
    const { example } = objectOf(fixture);
    return isJsonObject(example) && Object.keys(example).length === 0;
  });
  return without.flatMap((at, index) => {
    if (index > 0) {
      const says = `without an example, as fixtures[${without[0]}] is; only one may answer all other calls`;
      return [{ path: ["fixtures", at], says }];
    }
    if (empty === -1) return [];
    return [{
      path: ["fixtures", at],
      says:
        `never answers: the empty example of fixtures[${empty}] answers every call; leave one of the two out`,
    }];
  });
}

function checkShadowed(fixtures: readonly JsonValue[]): Problem[] {
  const examples = fixtures.map((fixture) => objectOf(fixture).example);
  const { shadowed, complete } = findShadowed(
    examples.map((example) => isJsonObject(example) ? example : null),
  );
  const problems: Problem[] = [...shadowed].map(([at, by]) => ({
    path: ["fixtures", at, "example"],
    says: `fixtures[${by}] answers this call first; put the narrower example before it`,
  }));
  if (complete) return problems;
  return [...problems, {
    path: ["fixtures"],
    says: "too many alike to compare; fewer, or simpler examples are wanted",
  }];
}
