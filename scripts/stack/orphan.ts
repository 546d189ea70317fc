/** Ends a PostgreSQL that a killed start has left behind. Only whoever holds the data folder's lock may ask for this. */

import { join } from "node:path";
import { kill } from "node:process";
import { StackProblem } from "./stack-problem.ts";

const POLL_MS = 50;
const TRIES = { SIGINT: 200, SIGQUIT: 100, SIGKILL: 100 } as const;

/**
 * Returns when no PostgreSQL runs in `clusterPath`: fast shutdown first, then immediate, then by force.
 *
 * A process id that now belongs to another program is left alone, and its stale file removed, because PostgreSQL
 * would refuse to start beside it. Nothing is ended on Windows, where PostgreSQL then says so itself.
 */
export async function endOrphan(clusterPath: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  const file = join(clusterPath, "postmaster.pid");
  const pid = await readPid(file);
  if (pid === null || !isAlive(pid)) return;
  if (!(await runsIn(pid, clusterPath))) {
    await Deno.remove(file);
    return;
  }
  for (const [signal, tries] of Object.entries(TRIES)) {
    kill(pid, signal);
    for (let tried = 0; tried < tries; tried++) {
      if (!isAlive(pid) || !(await runsIn(pid, clusterPath))) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  throw new StackProblem(`PostgreSQL still runs in ${clusterPath} as process ${pid} and cannot be ended.`);
}

async function readPid(file: string): Promise<number | null> {
  try {
    const pid = Number.parseInt(await Deno.readTextFile(file), 10);
    return pid > 1 ? pid : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** PostgreSQL's working directory is its cluster; where that cannot be seen, its command line names it. */
async function runsIn(pid: number, clusterPath: string): Promise<boolean> {
  if (Deno.build.os === "linux") {
    // A process that has ended but was not collected by its parent has no working directory.
    const folder = await Deno.readLink(`/proc/${pid}/cwd`).catch(() => null);
    return folder !== null && folder === await Deno.realPath(clusterPath);
  }
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "command=", "-p", String(pid)] }).output();
  return new TextDecoder().decode(stdout).includes(clusterPath);
}
