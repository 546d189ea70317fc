/**
 * The process that is killed: the front door with every function behind it, as the local stack serves it, over the
 * database and the other systems that its first line of input names. It says its port, and ends when its input does.
 */

import { createApp } from "../../supabase/functions/api/app.ts";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { createServices } from "../../supabase/functions/_shared/http/services.ts";
import { NO_LIMITS } from "../testing/limits.ts";

/** What it is told to serve with. */
export interface ServerOrders {
  readonly databaseUrl: string;
  readonly keyRingText: string;
  readonly cronSecret: string;
  /** Hosts and where their connections go. */
  readonly upstreams: readonly (readonly [host: string, url: string])[];
}

async function main(): Promise<void> {
  const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).getReader();
  let line = "";
  while (!line.includes("\n")) line += (await input.read()).value ?? "\n";
  const { databaseUrl, keyRingText, cronSecret, upstreams } = JSON.parse(line) as ServerOrders;
  const services = await createServices({
    databaseUrl,
    supabaseUrl: "http://127.0.0.1:1",
    publishableKey: "unused",
    keyRingText,
    consoleUrl: "https://console.example",
    consoleOrigins: ["https://console.example"],
    limits: NO_LIMITS,
  });
  const app = createApp({
    ...services,
    egress: createEgress({ upstreams: new Map(upstreams.map(([host, url]) => [host, new URL(url)])) }),
    cronSecret,
    takesNow: true,
    // Sessions are not signed here, as in every test that is not about them.
    verifySession: (token) =>
      Promise.resolve(token.startsWith("session.") ? token.slice("session.".length) : null),
  });
  const { addr } = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    return app.fetch(request);
  });
  console.log(addr.port);
  while (!(await input.read()).done);
  Deno.exit(0);
}

if (import.meta.main) await main();
