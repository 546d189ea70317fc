/** Serves the function `api`. */

import { tickUrlOf } from "../cron/again.ts";
import { cronSecretFromEnv } from "../cron/secret.ts";
import { createEgress } from "../_shared/egress/guarded-fetch.ts";
import { createServices, serviceOptionsFromEnv } from "../_shared/http/services.ts";
import { createApp } from "./app.ts";

const options = serviceOptionsFromEnv();
Deno.serve(
  createApp({
    ...await createServices(options),
    egress: createEgress(),
    cronSecret: cronSecretFromEnv(),
    again: { url: tickUrlOf(options.supabaseUrl) },
  }).fetch,
);
