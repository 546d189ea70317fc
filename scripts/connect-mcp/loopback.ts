/** Where the browser comes back to: a listener on this machine for one answer. */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "./failure.ts";

export interface Loopback {
  readonly redirectUri: string;
  /** The parameters that the browser brought; rejects with the reason of the first signal. */
  answer(signals: readonly AbortSignal[]): Promise<URLSearchParams>;
  close(): void;
}

/** Where the browser comes back to, but for the port, which is whichever is free. */
export const REGISTERED_REDIRECT = "http://127.0.0.1/callback";

/**
 * Listens on 127.0.0.1 for the answer with this `state`. What comes with another one, or to another path, is turned away
 * and not waited for less: any page can send the browser here.
 */
export async function listenForAnswer(state: string): Promise<Loopback> {
  let settle!: (parameters: URLSearchParams) => void;
  const answered = new Promise<URLSearchParams>((resolve) => settle = resolve);
  const server = createServer((request, response) => {
    // What is asked for can be no address at all, and a handler that throws would end the program.
    const asked = readAddress(request.url);
    if (request.method !== "GET" || asked?.pathname !== "/callback") {
      return page(response, 404, "There is nothing here.");
    }
    const { searchParams } = asked;
    if (searchParams.get("state") !== state) {
      return page(response, 400, "This is not the sign-in that is waited for. Start it again.");
    }
    const said = searchParams.has("code")
      ? "Your program goes on. You can close this page."
      : "Your program was not let in. You can close this page.";
    page(response, 200, said);
    settle(searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once(
      "error",
      (error) => reject(new Failure(`This machine cannot be listened on: ${error.message}.`)),
    );
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    async answer(signals) {
      return await new Promise((resolve, reject) => {
        for (const signal of signals) {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        }
        answered.then(resolve);
      });
    },
    close() {
      // What is being answered is answered; a connection that is only kept open would hold the process.
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** The address that is asked for; null where it is none. Early releases of Node 20 have no `URL.parse`. */
function readAddress(asked = "/"): URL | null {
  const base = "http://127.0.0.1";
  return URL.canParse(asked, base) ? new URL(asked, base) : null;
}

function page(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "connection": "close",
  });
  response.end(`<!doctype html><html lang="en"><title>Framed</title><p>${words}</p></html>\n`);
}
