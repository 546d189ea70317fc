/** The front door: every path of the other functions under one roof. */

import { routes as approvalRoutes } from "../approval/app.ts";
import { connectRoutes, isOpen } from "../connect/app.ts";
import { cronRoutes, type CronServices } from "../cron/app.ts";
import { defineRoutes } from "../define/app.ts";
import { installRoutes } from "../define/install-routes.ts";
import { routes as readBackRoutes } from "../read-back/app.ts";
import { secretRoutes } from "../secrets/app.ts";
import { type CallServices, toolCallRoutes } from "../tool-call/app.ts";
import { routes as workspaceRoutes } from "../workspace/app.ts";
import { type App, createHttpApp, createRoutes } from "../_shared/http/app.ts";

/** The function `api`. */
export function createApp(services: CallServices & CronServices): App {
  return createHttpApp("api", services, [
    defineRoutes,
    installRoutes,
    ...readBackRoutes,
    secretRoutes,
    ...workspaceRoutes,
    () => toolCallRoutes(services),
    ...approvalRoutes.map((routesOf) => () => routesOf(services)),
    () => cronRoutes(services),
    () => createRoutes().route("/connect", connectRoutes(services, { roof: "api" })),
  ], { isOpen: (path) => path.startsWith("/api/connect/") && isOpen(path.slice("/api".length)) });
}
