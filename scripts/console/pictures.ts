/**
 * `deno task pictures`: takes the README's pictures of the console again, `docs/images/`, from a stack that leaves
 * nothing, on which a made-up office works. Needs the Chromium of the tests.
 */

import { join } from "node:path";
import postgres from "postgres";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { openLedger } from "../demo/ledger.ts";
import { openConsole } from "../testing/console.ts";
import { toolsOn } from "../testing/console-tools.ts";
import { innerTool, speakMcp } from "../testing/mcp-server.ts";
import { callStack } from "../testing/stack-caller.ts";
import { startUpstream } from "../testing/upstream.ts";

/** How large each picture is. */
export const PICTURE = { width: 1280, height: 760, maxBytes: 150_000 } as const;
/** The pictures, by file, as the README shows them. */
export const PICTURES = ["task.png", "connections.png"] as const;
/** Where they are. */
export const FOLDER = join(import.meta.dirname!, "..", "..", "docs", "images");

const LEDGER_TOKEN = "ledger-demo-token";
const bearer = { Authorization: "Bearer {{secret}}" };
const common = { format: "framed-tool/1", kind: "request", access: "read" };
const words = (properties: readonly string[], required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(properties.map((name) => [name, { type: "string" }])),
  required: [...required],
});

const INVOICES = {
  ...common,
  slug: "ledger_open_invoices",
  name: "Open invoices",
  description: "The open purchase invoices in the ledger, by supplier.",
  arguments: words(["supplier"]),
  request: { method: "GET", url: "https://ledger.example/api/invoices?supplier={supplier}", headers: bearer },
  auth: { secret: "CONNECTOR_LEDGER" },
  fixtures: [{ response: { rows: [] } }],
};
const BOOKING = {
  ...common,
  slug: "ledger_book_invoice",
  name: "Book an invoice",
  description: "Books one open purchase invoice in the ledger.",
  access: "write",
  arguments: {
    type: "object",
    properties: {
      supplier: { type: "string" },
      number: { type: "string" },
      account: { type: "string" },
      note: { type: "string" },
    },
    required: ["supplier", "number"],
  },
  request: { method: "POST", url: "https://ledger.example/api/bookings", headers: bearer },
  auth: { secret: "CONNECTOR_LEDGER" },
  preview: { tool: INVOICES.slug, args: { supplier: "{{args.supplier}}" }, compare: ["rows"] },
  fixtures: [{ response: { id: 1, number: "2026-0117", booked: true } }],
};
const TRACKER = {
  format: "framed-tool/1",
  slug: "work_orders",
  name: "Work orders",
  description: "The workshop's orders, over its MCP server.",
  kind: "mcp",
  mcp: { url: "https://mcp.workshop.example/mcp" },
};
const TOOLS: readonly JsonObject[] = [
  INVOICES,
  BOOKING,
  TRACKER,
  {
    ...common,
    slug: "warehouse_stock",
    name: "Stock by article",
    description: "How much of an article is on the shelf.",
    arguments: words(["article"], ["article"]),
    request: { method: "GET", url: "https://stock.example/v2/articles/{article}", headers: bearer },
    auth: { secret: "CONNECTOR_STOCK" },
    fixtures: [{ response: { rows: [] } }],
  },
  {
    ...common,
    kind: "fixture",
    slug: "opening_hours",
    name: "Opening hours",
    description: "When the shop is open.",
    arguments: words([]),
    fixtures: [{ response: { rows: [{ day: "Monday", opens: "07:00", closes: "18:00" }] } }],
  },
];
/** Of a partner, who names a value that the workspace has: an administrator looks first. */
const AGEING: JsonObject = {
  ...INVOICES,
  slug: "ledger_ageing",
  name: "Ageing of invoices",
  description: "What is owed for how long, by supplier.",
  request: { method: "GET", url: "https://ledger.example/api/ageing?supplier={supplier}", headers: bearer },
};

/** Takes both pictures; what each is, by its file. */
export async function takePictures(): Promise<Map<string, Uint8Array>> {
  const answerLedger = openLedger();
  const ledger = startUpstream(({ method, target, headers, body }) =>
    answerLedger(
      new Request(new URL(target, "http://ledger.example"), {
        method,
        headers,
        ...(body === "" ? {} : { body }),
      }),
    )
  );
  let orders = [innerTool("find_order")];
  const workshop = startUpstream(speakMcp({ tools: () => orders }));
  const { stack, visit, stop } = await openConsole({
    env: {
      FRAMED_LOCAL_UPSTREAMS:
        `ledger.example=${ledger.url.origin},mcp.workshop.example=${workshop.url.origin}`,
    },
  });
  const sql = postgres(stack.database, { max: 1, onnotice: () => {} });
  const { ask, define, propose } = callStack(stack);
  const call = (slug: string, args: JsonObject) =>
    ask(`/tools/${slug}/call`, { body: { workspace_id: stack.workspace_id, args } });
  const pictures = new Map<string, Uint8Array>();
  try {
    for (const tool of TOOLS) await define(tool);
    for (const { slug } of [INVOICES, BOOKING]) {
      const body = { workspace_id: stack.workspace_id, value: LEDGER_TOKEN };
      await ask(`/tools/${slug}/secrets/CONNECTOR_LEDGER`, { as: "admin", method: "PUT", body, wanted: 204 });
    }
    await toolsOn(stack).define(AGEING, { asPartner: true });
    await call(INVOICES.slug, { supplier: "Acme" });
    await call("opening_hours", {});
    await call(TRACKER.slug, { action: "list" });
    await sql`
      update framed.v2_inner_lists set listed_at = listed_at - interval '11 minutes',
        first_listed_at = first_listed_at - interval '11 minutes'`;
    orders = [innerTool("find_order"), innerTool("close_order", { annotations: {} })];
    await call(TRACKER.slug, { action: "list" });
    const approval = await propose(BOOKING.slug, {
      supplier: "Acme",
      number: "2026-0117",
      account: "4310 Office supplies",
      note: "Paper for the shop, delivered in November",
    });

    const size = {
      viewport: { width: PICTURE.width, height: PICTURE.height },
      colorScheme: "light",
    } as const;
    await visit(stack.admin, `/tasks/${approval}`, async ({ page }) => {
      await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
      await page.getByRole("cell", { name: "412.50" }).first().waitFor();
      pictures.set("task.png", await page.screenshot());
    }, size);
    await visit(stack.admin, "/connections", async ({ page }) => {
      await page.getByRole("link", { name: "Manage Work orders" }).waitFor();
      await page.getByText("Quarantined", { exact: true }).first().waitFor();
      pictures.set("connections.png", await page.screenshot());
    }, size);
    return pictures;
  } finally {
    await sql.end();
    await stop();
    await Promise.all([ledger.close(), workshop.close()]);
  }
}

if (import.meta.main) {
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const [file, bytes] of await takePictures()) {
    await Deno.writeFile(join(FOLDER, file), bytes);
    console.log(`docs/images/${file}, ${bytes.length} bytes`);
  }
}
