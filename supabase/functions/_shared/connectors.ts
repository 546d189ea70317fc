/** Runs a call of a tool: every gate first, then the kind's adapter. Nothing leaves before all of them let it pass. */

import type { ToolCall } from "./definition/call.ts";
import { type CredentialKey, isCredential } from "./definition/credentials.ts";
import type { FramedTool } from "./definition/format.ts";
import { hostOfTool } from "./definition/tool-secrets.ts";
import type { Egress } from "./egress/guarded-fetch.ts";
import type { Caller, InnerTool } from "./gate/effect.ts";
import { judgeCall, type JudgedCall } from "./gate/judge-call.ts";
import { executeFixture } from "./kinds/fixture.ts";
import { type Credentials, endUnsent, type Executed, type Means } from "./kinds/kind.ts";
import { type AskedServer, executeMcp } from "./kinds/mcp.ts";
import { listServerTools } from "./kinds/mcp-list.ts";
import { executeRequest } from "./kinds/request.ts";
import type { ServerList } from "./inner-tools/inner-tool.ts";
import { ok, refuse, type Result } from "./outcome/result.ts";
import type { KeyRing } from "./secrets/key-ring.ts";
import { createRedactor } from "./secrets/redact.ts";
import { openSecrets, type SealedSecret } from "./secrets/vault.ts";
import { statusOf, type Tool, waitsFor } from "./tools/tool.ts";

/** A call that is to be decided: of which tool, and who calls. */
export interface Decision {
  readonly tool: Pick<Tool, "slug" | "file" | "runs_as_read">;
  readonly call: ToolCall;
  readonly caller: Caller;
  /** What the outside server says of the tool that an mcp call names; left out, it is unknown. */
  readonly inner?: InnerTool;
}

/** What a call of a tool is run with. */
export interface Execution extends Decision {
  readonly tool: Tool;
  readonly sealed: readonly SealedSecret[];
  readonly keyRing: KeyRing | null;
  readonly egress: Egress;
  readonly timeLeftMs: () => number;
  readonly now: () => Date;
  /** Told of the credentials once they are open: from then on nothing the call leaves behind may hold them. */
  readonly onOpened: (credentials: Credentials) => void;
  /** What `decideCall` made of this very call of this very definition; null where it was not asked yet. */
  readonly decided: JudgedCall | null;
  /** What was found out of the server of an mcp tool. Without it no call of one goes out. */
  readonly server?: AskedServer;
  /** Set for a call that a person approved: it may run though it waits, over a connection of its own. */
  readonly approved?: { readonly idempotencyKey: string };
}

/**
 * Executes a call that runs at once, or refuses it before any fixture, client or HTTP, as `decideCall` does. A refusal
 * holds nothing of an answer.
 */
export async function executeDeclaredCapability(execution: Execution): Promise<Executed> {
  const { tool: { slug, file }, call, approved } = execution;
  const decided = execution.decided === null ? decideCall(execution) : ok(execution.decided);
  if (!decided.ok) return endUnsent(decided);
  if (decided.value.effect.does === "waits" && approved === undefined) {
    return endUnsent(refuseUnapproved(slug));
  }
  const { server } = execution;
  return await execute(file, { call, decided: decided.value, server, means: meansOf(execution) });
}

/** The tools of an mcp tool's server, as it tells of them now. Opens the tool's secrets; decides nothing. */
export async function askServer(
  tool: Tool,
  given: Omit<Execution, keyof Decision | "decided" | "server" | "approved">,
): Promise<Result<ServerList>> {
  if (tool.file.kind !== "mcp") throw new TypeError("Only a tool of kind mcp has a server");
  return await listServerTools(tool.file, meansOf({ ...given, tool }));
}

/** Whether a call runs or waits for a person, or what refuses it, as `judgeCall` says. */
export function decideCall({ tool, call, caller, inner }: Decision): Result<JudgedCall> {
  return judgeCall({
    tool: tool.file,
    call,
    caller,
    runsAsRead: tool.runs_as_read,
    ...(inner === undefined ? {} : { inner }),
  });
}

/** For a call that waits for a person, where nobody is asked. */
export function refuseUnapproved(slug: string) {
  return refuse("approval_required", {
    detail: `This call of ${slug} waits for a person's approval. Nothing was sent.`,
    hint: "Call the tool without kept: that proposes it to the people of the workspace.",
  });
}

