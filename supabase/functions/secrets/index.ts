/** Serves the function `secrets`. */

import { createServices, serviceOptionsFromEnv } from "../_shared/http/services.ts";
import { createApp } from "./app.ts";

Deno.serve(createApp(await createServices(serviceOptionsFromEnv())).fetch);
