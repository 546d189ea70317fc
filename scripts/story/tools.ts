/** The two tools of the story: one stages an invoice and asks for a follow-up, the other reads what is booked. */

/** The secret both name, for the ledger's host. */
export const SECRET = "CONNECTOR_LEDGER";

const COMMON = {
  format: "framed-tool/1",
  kind: "request",
  auth: { secret: SECRET },
  arguments: {
    type: "object",
    properties: { number: { type: "string", description: "The invoice's number" } },
    required: ["number"],
  },
};

export const BOOKED_TOOL = {
  ...COMMON,
  slug: "ledger_booked",
  name: "Booked invoices",
  description: "Invoices of a number that are booked in the ledger.",
  access: "read",
  request: {
    method: "GET",
    url: "https://ledger.example/api/booked?number={number}",
    headers: { Authorization: "Bearer {{secret}}" },
  },
  fixtures: [{ response: { rows: [] } }],
};

export const STAGE_TOOL = {
  ...COMMON,
  slug: "ledger_stage_invoice",
  name: "Stage an invoice",
  description: "Puts an invoice into the ledger as a concept.",
  access: "write",
  request: {
    method: "POST",
    url: "https://ledger.example/api/invoices",
    headers: { Authorization: "Bearer {{secret}}" },
  },
  fixtures: [{ response: { id: 1, state: "concept" } }],
  follow_up: {
    what: "Concept invoice {{args.number}} (id {{result.id}})",
    until: "Someone books it in the ledger",
    check: { tool: "ledger_booked", args: { number: "{{args.number}}" } },
    done_when: { all: [{ path: "rows.id", op: "equals", value: "{{result.id}}" }] },
  },
};
