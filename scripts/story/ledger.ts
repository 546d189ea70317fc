/** The ledger of the story: takes invoices as concepts, and says which are booked. On loopback. */

/** An invoice in the ledger, a concept until somebody books it. */
interface Invoice {
  readonly id: number;
  readonly number: string;
  isBooked: boolean;
}

export interface StoryLedger {
  /** Where it really is. */
  readonly origin: string;
  /** How many invoices it has, and how often it was asked which are booked. */
  count(): { readonly invoices: number; readonly looks: number };
  /** Somebody books an invoice, by hand. */
  book(number: string): void;
  close(): Promise<void>;
}

/** Serves a ledger that knows one bearer token. */
export function serveStoryLedger(token: string): StoryLedger {
  const invoices: Invoice[] = [];
  let looks = 0;
  const stop = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: stop.signal, onListen() {} },
    async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.headers.get("authorization") !== `Bearer ${token}`) {
        return Response.json({ error: "a bearer token that this ledger knows is wanted" }, { status: 401 });
      }
      if (request.method === "POST" && pathname === "/api/invoices") {
        const { number } = await request.json();
        const invoice = { id: invoices.length + 1, number, isBooked: false };
        invoices.push(invoice);
        return Response.json({ id: invoice.id, state: "concept" }, { status: 201 });
      }
      if (request.method === "GET" && pathname === "/api/booked") {
        looks += 1;
        const number = searchParams.get("number");
        const rows = invoices.filter((one) => one.isBooked && one.number === number);
        return Response.json({ rows: rows.map(({ id, number }) => ({ id, number })) });
      }
      return Response.json({ error: "no such path" }, { status: 404 });
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    count: () => ({ invoices: invoices.length, looks }),
    book(number) {
      for (const invoice of invoices) if (invoice.number === number) invoice.isBooked = true;
    },
    async close() {
      stop.abort();
      await server.finished;
    },
  };
}
