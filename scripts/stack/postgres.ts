/**
 * One PostgreSQL cluster in a folder: made, started on 127.0.0.1 and stopped. What else is in the data folder, and
 * who may start on it, is data-folder.ts's.
 */

import { join } from "node:path";
import { type Binaries, POSTGRES_MAJOR } from "./binaries.ts";
import { type Account, canEnter, findAccount, type RunAs, runAs } from "./run-as.ts";
import { StackProblem, systemWords } from "./stack-problem.ts";
import { startWatchdog } from "./watchdog.ts";
import { within } from "./within.ts";

/**
 * As on Supabase: `postgres` owns the database and may make roles and databases, but is no superuser, so a migration
 * that works here works there. The superuser has no password and cannot connect.
 */
const OWNER = "postgres";
const SUPERUSER = "supabase_admin";

export interface ClusterOptions {
  readonly binaries: Binaries;
  /** The cluster's own folder, made when it is not there. */
  readonly folder: string;
  /** Of the owner, letters and digits; the one it was made with when the cluster is older. */
  readonly password: string;
  /** False when the cluster may be lost with the machine: nothing waits for the disk. */
  readonly durable: boolean;
  /** The port to take if it is free. */
  readonly preferredPort?: number;
  /** A folder that goes with the cluster if this process dies. */
  readonly removeWhenKilled?: string;
}

