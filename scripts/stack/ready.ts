/** What a running stack says about itself: one line for a program, a page for a person. Pure. */

import type { Settings } from "./settings.ts";

/** Where a stack runs. */
export interface RunningStack {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly databaseUrl: string;
  /** Null for a stack that leaves nothing. */
  readonly dataFolder: string | null;
  readonly settings: Settings;
}

/** The ready line of `--json`: every address and every credential of the demo workspace, on one line. */
export function readyLine({ origin, databaseUrl, settings }: RunningStack): string {
  const { publishableKey, cronSecret, demo } = settings;
  return JSON.stringify({
    ready: true,
    api: `${origin}/api`,
    functions: `${origin}/functions/v1`,
    auth: `${origin}/auth/v1`,
    console: origin,
    database: databaseUrl,
    publishable_key: publishableKey,
    workspace_id: demo.account.workspace.id,
    api_key: demo.apiKey,
    reseller_key: demo.resellerKey,
    admin: { email: demo.admin.email, password: demo.admin.password },
    member: { email: demo.member.email, password: demo.member.password },
    cron_secret: cronSecret,
    other: { workspace_id: demo.other.account.workspace.id, api_key: demo.other.apiKey },
  });
}

/**
 * What runs where and what to do next; each of the three last lines can be pasted into a shell. `deno` is how the program is
 * called there.
 */
export function readyPage(
  { origin, databaseUrl, dataFolder, settings }: RunningStack,
  { deno = "deno" }: { deno?: string } = {},
): string {
  const { account, admin, member } = settings.demo;
  const workspace = account.workspace.id;
  return `
Framed tools is running. Ctrl-C stops it.

  API        ${origin}/api
  Functions  ${origin}/functions/v1
  Connect    ${origin}/api/connect/mcp
  Sign-in    ${origin}/auth/v1
  Console    ${origin}
  Database   ${databaseUrl}
  Data       ${dataFolder ?? "kept nowhere: it goes when the stack stops"}

  Workspace  ${workspace}
  Admin      ${admin.email}  ${admin.password}
  Member     ${member.email}  ${member.password}

What now, in another terminal in this folder; the quick start in README.md goes on from the first line:

  export ${shellVariables({ origin, settings })}
  ${deno} task framed-tool test tools/moneybird/framed-tool.json
  curl -H "X-Framed-Api-Key: $FRAMED_API_KEY" "$FRAMED_API_BASE/tools?workspace_id=$FRAMED_WORKSPACE"
`;
}

/** What the commands of this repository read from the environment, for the demo workspace's administrator. */
function shellVariables({ origin, settings }: Pick<RunningStack, "origin" | "settings">): string {
  const { publishableKey, demo } = settings;
  return Object.entries({
    FRAMED_API_BASE: `${origin}/api`,
    FRAMED_WORKSPACE: demo.account.workspace.id,
    FRAMED_API_KEY: demo.apiKey,
    FRAMED_PUBLISHABLE_KEY: publishableKey,
    FRAMED_EMAIL: demo.admin.email,
    FRAMED_PASSWORD: demo.admin.password,
  }).map(([name, value]) => `${name}=${value}`).join(" ");
}
