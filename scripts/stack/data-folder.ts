/**
 * What a stack keeps between runs: the database cluster and, in one file, everything that was made up for it. One
 * stack at a time runs on a folder.
 */

import { join } from "node:path";
import { endOrphan } from "./orphan.ts";
import { makeSettings, type Settings } from "./settings.ts";
import { StackProblem, systemWords } from "./stack-problem.ts";
import { within } from "./within.ts";

/** An open data folder; nobody else has it until `close`. */
export interface DataFolder {
  readonly path: string;
  /** Of the database cluster. */
  readonly clusterPath: string;
  readonly settings: Settings;
  /** Keeps the changed settings for the next run. */
  save(settings: Settings): Promise<void>;
  close(): void;
}

const SETTINGS_FILE = "stack.json";
const LOCK_FILE = "lock";
/** What a first start leaves when it is killed at once, and what stands on every fresh ext4 volume. */
const MAY_STAND_IN_NEW = new Set([LOCK_FILE, `${SETTINGS_FILE}.new`, "lost+found"]);
/** A lock that nobody holds is had at once; this is for a machine under load. */
const LOCK_WITHIN_MS = 1_000;

/**
 * Makes or opens the data folder and ends a PostgreSQL that an earlier start left running in it.
 *
 * Throws a StackProblem when another start has it (a lock that ends with the process that holds it, however that
 * ends), when it holds something else, or when it cannot be written.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    // Other accounts may walk through to the cluster, which is closed by itself; they cannot list or read.
    await Deno.mkdir(path, { recursive: true, mode: 0o711 });
    await refuseOther(path);
    const lock = await takeLock(path);
    try {
      return await openLocked(path, lock);
    } catch (error) {
      lock.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StackProblem) throw error;
    throw new StackProblem(`The data folder ${path} cannot be used: ${systemWords(error)}`);
  }
}

async function openLocked(path: string, lock: Deno.FsFile): Promise<DataFolder> {
  const clusterPath = join(path, "cluster");
  await endOrphan(clusterPath);
  const file = join(path, SETTINGS_FILE);
  let settings = await readSettings(file);
  if (settings === null) {
    settings = await makeSettings();
    await writeSettings(file, settings);
  }
  return {
    path,
    clusterPath,
    settings,
    save: (changed) => writeSettings(file, changed),
    close: () => lock.close(),
  };
}

async function refuseOther(path: string): Promise<void> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(path)) names.push(name);
  if (names.includes(SETTINGS_FILE) || names.every((name) => MAY_STAND_IN_NEW.has(name))) return;
  throw new StackProblem(
    `${path} holds something else than a stack's data. Name an empty folder, or one that does not exist, with --data.`,
  );
}

async function takeLock(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(join(path, LOCK_FILE), { create: true, write: true, mode: 0o600 });
  const locked = file.lock(true);
  locked.catch(() => {});
  if (await within(LOCK_WITHIN_MS, locked) !== "late") return file;
  throw new StackProblem(
    `Another stack runs on the data folder ${path}. Stop it, or name another folder with --data.`,
  );
}

async function readSettings(file: string): Promise<Settings | null> {
  try {
    return JSON.parse(await Deno.readTextFile(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    if (error instanceof SyntaxError) throw new StackProblem(`${file} is damaged: it is not JSON.`);
    throw error;
  }
}

/** Whole or not at all: what is in there opens the secrets in the database. */
async function writeSettings(file: string, settings: Settings): Promise<void> {
  const fresh = `${file}.new`;
  await Deno.writeTextFile(fresh, JSON.stringify(settings, null, 2) + "\n", { mode: 0o600 });
  const handle = await Deno.open(fresh, { write: true });
  try {
    await handle.sync();
  } finally {
    handle.close();
  }
  await Deno.rename(fresh, file);
}
