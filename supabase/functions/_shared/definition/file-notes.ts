/** What of a file that passed the check is right, and perhaps not what was meant: in words for who writes it. Pure. */

import { operationsOf, requestOf } from "./call-request.ts";
import type { FramedTool, RequestTool } from "./format.ts";
import { isJsonObject } from "./json.ts";
import { defaultsToArguments, type RequestTemplate, usedArguments } from "./request.ts";
import { piecesOf, soleArgument } from "./template.ts";
import { listed, nameOf } from "./words.ts";

/** One line each. */
export function fileNotes(tool: FramedTool): string[] {
  if (tool.kind !== "request") return [];
  const requests = operationsOf(tool).map((call) => requestOf(tool, call));
  return [...noteUnused(tool, requests), ...noteTextBody(requests)];
}

const MEND = "Write {name} where the other system wants the value, or leave it out of the file.";

/** The other system is asked the same, whatever is given for an argument that no request names. */
function noteUnused(tool: RequestTool, requests: readonly RequestTemplate[]): string[] {
  if (requests.some(defaultsToArguments)) return [];
  const { properties } = tool.arguments;
  const used = new Set(requests.flatMap((request) => [...usedArguments(request)]));
  const unused = Object.keys(isJsonObject(properties) ? properties : {}).filter((name) => !used.has(name));
  if (unused.length === 0) return [];
  const told = listed(unused, nameOf);
  return [
    unused.length === 1
      ? `The argument ${told} stands nowhere in the request, so no call sends it. ${MEND}`
      : `The arguments ${told} stand nowhere in the request, so no call sends them. ${MEND}`,
  ];
}

function noteTextBody(requests: readonly RequestTemplate[]): string[] {
  const isText = ({ body, body_format }: RequestTemplate) =>
    typeof body === "string" && body_format !== "form" && soleArgument(piecesOf(body)) === null;
  if (!requests.some(isText)) return [];
  return [
    "A body that is a text is sent as JSON, between quotes: XML and plain text cannot be sent. Write an object or a " +
    'list, or body_format "form" for form fields.',
  ];
}
