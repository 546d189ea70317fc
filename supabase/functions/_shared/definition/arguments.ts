/**
 * The `arguments` of a tool: the check of their JSON Schema, and the check of a call's arguments against it. Pure.
 * Schemas and values come from strangers: both checks are bounded in steps, run regular expressions on a
 * linear-time engine only, and never make code. `default` is shown to hosts and never filled in.
 */

import { CallArguments } from "./arguments/call-arguments.ts";
import { findObstacle, MAX_SCHEMA_BYTES, MAX_SCHEMA_LEVELS, type Obstacle } from "./arguments/limits.ts";
import { readSchema, type SchemaReading } from "./arguments/reader.ts";
import { resolveReferences } from "./arguments/references.ts";
import { checkRoot } from "./arguments/root.ts";
import type { StepBudget } from "./arguments/run.ts";
import { count, kindOf } from "./words.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Path, Problem } from "./problem.ts";

/** A schema that passed its check, ready for calls. */
export interface ArgumentsSchema {
  /**
   * The arguments the schema declares by name: under `properties` of the root and of what is said about the root by
   * `$ref`, `allOf`, `anyOf`, `oneOf`, `if`, `then`, `else` and `dependentSchemas`.
   */
  readonly names: ReadonlySet<string>;
  /** The arguments no call goes without: `required` of the root, of its `$ref` and of its `allOf`. */
  readonly required: ReadonlySet<string>;
  /** The root says `additionalProperties: true`, so an argument need not be declared. */
  readonly open: boolean;
  /**
   * What is wrong with `args`, at most 25 problems and one line that there are more; none when they may be sent.
   *
   * An argument that no name, pattern or `additionalProperties` of the schema covers is refused unless the schema is
   * `open`. With `partial` every given argument is checked by itself, and nothing that looks at all of them together
   * applies: `required`, counts, dependencies, `anyOf` and its like. Never throws; takes at most 500,000 steps, and
   * what is left of `budget`, which it pays from.
   */
  check(args: JsonValue, options: { path: Path; partial?: boolean; budget?: StepBudget }): Problem[];
}

/**
 * `schema` for use, or `null` and everything that is wrong with it as the `arguments` of a tool, each at its place
 * below `path`. Never throws, whatever `schema` is; work is bounded by its first 64 KiB.
 *
 * It has to be of type `object`, in 2020-12 or draft-07, and within the limits of `arguments/limits.ts`. A word that
 * is nearly one of JSON Schema is a problem, since unknown words are let pass and would loosen it without a sound.
 */
export function readArgumentsSchema(
  schema: unknown,
  path: Path,
): { readonly schema: ArgumentsSchema | null; readonly problems: Problem[] } {
  const { root, problems } = readArguments(schema, path);
  if (root === null || problems.length > 0) return { schema: null, problems };
  const compiled = new CallArguments(root);
  return {
    problems,
    schema: {
      names: compiled.names,
      required: compiled.required,
      open: compiled.open,
      check: (args, { partial = false, ...options }) =>
        compiled.check(args, { partial, ...options }).problems,
    },
  };
}

/** The schema for use. Throws on one that {@link readArgumentsSchema} has problems with: that is ours to prevent. */
export function compileArguments(schema: JsonObject): ArgumentsSchema {
  const read = readArgumentsSchema(schema, []);
  if (read.schema === null) throw new Error("an arguments schema is used that did not pass its check");
  return read.schema;
}

function readArguments(
  schema: unknown,
  path: Path,
): Pick<SchemaReading, "root" | "problems"> | { readonly root: null; readonly problems: Problem[] } {
  if (!isJsonObject(schema)) {
    return {
      root: null,
      problems: [{ path, says: `found ${kindOf(schema)}; a JSON Schema of type "object" is wanted` }],
    };
  }
  const obstacle = findObstacle(schema, { maxBytes: MAX_SCHEMA_BYTES, maxLevels: MAX_SCHEMA_LEVELS });
  if (obstacle !== null) return { root: null, problems: [tellObstacle(obstacle, path)] };
  const reading = readSchema(schema, path);
  const problems = [...reading.problems, ...resolveReferences(reading), ...checkRoot(reading.root)];
  return { root: reading.root, problems };
}

function tellObstacle(obstacle: Obstacle, path: Path): Problem {
  switch (obstacle.kind) {
    case "bytes":
      return {
        path,
        says: `is more than ${count(MAX_SCHEMA_BYTES, "byte")} as compact JSON; make it smaller`,
      };
    case "levels":
      return {
        path,
        says: `holds more than ${MAX_SCHEMA_LEVELS} levels of lists and objects; make it flatter`,
      };
    case "__proto__":
      return {
        path: [...path, ...obstacle.path],
        says: "has a key `__proto__`, which no property may be called",
      };
    case "no JSON":
      return { path: [...path, ...obstacle.path], says: "is not a value of JSON" };
    default:
      return obstacle satisfies never;
  }
}
