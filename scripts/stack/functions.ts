/** The functions that the stack serves, by the names they are deployed under. */

import { createApp as createApi } from "../../supabase/functions/api/app.ts";
import { createApp as createApproval } from "../../supabase/functions/approval/app.ts";
import { createApp as createConnect } from "../../supabase/functions/connect/app.ts";
import { createApp as createCron, type CronServices } from "../../supabase/functions/cron/app.ts";
import { createApp as createDefine } from "../../supabase/functions/define/app.ts";
import { createApp as createReadBack } from "../../supabase/functions/read-back/app.ts";
import { createApp as createSecrets } from "../../supabase/functions/secrets/app.ts";
import { type CallServices, createApp as createToolCall } from "../../supabase/functions/tool-call/app.ts";
import { createApp as createWorkspace } from "../../supabase/functions/workspace/app.ts";

/** Answers requests whose path begins with the function's name, as an edge function sees them. */
export type FunctionHandler = (request: Request) => Response | Promise<Response>;

/** Every function over the same services. */
export function createFunctions(services: CallServices & CronServices): ReadonlyMap<string, FunctionHandler> {
  const apps = {
    api: createApi(services),
    approval: createApproval(services),
    connect: createConnect(services),
    cron: createCron(services),
    define: createDefine(services),
    "read-back": createReadBack(services),
    secrets: createSecrets(services),
    "tool-call": createToolCall(services),
    workspace: createWorkspace(services),
  };
  return new Map(Object.entries(apps).map(([name, app]) => [name, (request: Request) => app.fetch(request)]));
}
