/**
 * Whether a call names a capability and an operation the tool declares. Pure; decided before any fixture, client or
 * HTTP. A capability only ever reads.
 */

import type { ToolCall } from "../definition/call.ts";
import { capabilitiesOf, findCapability, isIdGiven, WRITE_OPERATIONS } from "../definition/capability.ts";
import type { FramedTool } from "../definition/format.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";

/**
 * Lets a call pass whose capability and operation `tool` declares, and a call of a tool without capabilities that
 * names none.
 *
 * Refuses, the first that applies: `capability_missing`, `capability_not_declared`, `operation_missing`,
 * `operation_denied`, `operation_not_declared`, and `bad_arguments` for a `get` without `id`. No refusal holds
 * anything of an answer.
 */
export function decideCapability(tool: FramedTool, { args, capability, operation }: ToolCall): Result<void> {
  const capabilities = capabilitiesOf(tool);
  if (capability === undefined && operation === undefined && capabilities === undefined) return ok(undefined);
  if (capability === undefined && capabilities !== undefined) {
    return refuse("capability_missing", {
      hint: `Name one of ${capabilities.map(({ id }) => id).join(", ")}.`,
    });
  }
  const declared = findCapability(tool, capability);
  if (declared === undefined) return refuse("capability_not_declared", hintOf(capabilities));
  if (operation === undefined) {
    return refuse("operation_missing", { hint: `Name one of ${declared.operations.join(", ")}.` });
  }
  if (WRITE_OPERATIONS.has(operation)) {
    return refuse("operation_denied", {
      hint: "What changes something is a tool of its own that waits for a person.",
    });
  }
  if (!(declared.operations as readonly string[]).includes(operation)) {
    return refuse("operation_not_declared", {
      hint: `${declared.id} has ${declared.operations.join(", ")}.`,
    });
  }
  if (operation === "get" && !isIdGiven(args.id)) {
    return refuse("bad_arguments", {
      detail: "A get reads one thing by its id.",
      problems: ["args.id: missing; a get cannot go without it"],
    });
  }
  return ok(undefined);
}

function hintOf(capabilities: readonly { id: string }[] | undefined): { hint: string } {
  if (capabilities === undefined) return { hint: "This tool is called without a capability." };
  return { hint: `The tool declares ${capabilities.map(({ id }) => id).join(", ")}.` };
}
