/**
 * A migrated database of its own for each test file, copied from one template.
 *
 * A test run starts one cluster for all its processes (`startTestCluster`) and says where it is in the environment. A
 * test file that is run by itself finds no such variable and starts its own.
 */

import { join } from "node:path";
import postgres from "postgres";
import { stageBinaries } from "../stack/binaries.ts";
import { bootstrapDatabase } from "../stack/bootstrap.ts";
import { makeEphemeralFolder } from "../stack/ephemeral-folder.ts";
import { applyMigrations, readMigrations } from "../stack/migrations.ts";
import { cacheFolder } from "../stack/places.ts";
import { startCluster } from "../stack/postgres.ts";
import { dropDatabase } from "./drop-database.ts";

/** Holds the URL of the template database, as its owner. */
const VARIABLE = "FRAMED_TEST_DATABASE";
const TEMPLATE = "framed_template";
/** For what a killed server leaves behind to end. */
const CRASH_WITHIN_MS = 20_000;
const MIGRATIONS = join(import.meta.dirname!, "..", "..", "supabase", "migrations");

export interface TestCluster {
  /** For the environment of every test process. */
  readonly env: Record<string, string>;
  /** Sets what may be set while it runs, as in `postgresql.conf`. */
  configure(values: Readonly<Record<string, string | number>>): Promise<void>;
  /** Ends the cluster and starts it again at the same place. */
  restart(): Promise<void>;
  /** The same without any goodbye: `SIGQUIT` is an immediate stop, `SIGKILL` none at all. */
  crash(signal: "SIGQUIT" | "SIGKILL"): Promise<void>;
  /** Ends the cluster with everything in it. */
  stop(): Promise<void>;
}

export interface TestDatabase {
  /** As the owner, the way `SUPABASE_DB_URL` is. */
  readonly url: string;
  /** One open connection as the owner, to arrange and to look. */
  readonly sql: postgres.Sql;
  /** Closes `sql`, ends what else is connected and removes the database. */
  drop(): Promise<void>;
}

/** Where the run's cluster is, for the environment of a test run within this one; empty outside of a run. */
export function clusterOfRun(): Record<string, string> {
  const shared = Deno.env.get(VARIABLE);
  return shared === undefined ? {} : { [VARIABLE]: shared };
}

/** Starts a cluster that leaves nothing behind, with the migrated template in it. */
export async function startTestCluster(): Promise<TestCluster> {
  const binaries = await stageBinaries(cacheFolder(), { report: console.error });
  const folder = await makeEphemeralFolder();
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    const options = {
      binaries,
      folder: join(folder, "cluster"),
      password: crypto.randomUUID().replaceAll("-", ""),
      durable: false,
      removeWhenKilled: folder,
    };
    let cluster = await startCluster(options);
    const stop = () => cluster.stop().then(remove);
    const startAgain = async () => {
      const { port } = cluster;
      cluster = await startCluster({ ...options, preferredPort: port });
      if (cluster.port !== port) throw new Error(`Another program took port ${port} meanwhile`);
    };
    const restart = () => cluster.stop().then(startAgain);
    const crash = async (signal: "SIGQUIT" | "SIGKILL") => {
      Deno.kill(cluster.pid, signal);
      await cluster.ended;
      // What is left of it goes by itself, and a start says no until it has.
      await persist(startAgain, { withinMs: CRASH_WITHIN_MS });
    };
    const configure = async (values: Readonly<Record<string, string | number>>) => {
      const lines = Object.entries(values).map(([name, value]) => `${name} = ${value}\n`).join("");
      await Deno.writeTextFile(join(options.folder, "postgresql.conf"), lines, { append: true });
      Deno.kill(cluster.pid, "SIGHUP");
    };
    try {
      return { env: { [VARIABLE]: await makeTemplate(cluster.url) }, configure, restart, crash, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
}

/**
 * `Deno.test` for a file that opens its database at the top: a pool connects and reads when it sees fit, which the
 * sanitizers would call a leak of whichever test runs just then.
 */
export function databaseTest(name: string, fn: (t: Deno.TestContext) => void | Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

/**
 * A fresh copy of the migrated template, or with `migrated: false` a database as it is before the first migration. On
 * `cluster`, else on the one of the test run.
 *
 * Opened at the top of a test file, it serves all its tests, which are then registered with `databaseTest`. What is
 * not dropped goes with the cluster.
 */
export async function openTestDatabase(
  { migrated = true, cluster }: { migrated?: boolean; cluster?: TestCluster } = {},
): Promise<TestDatabase> {
  const shared = cluster?.env[VARIABLE] ?? Deno.env.get(VARIABLE);
  const own = shared === undefined ? await startTestCluster() : null;
  const template = shared ?? own!.env[VARIABLE]!;
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await withConnection(databaseUrl(template, "postgres"), async (sql) => {
    await sql`create database ${sql(name)} template ${sql(migrated ? TEMPLATE : "template1")}`;
  });
  const url = databaseUrl(template, name);
  const sql = connect(url);
  await sql`select 1`;
  return {
    url,
    sql,
    async drop() {
      await sql.end();
      if (own) return await own.stop();
      await withConnection(databaseUrl(template, "postgres"), async (admin) => {
        await dropDatabase(admin, { name });
      });
    },
  };
}

async function makeTemplate(clusterUrl: string): Promise<string> {
  await withConnection(clusterUrl, async (sql) => {
    await bootstrapDatabase(sql);
    await sql`create database ${sql(TEMPLATE)}`;
  });
  const url = databaseUrl(clusterUrl, TEMPLATE);
  const migrations = await readMigrations(MIGRATIONS);
  await withConnection(url, (sql) => applyMigrations(sql, migrations));
  return url;
}

/** Tries again until it works, for so long. */
async function persist(work: () => Promise<void>, { withinMs }: { withinMs: number }): Promise<void> {
  for (const startedMs = performance.now();;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedMs > withinMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function withConnection<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(url);
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
}
