/**
 * Many approvals that wait on a running local stack: proposed through the API itself, in this process and without its
 * limit of calls a minute, so that each is what a call over HTTP would have left and can be decided like it.
 */

import { assertEquals } from "@std/assert";
import { createApp } from "../../supabase/functions/api/app.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { createServices } from "../../supabase/functions/_shared/http/services.ts";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { NO_LIMITS } from "./limits.ts";
import type { ReadyLine } from "./stack-process.ts";

/** What of a running stack is needed: its ready line has it. */
export type SeededStack = Pick<
  ReadyLine,
  "api" | "auth" | "console" | "database" | "workspace_id" | "api_key"
>;

/** What waits now. */
export interface WaitingApprovals {
  /** In the order they were proposed: the oldest first. */
  readonly ids: readonly string[];
  /** The slug of the tool that all of them call. */
  readonly tool: string;
}

/** Proposals under way at once. */
const AT_ONCE = 8;

/**
 * Makes `count` approvals wait on `stack`, no two with the same arguments, asked for with the stack's demo key. A thousand
 * take some seconds.
 *
 * They call a tool that is put on the workspace for it and sends to `host`, with no secret. To have approved ones sent, the
 * stack has to be started with `FRAMED_LOCAL_UPSTREAMS="<host>=http://127.0.0.1:<port>"`. `first` is the number of the first
 * one, for seeding a second time.
 */
export async function seedWaitingApprovals(
  stack: SeededStack,
  { count, host = "ledger.example", tool = "ledger_pay_invoice", first = 1 }: {
    count: number;
    host?: string;
    tool?: string;
    first?: number;
  },
): Promise<WaitingApprovals> {
  await define(stack, payingFile({ slug: tool, host }));
  const egress = createEgress({});
  const services = await createServices({
    databaseUrl: stack.database,
    databaseConnections: AT_ONCE,
    supabaseUrl: new URL(stack.auth).origin,
    publishableKey: "unused",
    // A ring of its own: nothing is sealed or opened here.
    keyRingText: generateKeyRing("unused"),
    consoleUrl: stack.console,
    consoleOrigins: [],
    limits: NO_LIMITS,
  });
  try {
    const app = createApp({ ...services, egress, cronSecret: crypto.randomUUID(), takesNow: false });
    const propose = async (n: number) => {
      const response = await app.request(`/api/tools/${tool}/call`, {
        method: "POST",
        headers: { "x-framed-api-key": stack.api_key, "content-type": "application/json" },
        body: JSON.stringify({ workspace_id: stack.workspace_id, args: paymentArgs(n) }),
      });
      const text = await response.text();
      assertEquals(response.status, 202, text);
      return JSON.parse(text).approval_id as string;
    };
    const ids: string[] = [];
    for (let from = 0; from < count; from += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => first + from + n);
      ids.push(...await Promise.all(batch.map(propose)));
    }
    return { ids, tool };
  } finally {
    await services.close();
    await egress.close();
  }
}

async function define(stack: SeededStack, tool: JsonObject): Promise<void> {
  const response = await fetch(`${stack.api}/tools/define`, {
    method: "POST",
    headers: { "x-framed-api-key": stack.api_key, "content-type": "application/json" },
    body: JSON.stringify({ workspace_id: stack.workspace_id, tool }),
  });
  assertEquals(response.status, 200, await response.text());
}

/** Pays an invoice at a host that needs no secret: waits for a person. */
function payingFile({ slug, host }: { slug: string; host: string }): JsonObject {
  return {
    format: "framed-tool/1",
    slug,
    name: "Pay an invoice",
    description: "Pays one open purchase invoice from the ledger's bank account.",
    access: "write",
    kind: "request",
    arguments: {
      type: "object",
      required: ["number", "supplier", "amount"],
      properties: {
        number: { type: "string" },
        supplier: { type: "string" },
        amount: { type: "number" },
        note: { type: "string" },
        lines: {
          type: "array",
          items: {
            type: "object",
            properties: { account: { type: "string" }, amount: { type: "number" }, text: { type: "string" } },
          },
        },
        urgent: { type: "boolean" },
      },
    },
    request: { method: "POST", url: `https://${host}/api/payments` },
    fixtures: [{ response: { id: 1, paid: true } }],
  };
}

const SUPPLIERS = ["Acme", "Bakkerij Zonneveld", "Ōmi Paper 近江", "Café del Río", "Nordlicht & Söhne GmbH"];

/** Arguments of the `n`th payment: short ones, long ones, many lines, and characters that nobody sees. */
function paymentArgs(n: number): JsonObject {
  const amount = (n * 1_379 % 900_000) / 100 + 1;
  return {
    number: `2026-${String(n).padStart(5, "0")}`,
    supplier: SUPPLIERS[n % SUPPLIERS.length]!,
    amount,
    ...(n % 3 === 0 ? { urgent: n % 2 === 0 } : {}),
    ...(n % 4 === 0 ? { note: `As agreed by telephone, part ${n}. `.repeat(1 + n % 12).trim() } : {}),
    // A direction override and a space of no width, as a forged account would be hidden behind them.
    ...(n % 10 === 1 ? { note: `Pay to NL91\u202e0340\u202c\u200b${n}` } : {}),
    ...(n % 5 === 0 ? { lines: paymentLines(n, 1 + n % 15) } : {}),
  };
}

function paymentLines(n: number, count: number): JsonObject[] {
  return Array.from({ length: count }, (_, line) => ({
    account: String(4_000 + (n + line) % 800),
    amount: (n + line) % 250 + 0.5,
    text: `Line ${line + 1}`,
  }));
}
