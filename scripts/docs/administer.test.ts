import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import type { JsonObject } from "../../supabase/functions/_shared/framed-tool.ts";
import postgres from "postgres";
import { createClient } from "@supabase/supabase-js";
import { openLedger } from "../demo/ledger.ts";
import { ledgerFile, mcpFile, openFile } from "../testing/files.ts";
import { type ReadyLine, startStackProcess } from "../testing/stack-process.ts";
import { runPage } from "./page.ts";
import { openTerminal } from "./terminal.ts";
import { startTracker } from "./tracker.ts";

const ADMINISTER = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "administer.md"));
const VALUE = "ledger-demo-token";

/** What a partner put on the workspace, and an administrator reads before allowing it a value. */
const SUPPLIERS: JsonObject = {
  format: "framed-tool/1",
  slug: "ledger_suppliers",
  name: "Suppliers",
  description: "The suppliers in the ledger.",
  access: "read",
  kind: "request",
  arguments: { type: "object", properties: {} },
  request: {
    method: "GET",
    url: "https://ledger.example/api/suppliers",
    headers: { Authorization: "Bearer {{secret}}" },
  },
  auth: { secret: "CONNECTOR_LEDGER" },
  result: { fields: ["id", "name"] },
  fixtures: [{ response: { rows: [{ id: 1, name: "Acme" }] } }],
};

/** What waits for a person on it. */
const BOOKING: JsonObject = {
  ...SUPPLIERS,
  slug: "ledger_book_invoice",
  name: "Book an invoice",
  description: "Books one open invoice in the ledger.",
  access: "write",
  arguments: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
  request: {
    method: "POST",
    url: "https://ledger.example/api/bookings",
    headers: { Authorization: "Bearer {{secret}}" },
  },
  auth: { secret: "CONNECTOR_LEDGER_BOOKING" },
  result: { fields: ["id", "booked"] },
};

/** What waits until an administrator says that it only reads. */
const SEARCH: JsonObject = openFile({
  slug: "invoice_search",
  request: { method: "POST", url: "https://search.example/invoices" },
});

Deno.test("docs/administer.md shows what an administrator gets, from top to bottom", async (t) => {
  const tracker = startTracker();
  const ledger = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, openLedger());
  const stack = startStackProcess(["--ephemeral", "--port", "0"], {
    env: {
      FRAMED_LOCAL_UPSTREAMS:
        `mcp.tracker.example=${tracker.url.origin},ledger.example=http://127.0.0.1:${ledger.addr.port}`,
    },
  });
  const ready = await stack.ready;
  const terminal = await openTerminal({
    FRAMED_API_BASE: ready.api,
    FRAMED_API_KEY: ready.api_key,
    FRAMED_WORKSPACE: ready.workspace_id,
    FRAMED_PUBLISHABLE_KEY: ready.publishable_key,
    FRAMED_EMAIL: ready.admin.email,
    FRAMED_PASSWORD: ready.admin.password,
    FRAMED_SESSION: await signIn(ready),
  });
  try {
    await Deno.writeTextFile(join(terminal.folder, "ledger-token.txt"), `${VALUE}\n`);
    await define(ready, { tool: ledgerFile(), key: ready.api_key });
    await define(ready, { tool: BOOKING, key: ready.api_key });
    await define(ready, { tool: SEARCH, key: ready.api_key });
    for (
      const use of ["ledger_open_invoices CONNECTOR_LEDGER", "ledger_book_invoice CONNECTOR_LEDGER_BOOKING"]
    ) {
      const pasted = await terminal.run(
        `echo ${VALUE} | deno task secret paste ${use} --workspace $FRAMED_WORKSPACE`,
      );
      assertEquals(pasted.code, 0, pasted.stderr);
    }
    await call(ready, { slug: "ledger_book_invoice", args: { number: "2026-0117" } });
    await define(ready, { tool: SUPPLIERS, key: ready.reseller_key });
    await define(ready, {
      tool: mcpFile({ mcp: { url: "https://mcp.tracker.example/mcp" } }),
      key: ready.api_key,
    });
    await call(ready, { slug: "issue_tracker", args: { action: "list" } });
    tracker.change("Finds issues by their text and state.");
    await letTenMinutesPass(ready);
    await call(ready, { slug: "issue_tracker", args: { action: "list" } });
    await runPage(t, ADMINISTER, terminal);
  } finally {
    await terminal.close();
    await stack.kill("SIGTERM");
    await tracker.close();
    await ledger.shutdown();
  }
});

async function define(ready: ReadyLine, { tool, key }: { tool: JsonObject; key: string }): Promise<void> {
  const response = await fetch(`${ready.api}/tools/define`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-framed-api-key": key },
    body: JSON.stringify({ workspace_id: ready.workspace_id, tool }),
  });
  assertEquals(response.status, 200, await response.text());
}

async function call(
  { api, workspace_id, api_key }: ReadyLine,
  { slug, args }: { slug: string; args: JsonObject },
): Promise<void> {
  const response = await fetch(`${api}/tools/${slug}/call`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-framed-api-key": api_key },
    body: JSON.stringify({ workspace_id, args }),
  });
  assert(response.ok, await response.text());
}

/** As if the server had been asked longer ago. */
async function letTenMinutesPass({ database }: ReadyLine): Promise<void> {
  const sql = postgres(database, { max: 1, fetch_types: false, onnotice: () => {} });
  await sql`
    update framed.v2_inner_lists set listed_at = listed_at - interval '11 minutes',
      first_listed_at = first_listed_at - interval '11 minutes'`;
  await sql.end();
}

async function signIn({ auth, publishable_key, admin }: ReadyLine): Promise<string> {
  const client = createClient(new URL(auth).origin, publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await client.auth.signInWithPassword(admin);
  if (error !== null) throw error;
  return data.session.access_token;
}
