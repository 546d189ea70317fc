/**
 * A server on loopback that answers as Moneybird's API does, with made-up contacts and invoices: pages by `Link`, the
 * invoices of this year unless a filter says otherwise, 18-digit ids as JSON numbers, the whole contact inside each
 * invoice, and a 429 in HTML that says in epoch seconds when to come back. Source: developer.moneybird.com.
 */

import { type ReceivedRequest, startUpstream, type Upstream } from "./upstream.ts";

export interface Moneybird extends Upstream {
  readonly token: string;
  readonly administrationId: string;
  /** How many contacts and invoices there are, and how many of the invoices are of this year. */
  readonly contacts: number;
  readonly invoices: number;
  readonly invoicesThisYear: number;
  /** What stands in the fields that must not leave, and nowhere else. */
  readonly withheld: readonly string[];
  readonly firstContactId: string;
  readonly firstInvoiceId: string;
  /** The next requests are too many until this instant. */
  limitUntil(epochSeconds: number | null): void;
}

const CONTACTS = 130;
const INVOICES = 12;
const THIS_YEAR = 2026;
const WITHHELD = {
  tax_number: "NL009999990B42",
  bank_account: "NL91ABNA0417164300",
  sepa_iban: "NL20INGB0001234567",
  sepa_iban_account_name: "WITHHELD-SEPA-NAME",
  sepa_bic: "INGBNL2AXXX",
  sepa_mandate_id: "WITHHELD-MANDATE",
  credit_card_number: "4111111111111111",
  credit_card_reference: "WITHHELD-CARD",
  public_view_code: "withheld1view2code",
  url: "https://moneybird.example/withheld-url",
  payment_url: "https://moneybird.example/withheld-payment",
  sales_invoices_url: "https://moneybird.example/withheld-invoices",
};

/** Starts one. Who asks without the token gets a 401, and for another administration a 404. */
export function startMoneybird(): Moneybird {
  const token = "moneybird/token+of=the test";
  const administrationId = "123456789012345678";
  const contacts = Array.from({ length: CONTACTS }, (_, at) => contactOf(at));
  const invoices = Array.from({ length: INVOICES }, (_, at) => invoiceOf(at, contacts[at]!));
  let limitedUntil: number | null = null;

  function answer({ method, target, headers }: ReceivedRequest): Response {
    const url = new URL(target, "https://moneybird.com");
    const root = `/api/v2/${administrationId}`;
    if (headers.get("authorization") !== `Bearer ${token}`) return problem(401, "Authorization required");
    if (limitedUntil !== null) return tooMany(limitedUntil);
    if (method !== "GET" || !url.pathname.startsWith(`${root}/`)) return problem(404, "record not found");
    const path = url.pathname.slice(root.length);
    if (path === "/contacts.json") return list(matching(contacts, url), url);
    if (path === "/sales_invoices.json") return list(filtered(invoices, url), url);
    const [, resource, id] = /^\/(contacts|sales_invoices)\/(\d+)\.json$/.exec(path) ?? [];
    const found = (resource === "contacts" ? contacts : invoices).find((record) => record.id === id);
    return found === undefined ? problem(404, "record not found") : json(found);
  }

  const upstream = startUpstream(answer);
  return {
    ...upstream,
    token,
    administrationId,
    contacts: CONTACTS,
    invoices: INVOICES,
    invoicesThisYear: invoices.filter(({ invoice_date }) => invoice_date.startsWith(`${THIS_YEAR}`)).length,
    withheld: Object.values(WITHHELD),
    firstContactId: contacts[0]!.id,
    firstInvoiceId: invoices[0]!.id,
    limitUntil: (epochSeconds) => limitedUntil = epochSeconds,
  };
}

function contactOf(at: number) {
  const { tax_number, url: _url, payment_url: _payment, public_view_code: _code, ...bank } = WITHHELD;
  return {
    id: `4335462553537${String(75_100 + at)}`,
    administration_id: "123456789012345678",
    company_name: `Company ${at + 1}`,
    firstname: "Noor",
    lastname: "de Boer",
    attention: "",
    customer_id: String(at + 1),
    email: `office${at + 1}@company.example`,
    phone: "",
    address1: "Havenstraat 1",
    zipcode: "1506 AB",
    city: "Zaandam",
    country: "NL",
    tax_number,
    ...bank,
    sepa_active: true,
    notes: [{ id: `4335462553537${String(85_100 + at)}`, note: `pays from ${bank.bank_account}` }],
    custom_fields: [{ id: "1", name: "IBAN", value: bank.sepa_iban }],
    archived: false,
    created_at: "2025-01-01T08:00:00.000Z",
    updated_at: "2026-01-01T08:00:00.000Z",
  };
}

