/**
 * A PostgreSQL with pg_cron from Debian's packages, for what the embedded one has not: unpacked into the cache folder,
 * with apt's state in there too, so that nothing is installed on the machine.
 */

import { dirname, join } from "node:path";
import { makeEphemeralFolder } from "../stack/ephemeral-folder.ts";
import { cacheFolder } from "../stack/places.ts";
import { findAccount, runAs } from "../stack/run-as.ts";
import { startWatchdog } from "../stack/watchdog.ts";
import { runProgram } from "../testing/run-program.ts";

export interface DebianPostgres {
  /** Of the database `postgres`, which pg_cron looks after, as the superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs, or in words why they are not to be had on this machine. */
export async function stageDebianPostgres(): Promise<{ programs: string } | { reason: string }> {
  const folder = join(cacheFolder(), "debian-postgres-cron");
  const staged = await findPrograms(folder);
  if (staged !== null) return { programs: staged };
  await Deno.mkdir(dirname(folder), { recursive: true });
  const staging = await Deno.makeTempDir({ dir: dirname(folder), prefix: "staging-" });
  try {
    await Deno.chmod(staging, 0o755);
    await unpack(staging);
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.rename(staging, folder);
  } catch (error) {
    return { reason: `the packages cannot be had: ${(error as Error).message.trim()}` };
  } finally {
    await Deno.remove(staging, { recursive: true }).catch(() => {});
  }
  const programs = await findPrograms(folder);
  return programs === null ? { reason: `the PostgreSQL in ${folder} does not run` } : { programs };
}

/** Downloads pg_cron for the newest PostgreSQL that the machine's Debian has it for, with all it needs and lacks. */
async function unpack(folder: string): Promise<void> {
  const apt = join(folder, "apt");
  for (const path of ["lists/partial", "cache/archives/partial"]) {
    await Deno.mkdir(join(apt, path), { recursive: true });
  }
  const own = [
    "-o",
    `Dir::State::lists=${apt}/lists`,
    "-o",
    `Dir::Cache=${apt}/cache`,
    "-o",
    "APT::Sandbox::User=root",
  ];
  await run("apt-get", [...own, "update"]);
  const packages = (await run("apt-cache", [...own, "pkgnames", "postgresql-"])).split("\n");
  const versions = packages.flatMap((name) => /^postgresql-(\d+)-cron$/.exec(name)?.[1] ?? []).map(Number);
  if (versions.length === 0) throw new Error("this Debian has no postgresql-<version>-cron");
  const wanted = `postgresql-${Math.max(...versions)}`;
  const missing = await run("apt-get", [
    ...own,
    "install",
    "--print-uris",
    "-qq",
    "-y",
    "--no-install-recommends",
    `${wanted}-cron`,
  ]);
  const names = new Set([wanted, `${wanted}-cron`]);
  for (const [, file] of missing.matchAll(/^'\S+' (\S+)_\S+\.deb /gm)) names.add(file!.split("_")[0]!);
  await run("apt-get", [...own, "download", ...names], apt);
  for (const { name } of [...Deno.readDirSync(apt)]) {
    if (name.endsWith(".deb")) await run("dpkg", ["-x", join(apt, name), folder]);
  }
  await Deno.remove(apt, { recursive: true });
}

async function run(program: string, args: string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, {
    env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (code !== 0) {
    throw new Error(
      stderr.split("\n").find((line) => /^[EW]:/.test(line)) ?? `${program} ended with ${code}`,
    );
  }
  return stdout;
}

async function findPrograms(folder: string): Promise<string | null> {
  const root = join(folder, "usr/lib/postgresql");
  try {
    for (const { name } of [...Deno.readDirSync(root)]) {
      const programs = join(root, name, "bin");
      const { success } = await new Deno.Command("env", {
        args: [...libraries(programs), join(programs, "postgres"), "--version"],
        stdout: "null",
        stderr: "null",
      }).output();
      if (success) return programs;
    }
  } catch {
    // Not there, or no Debian at all.
  }
  return null;
}

/** For `env`: the libraries that were unpacked beside the programs go first. */
function libraries(programs: string): string[] {
  const unpacked = join(programs, "../../..");
  const folders = [...Deno.readDirSync(unpacked)].map(({ name }) => name).filter((name) =>
    /-linux-gnu/.test(name)
  );
  return [`LD_LIBRARY_PATH=${folders.map((name) => join(unpacked, name)).join(":")}`];
}

/** Starts a cluster of its own, with pg_cron at work in it, that leaves nothing behind. */
export async function startDebianPostgres(programs: string): Promise<DebianPostgres> {
  const folder = await makeEphemeralFolder();
  const cluster = join(folder, "cluster");
  await Deno.mkdir(cluster, { mode: 0o700 });
  const as = await runAs(await findAccount(cluster), cluster);
  const spawn = (program: string, args: string[]) =>
    as.spawn("/usr/bin/env", [...libraries(programs), join(programs, program), ...args]);
  const made = spawn("initdb", [
    "-D",
    as.dataFolder,
    "-U",
    "postgres",
    "--auth=trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
  ]);
  await made.stdin.close();
  const { success, stderr } = await made.output();
  if (!success) throw new Error(`A cluster cannot be made: ${new TextDecoder().decode(stderr)}`);
  const port = freePort();
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_preload_libraries: "pg_cron",
    "cron.use_background_workers": "on",
    fsync: "off",
  };
  const server = spawn("postgres", [
    "-D",
    as.dataFolder,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  const watchdog = startWatchdog(server.pid, { remove: folder });
  await server.stdin.close();
  const drained = server.stdout.pipeTo(new WritableStream());
  const log = await untilReady(server.stderr);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      server.kill("SIGINT");
      await Promise.all([server.status, drained, log.ended]);
      await watchdog.dismiss();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Returns when the server takes connections; `ended` settles with the end of its log. Throws the log if that comes first. */
async function untilReady(stderr: ReadableStream<Uint8Array>): Promise<{ ended: Promise<void> }> {
  const lines = stderr.pipeThrough(new TextDecoderStream());
  const reader = lines.getReader();
  let log = "";
  while (!log.includes("ready to accept connections")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`PostgreSQL does not start: ${log}`);
    log += value;
  }
  reader.releaseLock();
  return { ended: lines.pipeTo(new WritableStream()) };
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return (listener.addr as Deno.NetAddr).port;
}
