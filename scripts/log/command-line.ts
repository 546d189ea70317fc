/** The command line of `deno task log`. */

import { parseArgs } from "node:util";

export const USAGE = `deno task log verify (--workspace ID | --all) [--expect HASH]
deno task log verify --file EXPORT [--whole]

Checks that the log is what was sealed, and names the first row that is not.

  --workspace ID  the log of one workspace, in the database of SUPABASE_DB_URL
  --all           the log of every workspace there
  --expect HASH   fails also where HASH is not one of the chain's; with --workspace. Note the head that a check
                  prints somewhere else, and whoever owns the database cannot remake the log unseen
  --file EXPORT   a file of GET /log/export, without any database
  --whole         fails also where events between are left out, as a filter leaves them

Exit code 0: it holds. 1: it does not, or could not be checked. 2: usage.
`;

/** What is to be checked. */
export type LogCommand =
  | { readonly does: "help" }
  /** Null for every workspace. */
  | { readonly does: "verify"; readonly workspaceId: string | null; readonly expected: string | null }
  | { readonly does: "verify_file"; readonly path: string; readonly whole: boolean };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The command, or what is wrong with it in one line. */
export function readCommand(args: readonly string[]): LogCommand | { readonly problem: string } {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        workspace: { type: "string" },
        all: { type: "boolean" },
        expect: { type: "string" },
        file: { type: "string" },
        whole: { type: "boolean" },
      },
    });
  } catch (error) {
    return { problem: (error as Error).message.split("\n")[0]! };
  }
  const { help, workspace, all, expect, file, whole } = parsed.values;
  if (help) return { does: "help" };
  if (parsed.positionals.join(" ") !== "verify") return { problem: "Say what to do: verify." };
  const given = [workspace !== undefined, all, file !== undefined].filter(Boolean);
  if (given.length !== 1) {
    return { problem: "Name what to check: --workspace, --all or --file, one of them." };
  }
  if (expect !== undefined && (workspace === undefined || !/^[0-9a-f]{64}$/i.test(expect))) {
    return { problem: "--expect takes a hash of 64 hex digits, and goes with --workspace." };
  }
  if (whole && file === undefined) return { problem: "--whole goes with --file." };
  if (file !== undefined) return { does: "verify_file", path: file, whole: whole === true };
  if (workspace !== undefined && !UUID.test(workspace)) {
    return { problem: "--workspace takes a workspace's id." };
  }
  return { does: "verify", workspaceId: workspace ?? null, expected: expect?.toLowerCase() ?? null };
}