export interface Cluster {
  /** Of the process that all others of the cluster come from. */
  readonly pid: number;
  readonly port: number;
  /** Of the database `postgres`, as its owner. */
  readonly url: string;
  /** Settles when PostgreSQL has ended, whether it was stopped or not, with its last words of distress if any. */
  readonly ended: Promise<{ lastWords: string | null }>;
  /** Ends every connection, writes everything down and returns when PostgreSQL is gone. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = { SIGINT: 15_000, SIGQUIT: 5_000, SIGKILL: 5_000 } as const;
const PORT_TRIES = 5;

/**
 * Makes the cluster when `folder` holds none, starts it and returns when it takes connections.
 *
 * Throws a StackProblem, with nothing left running, when the folder is another major version's or PostgreSQL says no.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { binaries, folder } = options;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const version = await readVersion(folder);
  if (version !== null && version !== POSTGRES_MAJOR) {
    throw new StackProblem(
      `${folder} was made by PostgreSQL ${version}, and this stack runs ${POSTGRES_MAJOR}. ` +
        "Name another folder with --data, or remove this one.",
    );
  }
  const account = await findAccount(folder);
  if (account !== null && !(await canEnter(account, binaries.folder))) {
    throw new StackProblem(
      `The account ${account.name} that PostgreSQL runs as cannot enter ${binaries.folder}. ` +
        "Name a folder it can enter with FRAMED_CACHE_DIR.",
    );
  }
  if (version === null) await makeCluster(account, options);
  const as = await runAs(account, folder);
  for (let attempt = 1;; attempt++) {
    const port = attempt === 1 && options.preferredPort !== undefined && isFree(options.preferredPort)
      ? options.preferredPort
      : freePort();
    const started = await tryStart(as, { ...options, port });
    if (started !== "port taken") return started;
    if (attempt === PORT_TRIES) throw new StackProblem("PostgreSQL found no free port on 127.0.0.1.");
  }
}

async function readVersion(folder: string): Promise<string | null> {
  try {
    return (await Deno.readTextFile(join(folder, "PG_VERSION"))).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw new StackProblem(`${folder} cannot be read: ${systemWords(error)}`);
  }
}

/** Made beside its place and moved there when it is whole, so that a start that is killed leaves no half of one. */
async function makeCluster(account: Account | null, options: ClusterOptions): Promise<void> {
  const { binaries, folder, password, durable } = options;
  for await (const _ of Deno.readDir(folder)) {
    throw new StackProblem(`${folder} holds something that is no PostgreSQL cluster. Name another folder.`);
  }
  const fresh = `${folder}.new`;
  try {
    await Deno.remove(fresh, { recursive: true }).catch(ignoreMissing);
    await Deno.mkdir(fresh, { mode: 0o700 });
    const as = await runAs(account, fresh);
    await finish(as.spawn(binaries.initdb, [
      `--pgdata=${as.dataFolder}`,
      `--username=${SUPERUSER}`,
      // The owner and the password follow below, without a file that the account would have to reach.
      "--auth=trust",
      "--encoding=UTF8",
      "--locale=C",
      // The same order on every machine, whatever locales it has.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      ...(durable ? [] : ["--no-sync"]),
    ]));
    await finish(
      as.spawn(binaries.postgres, ["--single", "-D", as.dataFolder, ...(durable ? [] : ["-F"]), "postgres"]),
      `create role ${OWNER} login createrole createdb bypassrls replication password '${password}'\n` +
        `alter database postgres owner to ${OWNER}\n`,
    );
    await Deno.writeTextFile(join(fresh, "pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
    await Deno.remove(folder);
    await Deno.rename(fresh, folder);
  } catch (error) {
    await Deno.remove(fresh, { recursive: true }).catch(() => {});
    throw new StackProblem(`The database in ${folder} cannot be made: ${systemWords(error)}`);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function finish(child: Deno.ChildProcess, input = ""): Promise<void> {
  const writer = child.stdin.getWriter();
  const write = writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { success, stderr } = await child.output();
  await write;
  if (!success) throw new Error(distress(new TextDecoder().decode(stderr)) ?? "no reason given");
}

async function tryStart(
  as: RunAs,
  options: ClusterOptions & { port: number },
): Promise<Cluster | "port taken"> {
  const { port, password, durable } = options;
  const child = as.spawn(options.binaries.postgres, ["-D", as.dataFolder, ...settings({ port, durable })]);
  const watchdog = startWatchdog(child.pid, { remove: options.removeWhenKilled });
  await child.stdin.close();
  const log = followLog(child.stderr);
  const drained = child.stdout.pipeTo(new WritableStream());
  const ended = Promise.all([child.status, log.closed, drained])
    .then(() => watchdog.dismiss())
    .then(() => ({ lastWords: log.lastWords() }));
  const stop = () => stopChild(child, ended);
  const ready = await within(
    READY_WITHIN_MS,
    Promise.race([log.ready.then(() => "ready" as const), ended.then(() => "ended" as const)]),
  );
  if (ready === "ready") {
    const url = `postgresql://${OWNER}:${password}@127.0.0.1:${port}/postgres`;
    return { pid: child.pid, port, url, ended, stop };
  }
  await stop();
  if (log.portTaken()) return "port taken";
  throw new StackProblem(
    `PostgreSQL does not start in ${options.folder}: ${log.lastWords() ?? "no reason given"}`,
  );
}

/** Passed at each start and not written into the cluster, so that they change with the code. */
function settings({ port, durable }: { port: number; durable: boolean }): string[] {
  const values: Record<string, string | number> = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 100,
    shared_buffers: "32MB",
    // No standby and no parallel query: less memory, and none of the /dev/shm that containers are short of.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    max_parallel_workers_per_gather: 0,
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    // Who says it: the last words of a connection are not the cluster's.
    log_line_prefix: "%b ",
    // A statement can hold what a person pasted; it is not repeated in any log.
    log_min_error_statement: "panic",
    log_statement: "none",
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function followLog(stderr: ReadableStream<Uint8Array>) {
  const ready = Promise.withResolvers<void>();
  let portTaken = false;
  let lastWords: string | null = null;
  const closed = stderr
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(lines())
    .pipeTo(
      new WritableStream({
        write(line) {
          if (line.includes("database system is ready to accept connections")) ready.resolve();
          if (/could not bind .*address/i.test(line)) portTaken = true;
          if (!/^(?:client backend|autovacuum worker) /.test(line)) lastWords = distress(line) ?? lastWords;
        },
      }),
    );
  return { ready: ready.promise, closed, portTaken: () => portTaken, lastWords: () => lastWords };
}

/** Why one of PostgreSQL's programs gives up, without time and process: what it says first, later words follow from it. */
function distress(log: string): string | null {
  const [, words, hint] = /(?:FATAL|PANIC|error): +(.*)(?:\n.*HINT: +(.*))?/.exec(log) ?? [];
  return words === undefined ? null : [words.trim(), hint?.trim()].filter(Boolean).join(". ");
}

function lines(): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) controller.enqueue(part);
    },
    flush: (controller) => controller.enqueue(rest),
  });
}

/** Fast shutdown, then immediate, then by force. */
async function stopChild(child: Deno.ChildProcess, ended: Promise<unknown>): Promise<void> {
  for (const [signal, ms] of Object.entries(STOP_WITHIN_MS)) {
    try {
      child.kill(signal as Deno.Signal);
    } catch {
      break; // It has ended already.
    }
    if (await within(ms, ended) !== "late") return;
  }
  await ended;
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return (listener.addr as Deno.NetAddr).port;
}
