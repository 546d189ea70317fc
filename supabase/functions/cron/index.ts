/** Serves the function `cron`. Without a cron secret it does not start: nobody could tick. */

import { createEgress } from "../_shared/egress/guarded-fetch.ts";
import { createServices, serviceOptionsFromEnv } from "../_shared/http/services.ts";
import { tickUrlOf } from "./again.ts";
import { createApp } from "./app.ts";
import { cronSecretFromEnv } from "./secret.ts";

const cronSecret = cronSecretFromEnv();
if (cronSecret === null) throw new Error("The environment lacks FRAMED_CRON_SECRET; see docs/operate.md.");
const options = serviceOptionsFromEnv();
Deno.serve(
  createApp({
    ...await createServices(options),
    egress: createEgress(),
    cronSecret,
    again: { url: tickUrlOf(options.supabaseUrl) },
  }).fetch,
);
