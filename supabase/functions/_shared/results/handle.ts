/** The handle of a stored result: where it is, so that reading a page needs no search across workspaces. Pure. */

import { Buffer } from "node:buffer";

/** A stored result's place. */
export interface ResultPlace {
  readonly workspaceId: string;
  readonly id: string;
}

/** Two UUIDs as 43 characters of base64url. It is an address, not a permission: who may read it is decided at the read. */
export function writeHandle({ workspaceId, id }: ResultPlace): string {
  return Buffer.from((workspaceId + id).replaceAll("-", ""), "hex").toString("base64url");
}

/** The place a handle names, or null for a text that is no handle. */
export function readHandle(handle: string): ResultPlace | null {
  if (!/^[\w-]{43}$/.test(handle)) return null;
  const hex = Buffer.from(handle, "base64url").toString("hex");
  return { workspaceId: asUuid(hex.slice(0, 32)), id: asUuid(hex.slice(32)) };
}

function asUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
