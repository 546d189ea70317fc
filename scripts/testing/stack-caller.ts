/** Asks the API of a running local stack as its key, its people, or its clock. */

import { createClient } from "@supabase/supabase-js";
import { assertEquals } from "@std/assert";
import type { ReadyLine } from "./stack-process.ts";

/** Who asks: the demo key, the two people of the demo workspace by a session, the clock. */
export type StackCallerName = "key" | "admin" | "member" | "clock";

export interface AskOptions {
  readonly as?: StackCallerName;
  readonly method?: string;
  readonly body?: unknown;
  /** The status that is due. */
  readonly wanted?: number;
}

export interface StackCaller {
  /** Gives the body of the answer, null where it has none; fails for another status than the wanted one. */
  // deno-lint-ignore no-explicit-any
  ask(path: string, options?: AskOptions): Promise<any>;
  /** Defines a tool by the key. */
  define(tool: object): Promise<void>;
  /** Proposes a call by the key, which has to wait, and gives the approval's id. */
  propose(slug: string, args: unknown): Promise<string>;
  /** Ticks as the stack's own clock does, at `now` where it is given. */
  tick(now?: Date): Promise<void>;
}

export function callStack(stack: ReadyLine): StackCaller {
  const sessions = new Map<string, Promise<string>>();

  async function headersOf(caller: StackCallerName): Promise<Record<string, string>> {
    if (caller === "key") return { "x-framed-api-key": stack.api_key };
    if (caller === "clock") return { authorization: `Bearer ${stack.cron_secret}` };
    if (!sessions.has(caller)) sessions.set(caller, signIn(stack, stack[caller]));
    return { authorization: `Bearer ${await sessions.get(caller)}` };
  }

  const ask: StackCaller["ask"] = async (path, { as = "key", method, body, wanted = 200 } = {}) => {
    const response = await fetch(stack.api + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...await headersOf(as),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assertEquals(response.status, wanted, `${path}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  const workspace_id = stack.workspace_id;
  return {
    ask,
    async define(tool) {
      await ask("/tools/define", { body: { workspace_id, tool } });
    },
    async propose(slug, args) {
      const { approval_id } = await ask(`/tools/${slug}/call`, { body: { workspace_id, args }, wanted: 202 });
      return approval_id;
    },
    async tick(now) {
      await ask("/cron/tick", { as: "clock", body: now === undefined ? {} : { now: now.toISOString() } });
    },
  };
}

async function signIn(stack: ReadyLine, { email, password }: ReadyLine["admin"]): Promise<string> {
  const client = createClient(new URL(stack.auth).origin, stack.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  if (error !== null) throw new Error(`Signing in failed: ${error.message}.`);
  return data.session.access_token;
}
