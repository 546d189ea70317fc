/** What a condition may compare with, by its op; the same for follow-ups and rules. Pure. */

import { tell } from "../words.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";

/** What is wrong with the `value` of one condition. `filled` lets a text that is one placeholder stand for a list. */
export function checkCondition(
  condition: JsonValue,
  { path, filled }: { path: Path; filled: boolean },
): Problem[] {
  if (!isJsonObject(condition)) return [];
  const { op, value } = condition;
  const at = [...path, "value"];
  switch (op) {
    case "exists":
    case "not_exists":
      return value === undefined ? [] : [{ path: at, says: `${op} compares with nothing; leave value out` }];
    case "in":
      if (Array.isArray(value) || (filled && typeof value === "string" && /^\{\{[^{}]+\}\}$/.test(value))) {
        return [];
      }
      return [{
        path: at,
        says: value === undefined
          ? "missing; a list is wanted for in"
          : `found ${tell(value)}; a list is wanted for in`,
      }];
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (typeof value === "number" || typeof value === "string") return [];
      return [{
        path: at,
        says: value === undefined
          ? `missing; a number or text is wanted for ${op}`
          : `found ${tell(value)}; a number or text is wanted for ${op}`,
      }];
    case "equals":
    case "not_equals":
    case "contains":
      return value === undefined ? [{ path: at, says: `missing; what ${op} compares with is wanted` }] : [];
    default:
      return [];
  }
}
