/** The MCP endpoint of Connect, under any roof. What serves it is loaded with the first request: no other route needs it. */

import { once } from "../_shared/definition/once.ts";
import { type App, createRoutes } from "../_shared/http/app.ts";
import type { CallServices } from "../_shared/http/services.ts";
import type { Roof } from "../_shared/oauth/place.ts";

/** `POST /mcp`. There are no sessions, so that the other methods of the 2025 revisions answer 405. */
export function mcpRoutes(services: CallServices, { roof }: { roof: Roof }): App {
  const app = createRoutes();
  const serve = once(async () => {
    const { serveConnect } = await import("../_shared/connect/serve.ts");
    return serveConnect(services, { roof });
  });
  app.post("/mcp", async (c) => (await serve())(c));
  return app;
}
