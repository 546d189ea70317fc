/** Workspaces with webhooks on a database of their own, real receivers on loopback, and ticks of the notices alone. */

import { assert, assertEquals } from "@std/assert";
import type postgres from "postgres";
import { type Database, openDatabase } from "../../supabase/functions/_shared/db/client.ts";
import { createEgress, type Egress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import {
  type Machine,
  type NoticeMeans,
  sendNotices,
} from "../../supabase/functions/_shared/flows/send-notices.ts";
import type { Work } from "../../supabase/functions/_shared/outcome/work.ts";
import {
  generateKeyRing,
  type KeyRing,
  readKeyRing,
} from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { databaseTest } from "./database.ts";
import { type ReceivedRequest, startUpstream, type Upstream } from "./upstream.ts";
import { openTestWorkspace, type TestWorkspace } from "./workspace.ts";

/** When what waits began to. */
export const AT = new Date("2026-11-30T12:00:00Z");
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const CONSOLE_URL = "https://console.example";

/** So many seconds later. */
export function later(seconds: number): Date {
  return new Date(AT.getTime() + seconds * 1_000);
}

/** A workspace with a webhook. */
export interface ToldWorkspace {
  readonly id: string;
  /** What its messages are signed with. */
  readonly secret: string;
  /** Sets `notify` as its administrator. */
  set(notify: unknown): ReturnType<TestWorkspace["ask"]>;
  /** How the webhook fares, as the administrator sees it. */
  // deno-lint-ignore no-explicit-any
  webhook(): Promise<any>;
  /** What became of its notices, newest first. */
  // deno-lint-ignore no-explicit-any
  notices(): Promise<any>;
}

interface Ticking {
  readonly now: Date;
  readonly machine?: Machine;
  readonly means?: Partial<NoticeMeans>;
}

export interface NoticeTests {
  readonly w: TestWorkspace;
  readonly sql: postgres.Sql;
  /** What the ticks work on. */
  readonly db: Database;
  readonly keyRing: KeyRing;
  /** A test that starts with nothing due, whatever those before it left. */
  test(name: string, fn: (t: Deno.TestContext) => Promise<void>): void;
  /** A workspace of its own with a webhook on `host`. */
  openWebhook(options?: { host?: string; delay?: number }): Promise<ToldWorkspace>;
  /** A tick of the notices alone, in which nothing may break, with the least of every wait. */
  tick(egress: Egress, ticking: Ticking): Promise<Work>;
}

/** Opens them for one test file. */
export async function openNoticeTests(): Promise<NoticeTests> {
  const keyRingText = generateKeyRing("k1");
  const ring = await readKeyRing(keyRingText);
  assert(ring.ok && ring.value !== null);
  const keyRing = ring.value;
  const w = await openTestWorkspace({ keyRingText });
  const { sql } = w.database;
  const db = openDatabase(w.database.url, { max: 4 });
  globalThis.addEventListener("unload", () => db.end().then(() => w.close()));

  async function openWebhook(
    { host = "hooks.example.com", delay = 0 }: { host?: string; delay?: number } = {},
  ): Promise<ToldWorkspace> {
    const [row] = await sql<{ id: string }[]>`
      insert into framed.workspaces (account_id, name) values (${w.accountId}, 'Told') returning id`;
    const id = row!.id;
    await sql`insert into framed.members (workspace_id, user_id, role, name, email)
      values (${id}, ${w.people.admin}, 'admin', 'Ada', 'ada@people.example')`;
    const set = (notify: unknown) =>
      w.ask(`/workspaces/${id}`, { as: "admin", method: "PATCH", body: { notify } });
    const { status, body, text } = await set({ url: `https://${host}/in?x=1`, delay_minutes: delay });
    assertEquals(status, 200, text);
    return {
      id,
      set,
      secret: body.signing_secret,
      webhook: async () => (await w.ask(`/workspaces/${id}`, { as: "admin" })).body.webhook,
      notices: async () => (await w.ask(`/workspaces/${id}/notices`, { as: "admin" })).body.notices,
    };
  }

  async function tick(egress: Egress, { now, machine, means }: Ticking): Promise<Work> {
    const report = (error: unknown) => {
      throw error;
    };
    return await sendNotices(
      { db, egress, keyRing, consoleUrl: CONSOLE_URL, ...means },
      { now, hasTime: () => true, report },
      { random: () => 0, ...machine },
    );
  }

  const test: NoticeTests["test"] = (name, fn) =>
    databaseTest(name, async (t) => {
      await sql`update framed.v2_webhooks set due_at = null`;
      await fn(t);
    });

  return { w, sql, db, keyRing, test, openWebhook, tick };
}

/** Runs `work` with a way out to a real server on loopback that answers for each of `hosts`. */
export async function withReceiver(
  answer: (request: ReceivedRequest) => Response | Promise<Response>,
  work: (receiver: Upstream, egress: Egress) => Promise<void>,
  hosts: readonly string[] = ["hooks.example.com", "other.example.com"],
): Promise<void> {
  const receiver = startUpstream(answer);
  const egress = createEgress({ upstreams: new Map(hosts.map((host) => [host, receiver.url])) });
  try {
    await work(receiver, egress);
  } finally {
    await egress.close();
    await receiver.close();
  }
}

/** The answer of a receiver that takes what it is told. */
export function taken(): Response {
  return new Response(null, { status: 204 });
}

/** The ids of the messages that came, in order. */
export function idsOf({ requests }: Upstream): (string | null)[] {
  return requests.map(({ headers }) => headers.get("webhook-id"));
}

/** The statuses of notices. */
export function statusesOf(notices: readonly { status: string }[]): string[] {
  return notices.map(({ status }) => status);
}