function execute(
  file: FramedTool,
  { call, decided: { request }, server, means }: {
    call: ToolCall;
    decided: JudgedCall;
    server: AskedServer | undefined;
    means: Means;
  },
): Promise<Executed> {
  switch (file.kind) {
    case "fixture":
      return executeFixture(file, { call, means });
    case "request":
      return executeRequest(file, { call, request: request!, means });
    case "mcp":
      return server === undefined ? Promise.resolve(UNASKED) : executeMcp(file, { call, server, means });
    default:
      file satisfies never;
      throw new TypeError("unknown kind");
  }
}

/** Fails closed: what a call of a server's tool does is not known before the server said so. */
const UNASKED = endUnsent(
  refuse("tool_changed", {
    detail: "What the server says of this tool was not looked at. Nothing was sent.",
  }),
);

/** Lets pass a tool all of whose values are there and allowed. */
export function requireValues(tool: Pick<Tool, "slug" | "uses">): Result<void> {
  const status = statusOf(tool.uses);
  switch (status) {
    case "ready":
      return ok(undefined);
    case "waits_for_secret":
      return refuse("secret_missing", {
        detail: `${tool.slug} waits for the value of ${waitsFor(tool.uses).join(", ")}.`,
        hint: "An administrator pastes it on the tool under Connections.",
      });
    case "waits_for_admin":
      return refuse("secret_missing", {
        detail: `${tool.slug} names a stored secret that no administrator has allowed it to use.`,
        hint: "An administrator allows it on the tool under Connections.",
      });
    default:
      status satisfies never;
      throw new TypeError("unknown status");
  }
}

function meansOf(
  { tool, sealed, keyRing, egress, timeLeftMs, now, onOpened, approved }: Omit<
    Execution,
    "call" | "caller" | "decided"
  >,
): Means {
  return {
    ...(approved === undefined ? {} : { fresh: true, idempotencyKey: approved.idempotencyKey }),
    egress,
    timeLeftMs,
    now,
    async openCredentials() {
      const opened = await openCredentials(tool, { sealed, keyRing });
      if (opened.ok) onOpened(opened.value);
      return opened;
    },
  };
}

/**
 * Opens what the tool names, where every value is there and allowed, after one more look that each value belongs to the
 * tool's own host and is the credential or the setting it is used as.
 */
async function openCredentials(
  tool: Tool,
  { sealed, keyRing }: { sealed: readonly SealedSecret[]; keyRing: KeyRing | null },
): Promise<Result<Credentials>> {
  const usable = requireValues(tool);
  if (!usable.ok) return usable;
  const host = hostOfTool(tool.file);
  const elsewhere = sealed.find((secret) => secret.host !== host);
  if (elsewhere !== undefined) {
    return refuse("secret_bound_to_other_host", {
      detail: `${elsewhere.name} belongs to another host. Nothing was sent.`,
    });
  }
  const roles = new Map(sealed.map(({ name, is_credential }) => [name, is_credential]));
  const otherRole = tool.uses.find(({ name, credential_key }) =>
    roles.get(name) === !isCredential(credential_key)
  );
  if (otherRole !== undefined) {
    return refuse("secret_missing", {
      detail:
        `${otherRole.name} is kept as a credential and used as a setting, or the other way round. Nothing was sent.`,
    });
  }
  if (sealed.length > 0 && keyRing === null) {
    return refuse("store_unavailable", {
      detail: "This stack has no master key, so no secret can be opened. Nothing was sent.",
      hint: "Its operator sets FRAMED_SECRET_KEYS; see docs/operate.md.",
      retryAfterSeconds: 300,
    });
  }
  const byName = keyRing === null
    ? new Map<string, string>()
    : await openSecrets(sealed, { keyRing, workspaceId: tool.workspace_id });
  const values = new Map<CredentialKey, string>();
  const names = new Map<CredentialKey, string>();
  for (const { credential_key, name } of tool.uses) {
    const value = byName.get(name);
    if (value === undefined) {
      return refuse("secret_missing", { detail: `${tool.slug} waits for the value of ${name}.` });
    }
    values.set(credential_key, value);
    names.set(credential_key, name);
  }
  // Settings are told to everyone; taking them out would mangle answers that speak of them.
  const credentials = [...values].filter(([key]) => isCredential(key)).map(([, value]) => value);
  return ok({ values, names, redact: createRedactor(credentials) });
}
