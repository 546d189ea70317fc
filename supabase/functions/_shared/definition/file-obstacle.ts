/** What makes a value unfit to be checked as a file at all: too large, too deep, or no JSON. Pure. */

import { findObstacle, type Obstacle } from "./arguments/limits.ts";
import { isJsonObject, type JsonValue, MAX_FILE_LEVELS } from "./json.ts";
import type { Path, Problem } from "./problem.ts";
import { grouped } from "./words.ts";

/** Of a file, as UTF-8 and as compact JSON. */
export const MAX_FILE_BYTES = 256 * 1024;

/** What was found before a file is checked. */
export interface Sifted {
  readonly problems: readonly Problem[];
  /** The file without what no check may look into; `undefined` when none may look at it at all. */
  readonly file: JsonValue | undefined;
}

/**
 * What stops everything that recurses or measures from looking at `value`, and what is left of it for them. The parser
 * has seen to most of it; a value that was parsed elsewhere may still have it.
 */
export function siftFile(value: unknown): Sifted {
  const protoKeys: Path[] = [];
  const obstacle = findObstacle(value, { maxBytes: MAX_FILE_BYTES, maxLevels: MAX_FILE_LEVELS, protoKeys });
  const problems = protoKeys.map((path) => ({
    path,
    says: "a key named __proto__ is not carried faithfully by every program; another name is wanted",
  }));
  if (obstacle !== null) return { problems: [...problems, tellObstacle(obstacle)], file: undefined };
  const file = value as JsonValue;
  return { problems, file: protoKeys.length === 0 ? file : withoutProtoKeys(file) };
}

function tellObstacle(obstacle: Obstacle): Problem {
  switch (obstacle.kind) {
    case "bytes":
      return {
        path: [],
        says: `more than ${grouped(MAX_FILE_BYTES)} bytes of compact JSON; a smaller file is wanted`,
      };
    case "levels":
      return {
        path: [],
        says:
          `lists and objects stand more than ${MAX_FILE_LEVELS} levels inside one another; fewer are wanted`,
      };
    case "__proto__":
    case "no JSON":
      return {
        path: obstacle.path,
        says:
          "found something that is no JSON; text, a number, true, false, null, a list or an object is wanted",
      };
    default:
      return obstacle satisfies never;
  }
}

function withoutProtoKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutProtoKeys);
  if (!isJsonObject(value)) return value;
  const others = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(others.map(([key, member]) => [key, withoutProtoKeys(member)]));
}
