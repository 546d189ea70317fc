/** Which of a file's fixtures a call gets. Pure. What a fixture may be is `checks/fixtures.ts`'s business. */

import type { ToolCall } from "./call.ts";
import { capabilitiesOf } from "./capability.ts";
import type { Fixture, FramedTool } from "./format.ts";
import type { JsonObject } from "./json.ts";
import { partOf } from "./subset.ts";

/**
 * The first fixture whose example is part of the call, else the one without an example, else the first. A capability
 * and its operation count as part of the call, and none answers for another: of a tool with capabilities the first is
 * the first of the same capability and operation. `null` when there is none, as of an mcp file that has no fixtures. As
 * much work as the call and all examples together are large, and not one times the other.
 */
export function selectFixture(tool: FramedTool, call: ToolCall): Fixture | null {
  const fixtures = fixturesFor(tool, call);
  const isOfCall = partOf(callAsExample(tool, call));
  return fixtures.find(({ example }) => example !== undefined && isOfCall(example)) ??
    fixtures.find(({ example }) => example === undefined) ?? fixtures[0] ?? null;
}

function fixturesFor(tool: FramedTool, { capability, operation }: ToolCall): readonly Fixture[] {
  const fixtures = tool.fixtures ?? [];
  if (capabilitiesOf(tool) === undefined) return fixtures;
  return fixtures.filter(({ example }) =>
    example?.capability === capability && example?.operation === operation
  );
}

/** The call an example stands for: capability and operation are taken from beside the arguments, where they are. */
export function exampleAsCall(tool: FramedTool, example: JsonObject): ToolCall {
  if (capabilitiesOf(tool) === undefined) return { args: example };
  const { capability, operation, ...args } = example;
  return {
    args,
    ...(typeof capability === "string" ? { capability } : {}),
    ...(typeof operation === "string" ? { operation } : {}),
  };
}

function callAsExample(tool: FramedTool, { args, capability, operation }: ToolCall): JsonObject {
  if (capabilitiesOf(tool) === undefined) return args;
  return {
    ...args,
    ...(capability === undefined ? {} : { capability }),
    ...(operation === undefined ? {} : { operation }),
  };
}
