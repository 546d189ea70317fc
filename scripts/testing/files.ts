/** Files that tests define. Everything in them is made up. */

import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";

/** A ledger's open invoices, read live with a secret; `more` replaces or adds keys. */
export function ledgerFile(more: JsonObject = {}): JsonObject {
  return {
    format: "framed-tool/1",
    slug: "ledger_open_invoices",
    name: "Open invoices",
    description: "The open purchase invoices in the ledger, by supplier.",
    access: "read",
    arguments: { type: "object", properties: { supplier: { type: "string", description: "Supplier name" } } },
    kind: "request",
    request: {
      method: "GET",
      url: "https://ledger.example/api/invoices?supplier={supplier}",
      headers: { Authorization: "Bearer {{secret}}" },
    },
    auth: { secret: "CONNECTOR_LEDGER" },
    fixtures: [
      { example: { supplier: "Acme" }, label: "two open", response: { rows: [{ id: 1 }, { id: 2 }] } },
      { response: { rows: [] } },
    ],
    ...more,
  };
}

/** An open system that needs no secret. */
export function openFile(more: JsonObject = {}): JsonObject {
  const { auth: _auth, ...file } = ledgerFile();
  return {
    ...file,
    slug: "rates",
    name: "Rates",
    description: "Today's exchange rates.",
    arguments: { type: "object", properties: { currency: { type: "string", maxLength: 3 } } },
    request: { method: "GET", url: "https://rates.example/v1/rates?currency={currency}" },
    fixtures: [{ response: { rows: [{ currency: "EUR", rate: "1.00" }] } }],
    ...more,
  };
}

/** Answers from its fixtures only. */
export function fixtureFile(more: JsonObject = {}): JsonObject {
  return {
    format: "framed-tool/1",
    slug: "rooms",
    name: "Rooms",
    description: "The rooms of the house.",
    access: "read",
    kind: "fixture",
    arguments: { type: "object", properties: { floor: { type: "integer" } } },
    fixtures: [
      { example: { floor: 1 }, response: { rooms: [{ name: "Oak" }, { name: "Elm" }] } },
      { response: { rooms: [] } },
    ],
    ...more,
  };
}

/** Books an invoice: waits for a person. */
export function bookingFile(more: JsonObject = {}): JsonObject {
  return {
    ...ledgerFile(),
    slug: "ledger_book_invoice",
    name: "Book an invoice",
    description: "Books one invoice in the ledger.",
    access: "write",
    arguments: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
    request: {
      method: "POST",
      url: "https://ledger.example/api/invoices",
      headers: { Authorization: "Bearer {{secret}}" },
    },
    fixtures: [{ example: { number: "2026-1" }, response: { id: 7 } }],
    ...more,
  };
}

/** An outside MCP server. */
export function mcpFile(more: JsonObject = {}): JsonObject {
  return {
    format: "framed-tool/1",
    slug: "issue_tracker",
    name: "Issue tracker",
    description: "The team's issue tracker, over its MCP server.",
    kind: "mcp",
    mcp: { url: "https://mcp.tracker.example/mcp", auth: { secret: "CONNECTOR_TRACKER_TOKEN" } },
    ...more,
  };
}
