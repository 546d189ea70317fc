/** Files to begin with, one for each thing a tool can be. Each is fine as it stands. Pure. */

export interface Template {
  readonly name: string;
  readonly does: string;
  readonly file: unknown;
}

const FORMAT = "framed-tool/1";
const SUPPLIER = { type: "string", description: "Supplier name" };
const BEARER = { Authorization: "Bearer {{secret}}" };

export const TEMPLATES: readonly Template[] = [
  {
    name: "A read",
    does: "One GET request. It runs on the call.",
    file: {
      format: FORMAT,
      slug: "ledger_open_invoices",
      name: "Open invoices",
      description: "The open purchase invoices in the ledger, by supplier.",
      kind: "request",
      access: "read",
      arguments: { type: "object", properties: { supplier: SUPPLIER } },
      request: {
        method: "GET",
        url: "https://ledger.example/api/invoices?supplier={supplier}",
        headers: BEARER,
      },
      auth: { secret: "CONNECTOR_LEDGER" },
      fixtures: [
        {
          example: { supplier: "Acme" },
          label: "two open",
          response: { rows: [{ id: 1, amount: "412.50" }, { id: 2, amount: "96.00" }] },
        },
        { response: { rows: [] } },
      ],
    },
  },
  {
    name: "A write",
    does: "One POST request. It waits for approval.",
    file: {
      format: FORMAT,
      slug: "ledger_book_invoice",
      name: "Book an invoice",
      description: "Books one open invoice in the ledger.",
      kind: "request",
      access: "write",
      arguments: {
        type: "object",
        properties: { number: { type: "string", description: "Number of the invoice" } },
        required: ["number"],
      },
      request: { method: "POST", url: "https://ledger.example/api/bookings", headers: BEARER },
      auth: { secret: "CONNECTOR_LEDGER" },
      fixtures: [{
        example: { number: "2026-0117" },
        response: { id: 1, number: "2026-0117", booked: true },
      }],
    },
  },
  {
    name: "Fixtures only",
    does: "Answers from its examples and reaches nothing.",
    file: {
      format: FORMAT,
      slug: "rooms",
      name: "Rooms",
      description: "The rooms of the house, by floor.",
      kind: "fixture",
      access: "read",
      arguments: { type: "object", properties: { floor: { type: "integer" } } },
      fixtures: [
        {
          example: { floor: 1 },
          label: "two rooms",
          response: { rooms: [{ name: "Oak" }, { name: "Elm" }] },
        },
        { response: { rooms: [] } },
      ],
    },
  },
  {
    name: "An MCP server",
    does: "An outside server, with all its tools.",
    file: {
      format: FORMAT,
      slug: "issue_tracker",
      name: "Issue tracker",
      description: "The team's issue tracker, over its MCP server.",
      kind: "mcp",
      mcp: { url: "https://mcp.tracker.example/mcp", auth: { secret: "CONNECTOR_TRACKER" } },
    },
  },
];
