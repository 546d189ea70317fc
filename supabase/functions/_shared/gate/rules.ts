/** What the rules of a file make of the arguments of a call: nothing, or something stricter. Pure. */

import { holds } from "../definition/condition.ts";
import type { FramedTool } from "../definition/format.ts";
import { isJsonObject, type JsonObject } from "../definition/json.ts";

/** The rules that match, in the file's order, apart by what they do. Each is its `say`. */
export interface MatchingRules {
  readonly deny: readonly string[];
  readonly admin: readonly string[];
}

/**
 * The rules of `tool` that match `args`; of an mcp tool the inner arguments. In doubt a rule matches: a value that is
 * missing or of another type is not let pass by `gt`, `gte`, `lt`, `lte`, `in` or `contains`.
 *
 * With `partial` the arguments are a part of a call's, and a rule about one that is not among them is left out.
 */
export function matchRules(tool: FramedTool, args: JsonObject, { partial = false } = {}): MatchingRules {
  const given = tool.kind === "mcp" ? args.arguments ?? {} : args;
  const root = isJsonObject(given) ? given : {};
  const matching = (tool.rules ?? []).filter((rule) =>
    (!partial || Object.hasOwn(root, rule.path.split(".", 1)[0]!)) && holds(rule, root, { strict: true })
  );
  return {
    deny: matching.filter((rule) => rule.then === "deny").map(({ say }) => say),
    admin: matching.filter((rule) => rule.then === "admin").map(({ say }) => say),
  };
}
