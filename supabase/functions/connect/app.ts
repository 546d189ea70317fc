/** Connect: where a person's own AI signs in and reaches the tools of one workspace. */

import { type App, createHttpApp, createRoutes } from "../_shared/http/app.ts";
import type { CallServices } from "../_shared/http/services.ts";
import type { Roof } from "../_shared/oauth/place.ts";
import { consentRoutes } from "./consent-routes.ts";
import { mcpRoutes } from "./mcp-routes.ts";
import { metadataRoutes } from "./metadata-routes.ts";
import { oauthRoutes } from "./oauth-routes.ts";

/** The function's own routes, as they are under `roof`: `services.connect.roofs[roof]` is where clients find them. */
export function connectRoutes(services: CallServices, { roof }: { roof: Roof }): App {
  const app = createRoutes();
  for (const routes of [metadataRoutes, oauthRoutes, consentRoutes, mcpRoutes]) {
    app.route("/", routes(services, { roof }));
  }
  return app;
}

/** The function `connect`. */
export function createApp(services: CallServices): App {
  return createHttpApp("connect", services, [() => connectRoutes(services, { roof: "connect" })], { isOpen });
}

/**
 * Whether pages of any origin may ask for a path of the function: everything but consent, which takes a person's session
 * and is for the console's pages alone.
 */
export function isOpen(path: string): boolean {
  return !path.startsWith("/connect/consent");
}
