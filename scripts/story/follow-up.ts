/**
 * `deno task story`: what follows an approved write, from the proposal to the day it is done, on a stack of its own whose
 * ticks are told what time it is. Prints a timeline, in hours since the write.
 */

import { createClient } from "@supabase/supabase-js";
import { type ReadyLine, startStackProcess } from "../testing/stack-process.ts";
import { serveStoryLedger, type StoryLedger } from "./ledger.ts";
import { BOOKED_TOOL, SECRET, STAGE_TOOL } from "./tools.ts";

const TOKEN = "ledger-story-token";
const NUMBER = "2026-0117";
const HOUR_MS = 3_600_000;
/** When somebody books it: ten hours after the alarm, which comes after seven days. */
const BOOKED_AFTER_HOURS = 7 * 24 + 10;
const LAST_HOUR = 8 * 24;

/** Asks the stack, and gives the body; throws for an answer that is not as wanted. */
type Ask = (
  path: string,
  options?: { method?: string; body?: object; headers?: Record<string, string>; wanted?: number },
  // deno-lint-ignore no-explicit-any
) => Promise<any>;

/** Plays the story and gives its lines. */
export async function playStory(): Promise<string[]> {
  const ledger = serveStoryLedger(TOKEN);
  const stack = startStackProcess(["--ephemeral", "--port", "0"], {
    env: { FRAMED_LOCAL_UPSTREAMS: `ledger.example=${ledger.origin}` },
  });
  try {
    return await play(await stack.ready, ledger);
  } finally {
    await stack.kill("SIGTERM");
    await ledger.close();
  }
}

async function play(ready: ReadyLine, ledger: StoryLedger): Promise<string[]> {
  const ask = askOf(ready);
  const asKey = { "x-framed-api-key": ready.api_key };
  const asAdmin = { authorization: `Bearer ${await signIn(ready, ready.admin)}` };
  const asMember = { authorization: `Bearer ${await signIn(ready, ready.member)}` };
  const workspace_id = ready.workspace_id;
  const lines: string[] = [];
  const tell = (hours: number, text: string) => lines.push(`${timeOf(hours)}  ${text}`);

  for (const tool of [BOOKED_TOOL, STAGE_TOOL]) {
    await ask("/tools/define", { body: { workspace_id, tool }, headers: asKey });
    await ask(`/tools/${tool.slug}/secrets/${SECRET}`, {
      method: "PUT",
      body: { workspace_id, value: TOKEN },
      headers: asAdmin,
      wanted: 204,
    });
  }
  const proposed = await ask(`/tools/${STAGE_TOOL.slug}/call`, {
    body: { workspace_id, args: { number: NUMBER } },
    headers: asKey,
    wanted: 202,
  });
  tell(0, `a program stages invoice ${NUMBER}: ${proposed.status}, nothing is in the ledger yet`);
  if (ledger.count().invoices !== 0) throw new Error("The ledger has an invoice that nobody approved.");

  const path = `/approvals/${proposed.approval_id}`;
  const { digest } = await ask(path, { headers: asMember });
  const decided = await ask(`${path}/decision`, { body: { decision: "approve", digest }, headers: asMember });
  tell(0, `${decided.decided_by.name} approves: ${decided.status}, it is in the ledger as a concept`);
  tell(0, `followed up: ${decided.follow_up.what}, until ${lower(decided.follow_up.until)}`);

  const wroteAt = Date.parse(decided.follow_up.next_check_at) - 2 * HOUR_MS;
  let [checks, said, status] = [0, 0, "waiting"];
  for (let hours = 0; hours <= LAST_HOUR && status === "waiting"; hours++) {
    if (hours === BOOKED_AFTER_HOURS) {
      ledger.book(NUMBER);
      tell(hours, "someone books it in the ledger, and tells nobody");
    }
    await ask("/cron/tick", {
      body: { now: new Date(wroteAt + hours * HOUR_MS).toISOString() },
      headers: { authorization: `Bearer ${ready.cron_secret}` },
    });
    // Every look is a call: one after each check, and one a day.
    if (ledger.count().looks === checks && hours % 24 !== 0) continue;
    const { follow_up } = await ask(path, { headers: asMember });
    const { findings } = await ask(`/catch-up?workspace_id=${workspace_id}`, { headers: asMember });
    if (follow_up.checks > checks) {
      const found = follow_up.status === "done" ? "booked, so this is done" : "not booked yet";
      tell(hours, `check ${follow_up.checks}: ${found}; said to nobody`);
    }
    if (findings.length > said) {
      const [item] = findings[0].items;
      tell(hours, `said once, on Catch up: ${item.what} waits until ${lower(item.until)}`);
    }
    [checks, said, status] = [follow_up.checks, findings.length, follow_up.status];
  }
  const { invoices, looks } = ledger.count();
  lines.push(
    "",
    `Sent ${invoices} time, looked up ${looks} times, said ${said} time. The follow-up is ${status}.`,
  );
  return lines;
}

function askOf(ready: ReadyLine): Ask {
  return async (path, { method, body, headers = {}, wanted = 200 } = {}) => {
    const response = await fetch(`${ready.api}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== wanted) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
}

async function signIn(ready: ReadyLine, { email, password }: ReadyLine["admin"]): Promise<string> {
  const client = createClient(new URL(ready.auth).origin, ready.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  if (error !== null) throw new Error(`Signing in failed: ${error.message}.`);
  return data.session.access_token;
}

/** Since the write: ` 180 h`. */
function timeOf(hours: number): string {
  return `${hours} h`.padStart(6);
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

if (import.meta.main) {
  for (const line of await playStory()) console.log(line);
}