function invoiceOf(at: number, contact: ReturnType<typeof contactOf>) {
  const year = at % 3 === 0 ? THIS_YEAR : THIS_YEAR - 1;
  return {
    id: `4335462560017${String(95_100 + at)}`,
    administration_id: "123456789012345678",
    contact_id: contact.id,
    contact,
    invoice_id: `${year}-${String(at + 1).padStart(4, "0")}`,
    state: at % 2 === 0 ? "open" : "paid",
    invoice_date: `${year}-03-0${1 + at % 9}`,
    due_date: `${year}-04-01`,
    reference: `Order ${at + 1}`,
    currency: "EUR",
    prices_are_incl_tax: false,
    total_price_excl_tax: "100.0",
    total_price_incl_tax: "121.0",
    total_paid: "0.0",
    total_unpaid: "121.0",
    public_view_code: WITHHELD.public_view_code,
    url: WITHHELD.url,
    payment_url: WITHHELD.payment_url,
    details: [{
      id: `4335462560017${String(96_100 + at)}`,
      description: "Bread",
      amount: "1 x",
      price: "100.0",
    }],
    payments: [],
    custom_fields: [],
    notes: [{ id: `4335462560017${String(97_100 + at)}`, note: WITHHELD.payment_url }],
    attachments: [],
    created_at: `${year}-03-01T08:00:00.000Z`,
    updated_at: `${year}-03-01T08:00:00.000Z`,
  };
}

function matching(contacts: readonly ReturnType<typeof contactOf>[], url: URL) {
  const query = url.searchParams.get("query")?.toLowerCase() ?? "";
  return contacts.filter(({ company_name, customer_id }) =>
    company_name.toLowerCase().includes(query) || customer_id === query
  );
}

/** Any filter takes the place of the one that holds without: `period:this_year`. */
function filtered(invoices: readonly ReturnType<typeof invoiceOf>[], url: URL) {
  const filter = url.searchParams.get("filter") ?? "period:this_year";
  const wanted = new Map(filter.split(",").map((pair) => pair.split(":") as [string, string]));
  const [states, period] = [wanted.get("state")?.split("|"), wanted.get("period")];
  const [from = "", to = ""] = period === "this_year"
    ? [`${THIS_YEAR}01`, `${THIS_YEAR}12`]
    : period?.split("..") ?? ["000000", "999999"];
  return invoices.filter(({ state, invoice_date }) => {
    const month = invoice_date.slice(0, 7).replace("-", "");
    return (states === undefined || states.includes(state)) && from <= month && month <= to;
  });
}

function list(records: readonly { id: string }[], url: URL): Response {
  const page = Number(url.searchParams.get("page") ?? "1");
  const size = Number(url.searchParams.get("per_page") ?? "25");
  if (!(size >= 1 && size <= 100) || !(page >= 1)) return problem(400, "per_page must be between 1 and 100");
  const links = [["first", 1], ["prev", page - 1], ["next", page + 1]].filter(([relation, number]) =>
    number as number >= 1 && (relation !== "next" || page * size < records.length)
  ).map(([relation, number]) => {
    const there = new URL(url);
    there.searchParams.set("page", String(number));
    there.searchParams.set("per_page", String(size));
    return `<${there.href}>; rel="${relation}"`;
  });
  return json(records.slice((page - 1) * size, page * size), { link: links.join(", ") });
}

/** Ids go out as numbers, all their digits written. */
function json(body: unknown, headers: Record<string, string> = {}): Response {
  const text = JSON.stringify(body).replace(/("(?:id|contact_id|administration_id)":)"(\d{18})"/g, "$1$2");
  return new Response(text, { headers: { "content-type": "application/json; charset=utf-8", ...headers } });
}

function problem(status: number, error: string): Response {
  return Response.json({ error, symbolic: null }, { status });
}

function tooMany(until: number): Response {
  return new Response("<html><head><title>429</title></head><body><h1>Throttled</h1></body></html>", {
    status: 429,
    headers: {
      "content-type": "text/html",
      "retry-after": String(until),
      "ratelimit-limit": "150",
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(until),
    },
  });
}
