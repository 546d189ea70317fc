import { join } from "node:path";
import { openLedger } from "../demo/ledger.ts";
import { databaseTest } from "../testing/database.ts";
import { mcpFile } from "../testing/files.ts";
import { openTestWorkspace } from "../testing/workspace.ts";
import { runPage } from "./page.ts";
import { openTerminal } from "./terminal.ts";
import { startTracker } from "./tracker.ts";

const REFERENCE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "reference.md"));
const ON_LOOPBACK = { hostname: "127.0.0.1", port: 0, onListen() {} };

databaseTest("docs/reference.md shows what a reader gets, from top to bottom", async (t) => {
  const ledger = Deno.serve(ON_LOOPBACK, openLargerLedger());
  const upstream = new URL(`http://127.0.0.1:${ledger.addr.port}`);
  const tracker = startTracker();
  const workspace = await openTestWorkspace({
    upstreams: new Map([["ledger.example", upstream], ["mcp.tracker.example", tracker.url]]),
  });
  await workspace.define(mcpFile());
  await workspace.paste("issue_tracker", { name: "CONNECTOR_TRACKER_TOKEN", value: "tracker-demo-token" });
  const api = Deno.serve(ON_LOOPBACK, workspace.fetch);
  const terminal = await openTerminal({
    FRAMED_API_BASE: `http://127.0.0.1:${api.addr.port}/api`,
    FRAMED_API_KEY: workspace.keys.admin_key,
    FRAMED_WORKSPACE: workspace.id,
    FRAMED_SESSION: `session.${workspace.people.admin}`,
  });
  try {
    await runPage(t, REFERENCE, terminal);
  } finally {
    await terminal.close();
    await Promise.all([api.shutdown(), ledger.shutdown()]);
    await tracker.close();
    await workspace.close();
  }
});

/**
 * The demo's ledger, with a supplier whose invoices do not fit into one answer, payments in pages, and one invoice at whose
 * booking it breaks down.
 */
function openLargerLedger(): (request: Request) => Promise<Response> {
  const answerAsLedger = openLedger();
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/payments") {
      const link = '<https://ledger.example/api/payments?page=2>; rel="next"';
      return Response.json(Array.from({ length: 10 }, (_, at) => ({ id: at + 1 })), { headers: { link } });
    }
    if (pathname === "/api/bookings" && (await request.clone().json()).number === "2026-0121") {
      return Response.json({ error: "the ledger broke down" }, { status: 500 });
    }
    const supplier = searchParams.get("supplier");
    if (supplier !== "A very large one") return await answerAsLedger(request);
    return Response.json({ rows: Array.from({ length: 1_000 }, (_, at) => ({ id: at + 1, supplier })) });
  };
}
