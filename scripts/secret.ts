/**
 * `deno task secret paste|remove|allow TOOL NAME --workspace ID`: what an administrator does under Connections, from a
 * shell. Signs in as a person, since no key may do this; the value comes on standard input and is never printed.
 */

import { parseArgs } from "node:util";
import { type CredentialKey, isCredential } from "../supabase/functions/_shared/definition/credentials.ts";
import { apiBase, runCommand, SIGN_IN_VARIABLES, signIn, UsageProblem } from "./person/sign-in.ts";

const USAGE = `deno task secret paste|remove|allow TOOL NAME [--workspace ID] [--version N]

  paste   stores the value that comes on standard input, sealed, and lets TOOL use it
  remove  removes the value for every tool that uses it
  allow   lets TOOL use a value that is stored already

  --version N   the version you looked at: nothing is done where the tool is at another one

From the environment:
${SIGN_IN_VARIABLES}
  FRAMED_WORKSPACE        the workspace, where --workspace is left out`;

const DONE = { paste: "stored", remove: "removed", allow: "allowed" } as const;

async function run(args: string[]): Promise<void> {
  const { action, tool, name, workspaceId, seen } = readArgs(args);
  const token = await signIn();
  const path = `${apiBase()}/tools/${encodeURIComponent(tool)}`;
  const ask = (address: string, method: string, body?: object) => askApi(address, { method, token, body });

  const { version: now, secrets } = await ask(`${path}?workspace_id=${workspaceId}`, "GET");
  // Without a version that was looked at, what is decided is about the tool as it is at this moment.
  const version = seen ?? now;
  const use: { host: string; keys: CredentialKey[] } | undefined = secrets.find((secret: { name: string }) =>
    secret.name === name
  );
  if (use === undefined) {
    const named = secrets.map((secret: { name: string }) => secret.name).join(", ");
    throw new Error(`${tool} names ${named === "" ? "no secret" : named}, and not ${name}.`);
  }
  if (action !== "remove") {
    const openly = use.keys.every(isCredential) ? "" : ": a setting, which answers may show";
    console.error(`${name} goes to ${use.host} only, as ${use.keys.join(" and ")}${openly}.`);
  }
  const secret = `${path}/secrets/${encodeURIComponent(name)}`;
  switch (action) {
    case "paste":
      await ask(secret, "PUT", { workspace_id: workspaceId, version, value: await readValue() });
      break;
    case "allow":
      await ask(`${secret}/allow`, "POST", { workspace_id: workspaceId, version });
      break;
    case "remove":
      await ask(`${secret}?workspace_id=${workspaceId}`, "DELETE");
      break;
    default:
      action satisfies never;
  }
  console.error(`${name} on ${tool}: ${DONE[action]}.`);
}

/** Asks the API and gives its answer's body; throws what it says in words when it refuses. */
async function askApi(
  address: string,
  { method, token, body }: { method: string; token: string; body: object | undefined },
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error(`The API at ${new URL(address).origin} could not be reached.`);
  });
  const answered = response.status === 204
    ? {}
    : await response.json().catch(() => ({ title: `The API answered ${response.status}, and no JSON.` }));
  if (response.ok) return answered;
  const { title, detail, problems = [], hint } = answered;
  throw new Error([title, detail, ...problems, hint].filter(Boolean).join("\n"));
}

function readArgs(args: string[]) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: { workspace: { type: "string" }, version: { type: "string" } },
    });
  } catch (error) {
    throw new UsageProblem((error as Error).message);
  }
  const [action, tool, name, ...rest] = parsed.positionals;
  const workspaceId = parsed.values.workspace ?? Deno.env.get("FRAMED_WORKSPACE");
  const seen = parsed.values.version === undefined ? null : Number(parsed.values.version);
  if (seen !== null && !(Number.isInteger(seen) && seen > 0)) {
    throw new UsageProblem("--version takes a number from 1.");
  }
  if (action === undefined || !Object.hasOwn(DONE, action)) {
    throw new UsageProblem("Say what to do: paste, remove or allow.");
  }
  if (tool === undefined || name === undefined || rest.length > 0) {
    throw new UsageProblem("One tool and one name are wanted.");
  }
  if (!workspaceId) throw new UsageProblem("--workspace is missing, and FRAMED_WORKSPACE is not set.");
  return { action: action as keyof typeof DONE, tool, name, workspaceId, seen };
}

/** All of standard input but one line end at its end, which `echo` adds. */
async function readValue(): Promise<string> {
  if (Deno.stdin.isTerminal()) {
    console.error("Type or paste the value, then end it with Ctrl-D on a line of its own.");
  }
  return (await new Response(Deno.stdin.readable).text()).replace(/\r?\n$/, "");
}

if (import.meta.main) Deno.exit(await runCommand(USAGE, run));
