/** Which secrets a tool names, and which host they may go to. Pure. */

import { CREDENTIAL_KEYS, type CredentialKey } from "./credentials.ts";
import type { FramedTool } from "./format.ts";
import { hostOf } from "./request/host.ts";

/** A secret's name in a file, and the key under which its requests use it. */
export interface NamedSecret {
  readonly name: string;
  readonly key: CredentialKey;
}

/** The secrets `tool` names, in the order of `CREDENTIAL_KEYS`; one name may stand under two keys. */
export function secretsOf(tool: FramedTool): NamedSecret[] {
  if (tool.kind === "fixture") return [];
  const { secret, env } = tool.kind === "mcp"
    ? { ...tool.mcp.auth, env: undefined }
    : { env: undefined, ...tool.auth };
  const named = { ...env, secret };
  return CREDENTIAL_KEYS.flatMap((key) => named[key] === undefined ? [] : [{ name: named[key], key }]);
}

/** The one host `tool` reaches, with its port and its placeholder as written; `null` for a fixture tool. */
export function hostOfTool(tool: FramedTool): string | null {
  switch (tool.kind) {
    case "request":
      return hostOf(tool.request.url);
    case "mcp":
      return hostOf(tool.mcp.url);
    case "fixture":
      return null;
    default:
      return tool satisfies never;
  }
}
