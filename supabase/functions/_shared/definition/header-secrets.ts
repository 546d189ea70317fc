/** Which secrets of a tool stand in a header, where not every letter may. Pure. */

import { operationsOf, requestOf } from "./call-request.ts";
import type { CredentialKey } from "./credentials.ts";
import type { FramedTool } from "./format.ts";
import { piecesOf } from "./template.ts";

/** The keys whose value `tool` writes into a header as it is: printable ASCII is all that may stand there. */
export function keysInHeaders(tool: FramedTool): ReadonlySet<CredentialKey> {
  const pieces = headersOf(tool).flatMap((headers) => Object.values(headers)).flatMap(piecesOf);
  return new Set(pieces.flatMap((piece) => piece.kind === "credential" && !piece.base64 ? [piece.key] : []));
}

function headersOf(tool: FramedTool): readonly Readonly<Record<string, string>>[] {
  switch (tool.kind) {
    case "fixture":
      return [];
    case "mcp":
      return [tool.mcp.headers ?? { Authorization: "Bearer {{secret}}" }];
    case "request":
      return operationsOf(tool).map((call) => requestOf(tool, call).headers ?? {});
    default:
      return tool satisfies never;
  }
}
