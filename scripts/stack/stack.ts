/** The local stack from its parts: data folder, PostgreSQL, migrations, demo, sign-in, functions, one HTTP server. */

import { join } from "node:path";
import postgres from "postgres";
import { createEgress, type EgressOptions } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { createServices, type StackSettings } from "../../supabase/functions/_shared/http/services.ts";
import { stageBinaries } from "./binaries.ts";
import { bootstrapDatabase } from "./bootstrap.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { seedDemo } from "./demo.ts";
import { makeEphemeralFolder } from "./ephemeral-folder.ts";
import { createFunctions } from "./functions.ts";
import { startMinuteTick } from "./minute-tick.ts";
import { listen } from "./listen.ts";
import { applyMigrations, readMigrations } from "./migrations.ts";
import { cacheFolder } from "./places.ts";
import { startCluster } from "./postgres.ts";
import type { RunningStack } from "./ready.ts";
import { createRouter } from "./router.ts";
import { createSignIn } from "./sign-in/app.ts";
import { createTokenSigner } from "./sign-in/signing-key.ts";
import { prepareSignIn } from "./sign-in/store.ts";
import { startStackConsole } from "./stack-console.ts";
import { StackProblem, systemWords } from "./stack-problem.ts";

export interface StackOptions {
  readonly port: number;
  /** Null keeps nothing. */
  readonly dataFolder: string | null;
  readonly migrationsFolder: string;
  /** The root of the checkout whose console is served. */
  readonly checkout: string;
  /** Where the tools' calls may go beside the systems they name. */
  readonly egress: EgressOptions;
  readonly settings: StackSettings;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
  /** Takes a line about what is going on, for a person. */
  readonly report: (line: string) => void;
}

export interface Stack extends RunningStack {
  /** Settles when PostgreSQL ends though nobody stopped the stack, with why. */
  readonly broken: Promise<string>;
  /** Answers what is under way, then ends every part; nothing runs afterwards. */
  stop(): Promise<void>;
}

const DATABASE_CONNECTIONS = 10;

/**
 * Starts everything and returns when it is ready. Throws a StackProblem, with every part that had started ended again,
 * when one of them cannot.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const cleanups: (() => unknown)[] = [];
  try {
    return { ...await startParts(options, cleanups), stop: () => endAll(cleanups) };
  } catch (error) {
    await endAll(cleanups);
    if (error instanceof postgres.PostgresError) {
      throw new StackProblem(`The database does not take what the stack needs: ${systemWords(error)}`);
    }
    throw error;
  }
}

/** The last first; one that fails keeps no other from running. */
async function endAll(cleanups: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function startParts(
  { port, signal, report, ...options }: StackOptions,
  cleanups: (() => unknown)[],
): Promise<Omit<Stack, "stop">> {
  // First of all, so that a port in use costs nothing and nobody can take it while PostgreSQL starts.
  const http = listen(port);
  cleanups.push(http.stop);
  const { origin } = http;

  const folder = await openFolder(options.dataFolder, cleanups);
  const { settings } = folder;
  const connectUrl = `${origin}/functions/v1/connect`;
  const stackConsole = startStackConsole({
    checkout: options.checkout,
    addresses: {
      api: `${origin}/api`,
      supabase_url: origin,
      publishable_key: settings.publishableKey,
      connect: connectUrl,
    },
    signal,
    report,
  });
  cleanups.push(stackConsole.stop);

  const binaries = await stageBinaries(cacheFolder(), { report, signal });
  signal.throwIfAborted();
  const cluster = await startCluster({
    binaries,
    folder: folder.clusterPath,
    password: settings.databasePassword,
    durable: options.dataFolder !== null,
    ...(settings.databasePort === undefined ? {} : { preferredPort: settings.databasePort }),
    ...(options.dataFolder === null ? { removeWhenKilled: folder.path } : {}),
  });
  cleanups.push(cluster.stop);
  if (cluster.port !== settings.databasePort) await folder.save({ ...settings, databasePort: cluster.port });
  signal.throwIfAborted();

  const sql = postgres(cluster.url, { max: 2, fetch_types: false, onnotice: () => {} });
  cleanups.push(() => sql.end({ timeout: 1 }));
  await bootstrapDatabase(sql);
  for (const { name } of await applyMigrations(sql, await readMigrations(options.migrationsFolder))) {
    report(`Applied migration ${name}`);
  }
  await prepareSignIn(sql);
  await seedDemo(sql, settings.demo);
  signal.throwIfAborted();

  const services = await createServices({
    databaseUrl: cluster.url,
    databaseConnections: DATABASE_CONNECTIONS,
    supabaseUrl: origin,
    publishableKey: settings.publishableKey,
    keyRingText: settings.keyRing,
    consoleUrl: origin,
    consoleOrigins: [origin],
    connect: { issuer: connectUrl, roofs: { connect: connectUrl, api: `${origin}/api/connect` } },
    ...options.settings,
  });
  cleanups.push(services.close);
  const egress = createEgress(options.egress);
  cleanups.push(() => egress.close());
  const signIn = createSignIn({
    sql,
    signer: await createTokenSigner(settings.signingKey),
    url: `${origin}/auth/v1`,
    publishableKey: settings.publishableKey,
  });
  const { cronSecret } = settings;
  const ending = new AbortController();
  const again = { url: `${origin}/functions/v1/cron/tick`, ending: ending.signal };
  const functions = createFunctions({ ...services, egress, cronSecret, takesNow: true, again });
  http.serve(createRouter({
    functions,
    signIn: (request) => signIn.fetch(request),
    console: await stackConsole.handler,
  }));
  // The last to be pushed is the first to go: no request meets a part that has ended.
  cleanups.push(http.stop);
  cleanups.push(startMinuteTick({ cron: functions.get("cron")!, secret: cronSecret, report }).stop);
  cleanups.push(() => ending.abort());

  return {
    origin,
    databaseUrl: cluster.url,
    dataFolder: options.dataFolder,
    settings,
    broken: cluster.ended.then(({ lastWords }) =>
      `PostgreSQL has ended${lastWords ? `: ${lastWords}` : "."}`
    ),
  };
}

async function openFolder(path: string | null, cleanups: (() => unknown)[]): Promise<DataFolder> {
  if (path !== null) {
    const folder = await openDataFolder(path);
    cleanups.push(folder.close);
    return folder;
  }
  const temporary = await makeEphemeralFolder();
  cleanups.push(() => Deno.remove(temporary, { recursive: true }));
  const folder = await openDataFolder(join(temporary, "data"));
  cleanups.push(folder.close);
  return { ...folder, path: temporary };
}
