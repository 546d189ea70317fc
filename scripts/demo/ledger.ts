/**
 * `deno task demo:ledger [--port 4801] [--tls CA.pem]`: a small ledger on loopback for the quick start, the other system
 * that tools read and write. To who sends the demo's bearer token it answers `GET /api/invoices?supplier=…` with the open
 * invoices, and `POST /api/bookings` with `{ number }` books one, which is open no more.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createTestAuthority } from "../testing/pki.ts";

const TOKEN = "ledger-demo-token";
const INVOICES = [
  { id: 1, supplier: "Acme", number: "2026-0117", due: "2026-12-04", amount: "412.50" },
  { id: 2, supplier: "Acme", number: "2026-0121", due: "2026-12-18", amount: "96.00" },
  { id: 3, supplier: "Birch & Sons", number: "B-88", due: "2026-12-09", amount: "1250.00" },
];

/** A ledger with its invoices open, as what answers its requests. */
export function openLedger(): (request: Request) => Promise<Response> {
  const open = new Map(INVOICES.map((invoice) => [invoice.number, invoice]));
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const asked = `${request.method} ${pathname}`;
    if (asked !== "GET /api/invoices" && asked !== "POST /api/bookings") {
      return Response.json({ error: "no such path" }, { status: 404 });
    }
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
      return Response.json({ error: "a bearer token that this ledger knows is wanted" }, { status: 401 });
    }
    if (request.method === "GET") {
      const supplier = searchParams.get("supplier");
      const rows = [...open.values()].filter((invoice) => supplier === null || invoice.supplier === supplier);
      return Response.json({ rows });
    }
    const { number } = await request.json();
    const invoice = open.get(number);
    if (invoice === undefined) {
      return Response.json({ error: "no open invoice has this number" }, { status: 409 });
    }
    open.delete(number);
    return Response.json({ id: invoice.id, number, booked: true }, { status: 201 });
  };
}

/** Serves the ledger; with `tlsCaFile` over TLS for ledger.example, the authority to trust written to that file. */
export async function serveLedger(
  { port, tlsCaFile }: { port: number; tlsCaFile?: string },
): Promise<Deno.HttpServer<Deno.NetAddr>> {
  let certificate = {};
  if (tlsCaFile !== undefined) {
    const authority = await createTestAuthority();
    await Deno.writeTextFile(tlsCaFile, authority.ca);
    certificate = await authority.certify("ledger.example");
  }
  return Deno.serve({
    hostname: "127.0.0.1",
    port,
    ...certificate,
    onListen: (address) => {
      const scheme = tlsCaFile === undefined ? "http" : "https";
      console.log(`The ledger answers on ${scheme}://127.0.0.1:${address.port}; its token is ${TOKEN}`);
    },
  }, openLedger());
}

const USAGE = `deno task demo:ledger [--port 4801] [--tls CA.pem]

A small ledger on 127.0.0.1 for the quick start. --tls serves it over TLS for ledger.example, and writes the authority
to trust to CA.pem.`;

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: "4801" },
        tls: { type: "string" },
        help: { type: "boolean" },
      },
    });
    if (values.help) {
      console.log(USAGE);
      return 0;
    }
    const server = await serveLedger({
      port: Number(values.port),
      ...(values.tls === undefined
        ? {}
        : { tlsCaFile: resolve(Deno.env.get("INIT_CWD") ?? ".", values.tls) }),
    });
    await server.finished;
    return 0;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      console.error("The port is in use. Stop what runs there, or name another with --port.");
      return 1;
    }
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return 2;
  }
}

if (import.meta.main) Deno.exit(await main());
