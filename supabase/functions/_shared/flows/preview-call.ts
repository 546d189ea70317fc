/** The read that the preview of a call asks for. Pure. */

import { fillValue } from "../definition/fill.ts";
import type { FramedTool } from "../definition/format.ts";
import { isJsonObject, type JsonObject } from "../definition/json.ts";

/** The arguments of that read; null where a value they come from is not there. The file has a preview. */
export function previewArgs(file: FramedTool, args: JsonObject): JsonObject | null {
  const filled = fillValue(file.preview!.args as JsonObject, { args: argumentsOfCall(file, args) });
  return filled.ok ? filled.value as JsonObject : null;
}

/** The arguments a preview speaks of: of an mcp call the inner ones. */
function argumentsOfCall({ kind }: FramedTool, args: JsonObject): JsonObject {
  if (kind !== "mcp") return args;
  return isJsonObject(args.arguments) ? args.arguments : {};
}
