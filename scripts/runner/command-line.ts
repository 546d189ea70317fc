/** What the runner was asked to do, read from its arguments and environment. Pure. */

import { nameOf } from "../../supabase/functions/_shared/definition/words.ts";
import { type Environment, readApiAddress, type UsageProblem } from "./api-address.ts";

/** Where a file is put on a workspace. */
export interface PushTarget {
  readonly workspaceId: string;
  /** Base URL of the API, without a slash at the end. */
  readonly apiBase: string;
  readonly apiKey: string;
}

export type Command =
  | { readonly does: "help" | "version" | "schema" }
  | {
    readonly does: "test";
    /** As given; `-` is standard input. */
    readonly files: readonly string[];
    readonly json: boolean;
    /** Whether the servers of files are asked what they have. */
    readonly live: boolean;
    readonly push: PushTarget | null;
  };

const FLAGS = ["--json", "--push", "--live", "--workspace", "--help", "--version"];

/** The command that `args` ask for, or what is wrong with them. Repeats no credential and nothing a terminal obeys. */
export function readCommand(args: readonly string[], env: Environment): Command | UsageProblem {
  const given = new Set<string>();
  const names: string[] = [];
  let workspaceId: string | undefined;
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const [flag = "", inline] = arg.startsWith("--") ? splitOnce(arg) : [arg];
    if (flag === "-h") given.add("--help");
    else if (!flag.startsWith("-") || flag === "-") names.push(flag);
    else if (!FLAGS.includes(flag)) {
      return { usage: `There is no option ${optionName(flag)}; there are ${FLAGS.join(", ")}.` };
    } else if (flag !== "--workspace" && inline !== undefined) return { usage: `${flag} takes no value.` };
    else given.add(flag);
    if (flag === "--workspace") workspaceId = inline ?? takeValue(left);
  }
  if (given.has("--help")) return { does: "help" };
  if (given.has("--version")) return { does: "version" };
  const [name, ...files] = names;
  if (name === undefined) return { usage: "Say what to do: framed-tool test FILE, or framed-tool schema." };
  if (name === "schema") {
    return files.length === 0 && given.size === 0
      ? { does: "schema" }
      : { usage: "schema takes nothing: it prints the JSON schema of every file." };
  }
  if (name !== "test") return { usage: `There is no command ${nameOf(name)}; there are test and schema.` };
  return readTest(files, { given, workspaceId, env });
}

function readTest(
  files: readonly string[],
  { given, workspaceId, env }: {
    given: ReadonlySet<string>;
    workspaceId: string | undefined;
    env: Environment;
  },
): Command | UsageProblem {
  if (files.length === 0) {
    return { usage: "Name the file: framed-tool test framed-tool.json, or - for standard input." };
  }
  if (files.filter((file) => file === "-").length > 1) {
    return { usage: "Standard input can be read once: write - once." };
  }
  if (given.has("--workspace") && !workspaceId) {
    return { usage: "--workspace needs the id of the workspace: --workspace ID." };
  }
  const test = { does: "test", files, json: given.has("--json"), live: given.has("--live") } as const;
  if (!given.has("--push")) {
    return given.has("--workspace") ? { usage: "--workspace goes with --push." } : { ...test, push: null };
  }
  const push = readPushTarget(workspaceId ?? env.FRAMED_WORKSPACE?.trim(), env);
  return "usage" in push ? push : { ...test, push };
}

function readPushTarget(workspaceId: string | undefined, env: Environment): PushTarget | UsageProblem {
  if (!workspaceId) {
    return { usage: "--push needs the workspace: --push --workspace ID, or FRAMED_WORKSPACE." };
  }
  const address = readApiAddress(env);
  if ("usage" in address) return address;
  const { apiBase, apiKey } = address;
  if (apiKey === null) {
    return {
      usage: 'Set FRAMED_API_KEY to your key: FRAMED_API_KEY="frk_live_…" framed-tool test … --push.',
    };
  }
  if (workspaceId.includes(apiKey)) {
    return { usage: "--workspace holds the key: it goes in FRAMED_API_KEY alone." };
  }
  return { workspaceId, apiKey, apiBase };
}

/** The value that follows an option, which an option is not. */
function takeValue(left: string[]): string | undefined {
  return left[0]?.startsWith("-") ? undefined : left.shift();
}

function optionName(flag: string): string {
  const dashes = flag.startsWith("--") ? "--" : "-";
  return `${dashes}${nameOf(flag.slice(dashes.length))}`;
}

function splitOnce(arg: string): [flag: string, value?: string] {
  const at = arg.indexOf("=");
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}
