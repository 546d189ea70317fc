/** A file that passed its check becomes a tool of the workspace, whole or not at all. */

import {
  actorOf,
  isAdministrator,
  isHost,
  type PrincipalHere,
  type PrincipalKind,
} from "../auth/principal.ts";
import { canonicalJson } from "../definition/canonical-json.ts";
import { type CredentialKey, isCredential } from "../definition/credentials.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonValue } from "../definition/json.ts";
import { formatProblems, type Path, type Problem } from "../definition/problem.ts";
import type { Transaction } from "../db/transaction.ts";
import { definitionDigest, hostOfTool, secretsOf } from "../framed-tool.ts";
import { appendEvent } from "../log/store.ts";
import { refusalForHost } from "../outcome/host-refusal.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import { findBindings, setUses } from "../secrets/store.ts";
import { judgeReplacement } from "../tools/replacement.ts";
import { type Definition, findTool, insertTool, lockTools, replaceTool } from "../tools/store.ts";
import type { Owner, Tool } from "../tools/tool.ts";
import { findLookupProblems } from "./lookups.ts";
import { changeEvent, type Occasion } from "./occasion.ts";

/** With which key a tool was defined; with none by a person, or by what they let in. */
const KEY_KINDS: Readonly<Record<PrincipalKind, Owner["key_kind"]>> = {
  session: null,
  raw_key: "raw",
  reseller_key: "reseller",
  connect_token: null,
};

/** What a definition came to. */
export interface Defined {
  readonly stored: Tool;
  /** Whether a tool stood under the slug before, changed by this or not. */
  readonly replaced: boolean;
  /** Whether the file was equal to the one that stood there: nothing changed then. */
  readonly unchanged: boolean;
}

/**
 * Defines `tool` on the principal's workspace: stores it, or replaces the tool under its slug where the nine rules let it.
 *
 * An equal file changes nothing and keeps its version. Everything happens in the transaction that is passed in; a refusal
 * leaves nothing behind. Refuses `bad_definition` where `follow_up.check` or `preview` names a tool that is no read of the
 * workspace that the caller sees, and where a name is a credential here and a setting elsewhere; the reasons of
 * `judgeReplacement`; and `secret_bound_to_other_host`.
 */
export async function defineTool(
  tx: Transaction,
  { principal, tool, occasion }: { principal: PrincipalHere; tool: FramedTool; occasion: Occasion },
): Promise<Result<Defined>> {
  const workspaceId = principal.workspace.id;
  const { slug } = tool;
  const place = { workspaceId, slug };
  await lockTools(tx, place);
  const existing = await findTool(tx, place);

  const lookups = await findLookupProblems(tx, { principal, tool });
  if (lookups.length > 0) return refuseDefinition(lookups);
  const host = hostOfTool(tool);
  const secrets = secretsOf(tool);
  if (existing !== null) {
    const allowed = judgeReplacement(existing, { incoming: { tool, host, secrets }, caller: principal });
    if (!allowed.ok) {
      return isHost(principal)
        ? { ok: false, refusal: refusalForHost(allowed.refusal, { host: existing.host }) }
        : allowed;
    }
  }
  const bound = await findBoundOtherwise(tx, { workspaceId, tool, existing });
  if (bound !== null) return bound;

  const digest = definitionDigest(tool);
  if (existing !== null && existing.digest === digest) {
    return ok({ stored: existing, replaced: true, unchanged: true });
  }

  const doesTheSame = existing !== null && doneBy(existing.file) === doneBy(tool);
  const definition: Definition = {
    tool,
    digest,
    host,
    keepsRunsAsRead: doesTheSame,
    partnerProvided: principal.kind === "reseller_key",
    owner: {
      user_id: principal.user_id,
      key_kind: KEY_KINDS[principal.kind],
      account_id: principal.account_id,
    },
    actor: actorOf(principal),
  };
  const { id } = existing === null
    ? await insertTool(tx, { workspaceId, definition })
    : await replaceTool(tx, { workspaceId, id: existing.id, definition });
  // Who is no administrator keeps what an administrator had allowed only where the tool still does the very same.
  const allowed = isAdministrator(principal);
  if (allowed || !doesTheSame) {
    await setUses(tx, {
      workspaceId,
      connectorId: id,
      host: host ?? "",
      uses: secrets,
      allowed,
      allowedBy: principal.user_id,
    });
  }
  const stored = (await findTool(tx, place))!;
  await appendEvent(tx, {
    workspaceId,
    event: changeEvent(existing === null ? "tool.defined" : "tool.replaced", {
      principal,
      tool: stored,
      occasion,
    }),
  });
  return ok({ stored, replaced: existing !== null, unchanged: false });
}

/**
 * All of a file but what people read about it and what it answers with when it is tried: what is sent, where, with which
 * arguments, who is asked first, and what of the answer leaves. A key that the format gains counts until it is named here.
 */
function doneBy(tool: FramedTool): string {
  const { $schema: _editors, name: _title, description: _text, fixtures: _examples, ...rest } = tool as
    & FramedTool
    & Record<string, unknown>;
  return canonicalJson(JSON.parse(JSON.stringify(rest)) as JsonValue);
}

/**
 * Refuses names that are bound otherwise on the workspace, apart from what `existing` itself names: to another host
 * (`secret_bound_to_other_host`), or as a credential where the file has a setting or the other way round
 * (`bad_definition`). Null where none is.
 */
export async function findBoundOtherwise(
  tx: Transaction,
  { workspaceId, tool, existing }: { workspaceId: string; tool: FramedTool; existing: Tool | null },
): Promise<{ ok: false; refusal: Refusal } | null> {
  const secrets = secretsOf(tool);
  const found = await findBindings(tx, {
    workspaceId,
    names: [...new Set(secrets.map(({ name }) => name))],
    exceptConnectorId: existing?.id ?? null,
  });
  const bindings = found.filter((binding) => binding.set || binding.used_elsewhere);
  const host = hostOfTool(tool);
  const elsewhere = bindings.find((binding) => binding.host !== host);
  if (elsewhere !== undefined) {
    return refuse("secret_bound_to_other_host", {
      detail:
        `${elsewhere.name} belongs to another host on this workspace, and a secret goes to one host only.`,
      hint: "Give the secret of this host a name of its own.",
    });
  }
  // A setting is told openly and stands in paths: under such a key a credential of another tool would leave.
  const problems = secrets.flatMap(({ key, name }) => {
    const binding = bindings.find((other) => other.name === name);
    if (binding === undefined || binding.is_credential === isCredential(key)) return [];
    const [here, there] = binding.is_credential ? ["setting", "credential"] : ["credential", "setting"];
    return [{
      path: placeOf(tool, key),
      says: `${name} is a ${there} on this workspace, and ${key} is a ${here}; a name of its own is wanted`,
    }];
  });
  return problems.length === 0 ? null : refuseDefinition(problems);
}

function placeOf({ kind }: FramedTool, key: CredentialKey): Path {
  if (kind === "mcp") return ["mcp", "auth", key];
  return key === "secret" ? ["auth", key] : ["auth", "env", key];
}

function refuseDefinition(problems: Problem[]) {
  return refuse("bad_definition", {
    detail: "Nothing was stored.",
    problems: formatProblems(problems),
  });
}
