/** What an administrator does with a secret on a tool: paste, remove, allow. */

import type { PrincipalHere } from "../auth/principal.ts";
import { type CredentialKey, isCredential } from "../definition/credentials.ts";
import type { Transaction } from "../db/transaction.ts";
import { keysInHeaders } from "../definition/header-secrets.ts";
import { appendEvent } from "../log/store.ts";
import { NOT_FOUND, ok, refuse, type Result } from "../outcome/result.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { allowUse, deleteValue, putValue } from "../secrets/store.ts";
import { sealForWorkspace } from "../secrets/vault.ts";
import { findTool, lockTools } from "../tools/store.ts";
import type { Tool } from "../tools/tool.ts";
import { changeEvent, type Occasion } from "./occasion.ts";

interface SecretOnTool {
  readonly principal: PrincipalHere;
  readonly slug: string;
  readonly name: string;
  /** The version the administrator saw; null where they name none. */
  readonly version: number | null;
  readonly occasion: Occasion;
}

/**
 * Stores `value` sealed under the name, for the tool's host, and allows this tool to use it. Other tools that name it
 * keep waiting until they are allowed.
 *
 * Refuses `tool_changed` where the tool is not at the version the administrator saw, `bad_request` for a value that is
 * too short, too long, holds NUL or cannot stand in the header it goes into, and `store_unavailable` on a stack without a master key.
 */
export async function pasteSecret(
  tx: Transaction,
  { keyRing, value, ...on }: SecretOnTool & { keyRing: KeyRing | null; value: string },
): Promise<Result<void>> {
  const found = await findUse(tx, on);
  if (!found.ok) return found;
  const { tool, keys } = found.value;
  const inHeaders = keysInHeaders(tool.file);
  const fault = keys.map((key) => findValueFault(value, { key, inHeader: inHeaders.has(key) }))
    .find((text) => text !== null);
  if (fault !== undefined) return refuse("bad_request", { problems: [`value: ${fault}`] });
  if (keyRing === null) {
    return refuse("store_unavailable", {
      detail: "This stack has no master key, so nothing can be sealed and nothing was stored.",
      hint: "Its operator sets FRAMED_SECRET_KEYS; see docs/operate.md.",
      retryAfterSeconds: 300,
    });
  }
  const workspaceId = on.principal.workspace.id;
  const { sealed, dataKeyId } = await sealForWorkspace(tx, { keyRing, workspaceId, name: on.name, value });
  await putValue(tx, {
    workspaceId,
    connectorId: tool.id,
    name: on.name,
    sealed,
    dataKeyId,
    userId: on.principal.id,
  });
  await log(tx, "secret.pasted", { ...on, tool });
  return ok(undefined);
}

/** Removes the value under the name, for every tool that uses it. The name stays with its host while a tool names it. */
export async function removeSecret(tx: Transaction, on: SecretOnTool): Promise<Result<void>> {
  const found = await findUse(tx, on);
  if (!found.ok) return found;
  await deleteValue(tx, { workspaceId: on.principal.workspace.id, name: on.name });
  await log(tx, "secret.removed", { ...on, tool: found.value.tool });
  return ok(undefined);
}

/** Lets this tool use the value that is stored under the name. */
export async function allowSecret(tx: Transaction, on: SecretOnTool): Promise<Result<void>> {
  const found = await findUse(tx, on);
  if (!found.ok) return found;
  const { tool } = found.value;
  await allowUse(tx, {
    workspaceId: on.principal.workspace.id,
    connectorId: tool.id,
    name: on.name,
    userId: on.principal.id,
  });
  await log(tx, "secret.allowed", { ...on, tool });
  return ok(undefined);
}

async function findUse(
  tx: Transaction,
  { principal, slug, name, version }: SecretOnTool,
): Promise<Result<{ tool: Tool; keys: CredentialKey[] }>> {
  const place = { workspaceId: principal.workspace.id, slug };
  await lockTools(tx, place);
  const tool = await findTool(tx, place);
  const keys = tool?.uses.filter((use) => use.name === name).map((use) => use.credential_key) ?? [];
  if (tool === null || keys.length === 0) return { ok: false, refusal: NOT_FOUND };
  if (version !== null && version !== tool.version) {
    return refuse("tool_changed", {
      detail: `${slug} is at version ${tool.version}; version ${version} is what you saw.`,
      hint: "Look at the tool again before you give it a secret.",
    });
  }
  return ok({ tool, keys });
}

async function log(
  tx: Transaction,
  event: "secret.pasted" | "secret.removed" | "secret.allowed",
  { principal, tool, name, occasion }: SecretOnTool & { tool: Tool },
): Promise<void> {
  await appendEvent(tx, {
    workspaceId: principal.workspace.id,
    event: changeEvent(event, { principal, tool, occasion, detail: { name } }),
  });
}

/** What keeps a value from being stored, in words that do not repeat it; null where nothing does. */
function findValueFault(
  value: string,
  { key, inHeader }: { key: CredentialKey; inHeader: boolean },
): string | null {
  const bytes = new TextEncoder().encode(value).byteLength;
  const [min, max] = isCredential(key) ? [8, 16 * 1024] : [1, 2 * 1024];
  if (value.includes("\0")) return "holds a NUL character, which no secret has";
  if (bytes < min || bytes > max) return `has ${bytes} bytes; from ${min} to ${max} are wanted`;
  if (inHeader && !/^[\x20-\x7e]*$/.test(value)) {
    return "holds a line end, a tab or a letter outside ASCII, which the header it goes into cannot carry";
  }
  return null;
}
