/** Tools that wait for a person, each for another thing its page has to show, and the system on loopback they call. */

import type { Locator } from "playwright-core";
import { startUpstream, type Upstream } from "./upstream.ts";

/** What the system does next, for a test to say. */
export interface TaskSystem extends Upstream {
  /** Of every currency. */
  rate: string;
  /** The numbers that somebody has booked. */
  readonly booked: Set<string>;
  /** Lets go what a slow payment waits for. */
  release: () => void;
}

const HOST = "ledger.example";

/** Serves it. `FRAMED_LOCAL_UPSTREAMS` of the stack is `upstreamsOf` it. */
export function startTaskSystem(): TaskSystem {
  let released = Promise.withResolvers<void>();
  const upstream = startUpstream(async ({ method, target }) => {
    const { pathname, searchParams } = new URL(target, upstream.url);
    switch (`${method} ${pathname}`) {
      case "GET /rates":
        return Response.json({ rows: [{ currency: "EUR", rate: system.rate }], read: "today" });
      case "GET /invoices":
        return Response.json({
          rows: [{ number: "2026-0117", supplier: searchParams.get("supplier"), amount: "412.50" }],
        });
      case "GET /booked":
        return Response.json({
          rows: [...system.booked].filter((number) => number === searchParams.get("number"))
            .map((number) => ({ number })),
        });
      case "POST /broken":
        return Response.json({ error: "the ledger fell over" }, { status: 500 });
      case "POST /refused":
        return Response.json({ error: "this invoice is booked already" }, { status: 409 });
      case "POST /slow":
        await released.promise;
        released = Promise.withResolvers();
        return Response.json({ paid: true });
      case "POST /long":
        return Response.json(
          Array.from(
            { length: 900 },
            (_, n) => ({ line: n + 1, text: `Booked line ${n + 1} of the ledger` }),
          ),
        );
      default:
        return Response.json({ id: upstream.requests.length, paid: true }, { status: 201 });
    }
  });
  const system = Object.assign(upstream, {
    rate: "1.08",
    booked: new Set<string>(),
    release: () => released.resolve(),
  });
  return system;
}

export function upstreamsOf({ url }: Upstream): string {
  return `${HOST}=${url.origin}`;
}

const WRITE = {
  format: "framed-tool/1",
  kind: "request",
  access: "write",
  fixtures: [{ response: { paid: true } }],
};
const post = (path: string) => ({ method: "POST", url: `https://${HOST}${path}` });
const read = (slug: string, name: string, { path, argument }: { path: string; argument: string }) => ({
  ...WRITE,
  slug,
  name,
  description: `${name} of the ledger.`,
  access: "read",
  arguments: { type: "object", properties: { [argument]: { type: "string" } } },
  request: { method: "GET", url: `https://${HOST}${path}?${argument}={${argument}}` },
  fixtures: [{ response: { rows: [] } }],
});
const anyArguments = {
  type: "object",
  additionalProperties: true,
  properties: { number: { type: "string" } },
};
const write = (slug: string, name: string, { path, ...more }: { path: string; [key: string]: unknown }) => ({
  ...WRITE,
  slug,
  name,
  description: `${name} in the ledger.`,
  arguments: anyArguments,
  request: post(path),
  ...more,
});

/** All of them, the ones that others name first. */
export const TASK_TOOLS: readonly object[] = [
  read("rates", "Rates", { path: "/rates", argument: "currency" }),
  read("open_invoices", "Open invoices", { path: "/invoices", argument: "supplier" }),
  read("booked", "Booked invoices", { path: "/booked", argument: "number" }),
  write("pay", "Pay an invoice", {
    path: "/payments",
    rules: [{
      path: "amount",
      op: "gt",
      value: 10_000,
      then: "admin",
      say: "Above 10,000 an administrator decides.",
    }],
    arguments: {
      type: "object",
      properties: {
        number: { type: "string" },
        supplier: { type: "string" },
        amount: { type: "number" },
        note: { type: "string" },
        urgent: { type: "boolean" },
      },
      required: ["number", "amount"],
    },
  }),
  write("import_lines", "Import lines", { path: "/lines" }),
  write("book", "Book an invoice", { path: "/bookings" }),
  write("order", "Order currency", {
    path: "/orders",
    preview: { tool: "rates", args: { currency: "EUR" }, compare: ["rows.rate"] },
  }),
  write("pay_broken", "Pay over the old gateway", { path: "/broken" }),
  write("pay_refused", "Pay twice", { path: "/refused" }),
  write("pay_slow", "Pay by the slow bank", { path: "/slow" }),
  write("export_lines", "Export lines", { path: "/long" }),
  write("pay_secretly", "Pay from the vault", {
    path: "/payments",
    request: { ...post("/payments"), headers: { Authorization: "Bearer {{secret}}" } },
    auth: { secret: "CONNECTOR_VAULT" },
  }),
  write("stage", "Stage an invoice", {
    path: "/staged",
    follow_up: {
      what: "Concept invoice {{args.number}}",
      until: "Someone books it in the ledger",
      check: { tool: "booked", args: { number: "{{args.number}}" } },
      done_when: { all: [{ path: "rows.number", op: "equals", value: "{{args.number}}" }] },
    },
  }),
];

/** Scrolls through what a dialog about several asks, bit by bit, until all of it was in sight. */
export async function goThrough(dialog: Locator): Promise<void> {
  const rows = dialog.getByRole("region", { name: "What is decided" });
  const below = dialog.getByText(/go through all of them first/);
  await rows.getByRole("listitem").first().waitFor();
  await rows.hover();
  for (let bits = 0; bits < 200 && await below.count() > 0; bits++) {
    await rows.page().mouse.wheel(0, 100);
    await rows.page().evaluate(
      "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))",
    );
  }
}
