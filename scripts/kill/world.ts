/** What the kill test plays in: a database, the other system, and processes between them that come back when they die. */

import type postgres from "postgres";
import { startTestCluster, type TestCluster } from "../testing/database.ts";
import { CRON_SECRET, openTestWorkspace, type TestWorkspace } from "../testing/workspace.ts";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { type OtherSystem, type OtherSystemOptions, startOtherSystem } from "./other-system.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** The hosts that calls of a chain go to. */
export const HOSTS = ["ledger.example", "bank.example"] as const;

export interface Answer {
  /** Null where no answer came: the process is gone. */
  readonly status: number | null;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

export interface World {
  readonly cluster: TestCluster;
  readonly workspace: TestWorkspace;
  readonly other: OtherSystem;
  /** One that no round has a part in. */
  readonly aside: ServerProcess;
  /** Those that are alive. */
  servers(): readonly ServerProcess[];
  /** The one that is known to the other system under this name. */
  named(name: string): ServerProcess | undefined;
  /** Asks one of them, as a person of the workspace or by its key. */
  ask(
    server: ServerProcess,
    path: string,
    options: { as: "member" | "admin" | "key"; body?: unknown },
  ): Promise<
    Answer
  >;
  tick(server: ServerProcess, now: Date): Promise<Answer>;
  /** What processes did that they may not do, in words. */
  complaints(): readonly string[];
  /** Brings back what died, and returns when all of it answers. */
  heal(): Promise<void>;
  /** Asks the database, again where it was away. */
  sql<T>(ask: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Of every call: only the path differs. */
function toolFile(slug: string, host: string): JsonObject {
  return {
    format: "framed-tool/1",
    slug,
    name: `Tool ${slug}`,
    description: "Writes something.",
    kind: "request",
    access: "write",
    arguments: { type: "object", properties: { text: { type: "string" }, id: { type: "integer" } } },
    request: {
      method: "POST",
      url: `https://${host}/${slug}`,
      headers: { Authorization: "Bearer {{secret}}" },
      idempotency_header: "Idempotency-Key",
    },
    auth: { secret: `CONNECTOR_${slug.toUpperCase()}` },
    fixtures: [{ response: { id: 7 } }],
  };
}

/** Opens one with so many processes. */
export async function openWorld(
  { processes, ...options }: OtherSystemOptions & { processes: number },
): Promise<World> {
  const cluster = await startTestCluster();
  const other = startOtherSystem(options);
  const keyRingText = generateKeyRing("k1");
  const workspace = await openTestWorkspace({ cluster, keyRingText });
  await arrange(workspace);
  // A database that was copied a moment ago is only whole on the disk once all of it was written down.
  await cluster.restart();
  const complaints: string[] = [];
  let started = 0;
  const names = new Map<ServerProcess, string>();
  const starting = async () => {
    const name = `server ${++started}`;
    const url = other.listen(name).href;
    const server = await startServerProcess({
      databaseUrl: workspace.database.url,
      keyRingText,
      cronSecret: CRON_SECRET,
      upstreams: HOSTS.map((host) => [host, url] as const),
    }, { onComplaint: (text) => complaints.push(text) });
    names.set(server, name);
    return server;
  };
  const [aside, ...first] = await Promise.all(Array.from({ length: processes + 1 }, starting));
  let servers = first;
  // Ready for the next one that dies: to start takes longer than to be killed.
  let spare = starting();

  const sql: World["sql"] = async (ask) => {
    for (let tries = 1;; tries++) {
      try {
        return await ask(workspace.database.sql);
      } catch (error) {
        if (tries === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };

  async function post(server: ServerProcess, path: string, init: RequestInit): Promise<Answer> {
    try {
      const response = await fetch(`${server.url}${path}`, { ...init, signal: AbortSignal.timeout(90_000) });
      return { status: response.status, body: await response.json() };
    } catch {
      return { status: null, body: null };
    }
  }

  return {
    cluster,
    workspace,
    other,
    sql,
    aside: aside!,
    complaints: () => complaints,
    servers: () => servers.filter((server) => server.isAlive()),
    named: (name) => servers.find((server) => names.get(server) === name),
    ask(server, path, { as, body }) {
      const who: Record<string, string> = as === "key"
        ? { "x-framed-api-key": workspace.keys.admin_key }
        : { authorization: `Bearer session.${workspace.people[as]}` };
      return post(server, path, {
        method: body === undefined ? "GET" : "POST",
        headers: { ...who, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    tick: (server, now) =>
      post(server, "/cron/tick", {
        method: "POST",
        headers: { authorization: `Bearer ${CRON_SECRET}`, "content-type": "application/json" },
        body: JSON.stringify({ now: now.toISOString() }),
      }),
    async heal() {
      await sql((sql) => sql`select 1`);
      servers = await Promise.all(servers.map(async (server) => {
        if (server.isAlive()) return server;
        const [next] = await Promise.all([spare, server.close()]);
        names.delete(server);
        spare = starting();
        return next;
      }));
    },
    async close() {
      const last = await spare;
      await Promise.all([...servers, aside!, last].map((server) => server.close()));
      other.close();
      await workspace.close();
      await cluster.stop();
    },
  };
}

async function arrange(workspace: TestWorkspace): Promise<void> {
  for (const [slug, host] of [["book", HOSTS[0]], ["pay", HOSTS[1]]] as const) {
    const defined = await workspace.define(toolFile(slug, host));
    if (defined.status !== 200) throw new Error(defined.text);
    await workspace.paste(slug, {
      name: `CONNECTOR_${slug.toUpperCase()}`,
      value: "a-token-of-the-kill-test",
    });
  }
  await workspace.database.sql.unsafe(AUDIT);
  // As a real one has it: what was answered for is not lost when the database dies.
  const [{ name }] = await workspace.database.sql`select current_database() as name` as [{ name: string }];
  await workspace.database.sql.unsafe(`alter database "${name}" set synchronous_commit = on`);
}

/** Every change of a status is noted where nothing of the application writes. */
const AUDIT = `
create schema kill_test;
create table kill_test.changes (
  id bigint generated always as identity primary key, approval_id uuid not null, n integer, was text not null, "is" text not null,
  at timestamptz not null default clock_timestamp()
);
create index on kill_test.changes (approval_id);
create function kill_test.note_approval() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into kill_test.changes (approval_id, was, "is") values (new.id, old.status, new.status);
  return null;
end $$;
create function kill_test.note_call() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into kill_test.changes (approval_id, n, was, "is") values (new.approval_id, new.n, old.status, new.status);
  return null;
end $$;
create trigger note_approval after update on framed.v2_approvals for each row
  when (old.status is distinct from new.status) execute function kill_test.note_approval();
create trigger note_call after update on framed.v2_approval_calls for each row
  when (old.status is distinct from new.status) execute function kill_test.note_call();
`;
