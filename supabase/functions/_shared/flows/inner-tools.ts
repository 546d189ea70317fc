/**
 * The tools of an outside MCP server, as a call of an mcp tool needs them: asked for when what is known of them is too
 * old, held against what was accepted, and told to whoever decides about the call.
 */

import { askServer, decideCall } from "../connectors.ts";
import { readArgumentsSchema } from "../definition/arguments.ts";
import type { ToolCall } from "../definition/call.ts";
import type { McpTool } from "../definition/format.ts";
import type { JsonObject } from "../definition/json.ts";
import { formatProblems } from "../definition/problem.ts";
import type { InnerTool } from "../gate/effect.ts";
import { isQuarantined, type KnownTool, mayDestroy, toGate } from "../inner-tools/inner-tool.ts";
import { findInnerList, type KnownList, storeInnerList } from "../inner-tools/store.ts";
import { listAnswer } from "../inner-tools/view.ts";
import type { Credentials } from "../kinds/kind.ts";
import type { AskedServer } from "../kinds/mcp.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import type { SealedSecret } from "../secrets/vault.ts";
import type { Tool } from "../tools/tool.ts";
import type { CallMeans } from "./call-tool.ts";

/** How long a server's list is taken for what it has, whatever the server says of that. */
const LIST_AGE_MS = 10 * 60 * 1_000;

/** Whose server is asked, and with what. */
export interface Asking {
  readonly tool: Tool;
  readonly sealed: readonly SealedSecret[];
  readonly timeLeftMs: () => number;
  /** Told of the credentials once they are open, which asking the server needs. */
  readonly onOpened?: (credentials: Credentials) => void;
}

/** A tool that a call names, as its server lists it. */
export interface FoundInner {
  /** For the gate. */
  readonly inner: InnerTool;
  /** The fingerprint of everything the server tells of it: an approval is bound to it. */
  readonly digest: string;
  /** For `executeDeclaredCapability`: how its server is spoken to. */
  readonly server: AskedServer;
  /** Whether the card of a call that waits says so. */
  readonly mayDestroy: boolean;
}

/**
 * The tool `name` of the server, null where it lists none: it is gone, or never was.
 *
 * With `anew` the server is asked now, as right before an approved call is sent; else only where it was asked more than
 * ten minutes ago. Refuses what asking refuses, and with `args` those the tool does not take, where its schema can be
 * read here: `bad_arguments`, and `tool_changed` when it was asked anew, since they were taken before.
 */
export async function findInner(
  means: CallMeans,
  { name, args, anew, ...asking }: Asking & { name: string; args?: JsonObject; anew: boolean },
): Promise<Result<FoundInner | null>> {
  const list = await readList(means, { ...asking, anew });
  if (!list.ok) return list;
  const known = list.value.tools.find(({ told }) => told.name === name);
  if (known === undefined) return ok(null);
  const taken = args === undefined ? ok(undefined) : checkInnerArguments(known, { args, anew });
  return taken.ok ? ok(foundOf(known, list.value)) : taken;
}

/**
 * What a call of an mcp tool is decided and executed with: of `list` the answer, of `call` the tool that it names.
 *
 * Refuses first what the file refuses by itself, so that wrong arguments open no secret and ask no server; then what
 * `findInner` refuses, and `tool_changed` for a tool that the server does not list.
 */
export async function askForCall(
  means: CallMeans,
  { call, ...asking }: Asking & { call: ToolCall },
): Promise<Result<{ inner?: InnerTool; server: AskedServer }>> {
  const { tool } = asking;
  const byFile = decideCall({ tool, call, caller: "person" });
  if (!byFile.ok) return byFile;
  if (call.args.action === "list") {
    const list = await readList(means, { ...asking, anew: false });
    return list.ok ? ok({ server: { listed: listAnswer(fileOf(tool), list.value.tools) } }) : list;
  }
  const [name, args] = [call.args.tool as string, (call.args.arguments ?? {}) as JsonObject];
  const found = await findInner(means, { ...asking, name, args, anew: false });
  if (!found.ok) return found;
  return found.value === null
    ? noSuchTool(tool)
    : ok({ inner: found.value.inner, server: found.value.server });
}

/** For a call that names a tool which its server does not list. */
export function noSuchTool({ slug }: Pick<Tool, "slug">) {
  return refuse("tool_changed", {
    detail: `The server of ${slug} does not list the tool that the call names. Nothing was sent.`,
    hint: 'Call the tool with {"action": "list"}: it tells which there are now.',
  });
}

/**
 * The same tool as it was last listed, however long ago, for who asks what was kept of it: the server is not asked. Null
 * where nothing is known of it.
 */
export async function recallInner(
  { db }: Pick<CallMeans, "db">,
  { tool, name }: { tool: Tool; name: unknown },
): Promise<InnerTool | null> {
  const list = await findInnerList(db, placeOf(tool));
  const known = list?.tools.find(({ told }) => told.name === name);
  return known === undefined ? null : toGate(known);
}

async function readList(
  means: CallMeans,
  { tool, sealed, timeLeftMs, onOpened = () => {}, anew }: Asking & { anew: boolean },
): Promise<Result<KnownList>> {
  const place = placeOf(tool);
  const askedAt = means.now();
  if (!anew) {
    const stored = await findInnerList(means.db, place);
    if (stored !== null && Math.abs(askedAt.getTime() - stored.listedAt.getTime()) < LIST_AGE_MS) {
      return ok(stored);
    }
  }
  const { keyRing, egress, now } = means;
  const list = await askServer(tool, { sealed, keyRing, egress, now, timeLeftMs, onOpened });
  return list.ok ? ok(await storeInnerList(means.db, { ...place, list: list.value, askedAt })) : list;
}

function foundOf(known: KnownTool, { era }: KnownList): FoundInner {
  return {
    inner: toGate(known),
    digest: known.digest,
    server: { era, inputSchema: known.told.inputSchema },
    mayDestroy: mayDestroy(known),
  };
}

/** A schema means what JSON Schema says, so what it does not name is let pass; one that cannot be read here is the server's to check. */
function checkInnerArguments(
  tool: KnownTool,
  { args, anew }: { args: JsonObject; anew: boolean },
): Result<void> {
  const { name, inputSchema } = tool.told;
  const { schema } = readArgumentsSchema({ additionalProperties: true, ...inputSchema }, []);
  const problems = schema?.check(args, { path: ["args", "arguments"] }) ?? [];
  if (problems.length === 0) return ok(undefined);
  // Names and values of a schema are the server's words, which nobody reads before they are accepted.
  const told = isQuarantined(tool)
    ? { hint: "What it takes is told once an administrator has accepted what the server says of it." }
    : { problems: formatProblems(problems, "args") };
  return anew
    ? refuse("tool_changed", {
      detail: `The server's tool ${
        JSON.stringify(name)
      } does not take these arguments any more. Nothing was sent.`,
      ...told,
    })
    : refuse("bad_arguments", {
      detail: `The arguments are not what the server's tool ${JSON.stringify(name)} takes.`,
      ...told,
    });
}

function placeOf(tool: Tool): { workspaceId: string; url: string } {
  return { workspaceId: tool.workspace_id, url: fileOf(tool).mcp.url };
}

function fileOf({ file }: Tool): McpTool {
  if (file.kind !== "mcp") throw new TypeError("Only a tool of kind mcp has a server");
  return file;
}
