/** The migration's tick, driven by Debian's pg_cron into the real function `cron`. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { createApp } from "../../supabase/functions/cron/app.ts";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { createServices } from "../../supabase/functions/_shared/http/services.ts";
import { openTestDatabase } from "../testing/database.ts";
import { stageDebianPostgres, startDebianPostgres } from "./debian-postgres.ts";

const MIGRATION = await Deno.readTextFile(
  fileURLToPath(new URL("../../supabase/migrations/20261130100400_schedule_tick.sql", import.meta.url)),
);
const CRON_SECRET = "an-operators-own-secret";
/** The job runs at the top of each minute. */
const TICK_WITHIN_MS = 180_000;

/**
 * What Supabase has and Debian has no package for, as far as the tick meets it: `net.http_post` of pg_net queues the
 * request for a worker, which the test is; the vault answers a name with its value.
 */
const STAND_INS = `
create schema net;
create table net.http_request_queue (id bigint generated always as identity, url text, headers jsonb, body bytea, timeout_milliseconds int);
create function net.http_post(url text, body jsonb default '{}', params jsonb default '{}',
    headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds int default 5000) returns bigint
  language sql as $$
    select pg_notify('net', '');
    insert into net.http_request_queue (url, headers, body, timeout_milliseconds)
    values (url, headers, convert_to(body::text, 'utf8'), timeout_milliseconds) returning id
  $$;
create schema vault;
create table vault.decrypted_secrets (name text, decrypted_secret text);
grant usage on schema net, vault to owner;
grant select, insert on net.http_request_queue, vault.decrypted_secrets to owner;
`;

const debian = await stageDebianPostgres();
if ("reason" in debian) console.error(`The tick is not tested with pg_cron: ${debian.reason}.`);

Deno.test({
  name: "pg_cron sends a tick a minute to the function cron, with address and secret from the vault",
  ignore: "reason" in debian,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: testTick,
});

async function testTick(t: Deno.TestContext): Promise<void> {
  if ("reason" in debian) return;
  const cluster = await startDebianPostgres(debian.programs);
  const admin = postgres(cluster.url, { max: 1, onnotice: () => {} });
  const notices: string[] = [];
  // As on Supabase: who migrates is no superuser, and is let into pg_cron by who made it.
  const ownerUrl = Object.assign(new URL(cluster.url), { username: "owner" }).href;
  const sql = postgres(ownerUrl, { max: 1, onnotice: ({ message }) => notices.push(message ?? "") });
  try {
    await admin.unsafe("create role owner login; grant create on database postgres to owner").simple();
    await admin.unsafe("create extension pg_cron; grant usage on schema cron to owner").simple();
    await sql`create schema framed`;

    await t.step(
      "without pg_net and the vault nothing is scheduled, and the migration goes through",
      async () => {
        await sql.begin(async (tx) => {
          await tx.unsafe(MIGRATION).simple();
          assertEquals([...await tx`select jobname from cron.job`], []);
          throw new RolledBack();
        }).catch(ignoreRolledBack);
        assertMatch(notices.join(), /The tick is not scheduled: this database has not all of/);
      },
    );

    await admin.unsafe(STAND_INS).simple();
    await sql.begin((tx) => tx.unsafe(MIGRATION).simple());

    await t.step(
      "it is scheduled each minute, and neither address nor secret stands in the job",
      async () => {
        assertEquals([
          ...await sql`select schedule, command, username, active from cron.job where jobname = 'framed-tick'`,
        ], [
          { schedule: "* * * * *", command: "select framed.send_tick()", username: "owner", active: true },
        ]);
      },
    );

    await t.step("a vault without its entries says which is missing, and sends nothing", async () => {
      await assertRejects(
        () => sql`select framed.send_tick()`,
        postgres.PostgresError,
        "The vault holds no framed_tick_url",
      );
      await sql`insert into vault.decrypted_secrets values ('framed_tick_url', 'http://127.0.0.1:1/')`;
      await assertRejects(
        () => sql`select framed.send_tick()`,
        postgres.PostgresError,
        "The vault holds no framed_cron_secret",
      );
      assertEquals([...await admin`select from net.http_request_queue`].length, 0);
    });

    await t.step("the function answers pg_cron's tick", async () => {
      const { url, stop } = await serveCron();
      const queued = Promise.withResolvers<void>();
      const { unlisten } = await admin.listen("net", () => queued.resolve());
      try {
        await admin`update vault.decrypted_secrets set decrypted_secret = ${url}`;
        await admin`insert into vault.decrypted_secrets values ('framed_cron_secret', ${CRON_SECRET})`;
        const timer = setTimeout(() => queued.reject(new Error("pg_cron sent no tick")), TICK_WITHIN_MS);
        await queued.promise.finally(() => clearTimeout(timer));
        const [request] = await admin`select * from net.http_request_queue`;
        const answer = await fetch(request!.url, {
          method: "POST",
          headers: request!.headers,
          body: request!.body,
        });
        const body = await answer.json();
        assertEquals([answer.status, body.ok], [200, true], JSON.stringify(body));
        assert(request!.timeout_milliseconds < 60_000, "a tick does not outlast its minute");
      } finally {
        await unlisten();
        await stop();
      }
    });

    await t.step("what pg_cron writes down is cleared after a week, and nobody else's", async () => {
      const [job] = await sql`select command from cron.job where jobname = 'framed-tick-history'`;
      const [tick] = await admin`select jobid from cron.job where jobname = 'framed-tick'`;
      await admin`delete from cron.job_run_details`;
      for (
        const [runid, jobid, age] of [[901, tick!.jobid, "8 days"], [902, tick!.jobid, "6 days"], [
          903,
          999,
          "8 days",
        ]]
      ) {
        await admin`insert into cron.job_run_details (runid, jobid, username, end_time)
          values (${runid}, ${jobid}, 'owner', now() - ${age}::interval)`;
      }
      await sql.unsafe(job!.command);
      const left = await admin`select runid::int from cron.job_run_details where runid > 900 order by runid`;
      assertEquals(left.map(({ runid }) => runid), [902, 903]);
    });
  } finally {
    await Promise.all([sql.end(), admin.end()]);
    await cluster.stop();
  }
}

/** The function on a loopback port, over a database of its own. */
async function serveCron() {
  const database = await openTestDatabase();
  const services = await createServices({
    databaseUrl: database.url,
    supabaseUrl: "http://127.0.0.1:1",
    publishableKey: "unused",
    consoleUrl: "https://console.example",
    consoleOrigins: [],
  });
  const app = createApp({ ...services, egress: createEgress(), cronSecret: CRON_SECRET });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => app.fetch(request),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/cron/tick`,
    async stop() {
      await server.shutdown();
      await services.close();
      await database.drop();
    },
  };
}

class RolledBack extends Error {}

function ignoreRolledBack(error: unknown): void {
  if (!(error instanceof RolledBack)) throw error;
}
