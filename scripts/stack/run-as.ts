/**
 * Which account PostgreSQL runs as and how its programs are started in a data folder.
 *
 * PostgreSQL refuses to run as root. Started by root, it runs as the account that owns the data folder already,
 * else as `postgres` or `nobody`. That account may be unable to walk to the folder (a home folder of mode 0700);
 * on Linux the programs then start inside it and call it `/proc/self/cwd`, which needs no walk.
 */

import { isRoot } from "./places.ts";
import { StackProblem, systemWords } from "./stack-problem.ts";

/** An account without privileges of its own. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** How the programs of PostgreSQL are started on one data folder. */
export interface RunAs {
  /** What the programs call the data folder. */
  readonly dataFolder: string;
  /** Starts `program`, in a process group of its own where the runtime can do that (Deno 2.5 and up). */
  spawn(program: string, args: string[]): Deno.ChildProcess;
}

const CANDIDATES = ["postgres", "_postgres", "nobody"];

/**
 * The account to run as in `folder`, which exists: null when this process can run PostgreSQL itself.
 *
 * Throws a StackProblem when this process is root and no account without privileges exists.
 */
export async function findAccount(folder: string): Promise<Account | null> {
  if (!isRoot()) return null;
  const accounts = await readAccounts();
  const { uid } = await Deno.stat(folder);
  const owner = accounts.find((account) => account.uid === uid && uid !== 0);
  if (owner) return owner;
  for (const name of CANDIDATES) {
    const found = accounts.find((account) => account.name === name && account.uid !== 0);
    if (found) return found;
  }
  throw new StackProblem(
    `PostgreSQL does not run as root, and this system has no account ${
      CANDIDATES.join(", ")
    } to run it as. ` +
      "Start the stack as another user.",
  );
}

/** Makes `folder` the account's and says how to start programs on it; refuses a folder the account cannot reach. */
export async function runAs(account: Account | null, folder: string): Promise<RunAs> {
  if (account === null) {
    return { dataFolder: folder, spawn: (program, args) => spawn(program, { args, cwd: folder }) };
  }
  await giveTo(account, folder);
  if (await canEnter(account, folder)) {
    const { uid, gid } = account;
    return { dataFolder: folder, spawn: (program, args) => spawn(program, { args, uid, gid, cwd: "/" }) };
  }
  if (Deno.build.os === "linux" && await hasSetpriv()) {
    const drop = [`--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups", "--"];
    return {
      dataFolder: "/proc/self/cwd",
      spawn: (program, args) => spawn("setpriv", { args: [...drop, program, ...args], cwd: folder }),
    };
  }
  throw new StackProblem(
    `PostgreSQL does not run as root, and the account ${account.name} it would run as cannot enter ${folder}. ` +
      "Name a folder it can enter with --data.",
  );
}

/** True when the account can walk to `folder` and enter it. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  const { uid, gid } = account;
  try {
    const { success } = await new Deno.Command("sh", {
      args: ["-c", 'cd -- "$1"', "sh", folder],
      uid,
      gid,
      cwd: "/",
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch (error) {
    throw new StackProblem(
      `PostgreSQL does not run as root, and this process may not start a program as ${account.name}: ` +
        `${systemWords(error)}. Start the stack as another user.`,
    );
  }
}

/** Owner of everything in a folder that another account (root's former choice, a copy by root) has left. */
async function giveTo(account: Account, folder: string): Promise<void> {
  const { uid, gid } = await Deno.stat(folder);
  if (uid === account.uid && gid === account.gid) return;
  try {
    await chownAll(folder, account);
  } catch (error) {
    throw new StackProblem(`${folder} cannot be given to the account ${account.name}: ${systemWords(error)}`);
  }
}

async function chownAll(path: string, account: Account): Promise<void> {
  for await (const entry of Deno.readDir(path)) {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory) await chownAll(inner, account);
    else if (entry.isFile) await Deno.chown(inner, account.uid, account.gid);
  }
  await Deno.chown(path, account.uid, account.gid);
}

async function readAccounts(): Promise<Account[]> {
  // macOS keeps its system accounts in /etc/passwd too.
  const text = await Deno.readTextFile("/etc/passwd").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [name = "", , uid, gid] = line.split(":");
    // macOS writes the uid of nobody as -2.
    return uid && gid ? [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }] : [];
  });
}

async function hasSetpriv(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("setpriv", {
      args: ["--version"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false;
  }
}

function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  return new Deno.Command(program, {
    // Keeps Ctrl-C, which a terminal sends to the whole group, from reaching PostgreSQL before the HTTP side is down.
    detached: true,
    clearEnv: true,
    env: environment(),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...options,
  }).spawn();
}

/** Nothing of ours: PG* variables would steer the programs, and keys have no business there. */
function environment(): Record<string, string> {
  const kept: Record<string, string> = { TZ: "UTC", LC_ALL: "C" };
  for (const name of ["PATH", "SystemRoot", "TMPDIR", "TEMP"]) {
    const value = Deno.env.get(name);
    if (value) kept[name] = value;
  }
  return kept;
}
