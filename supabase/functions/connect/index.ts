/** Serves the function `connect`. */

import { createEgress } from "../_shared/egress/guarded-fetch.ts";
import { createServices, serviceOptionsFromEnv } from "../_shared/http/services.ts";
import { createApp } from "./app.ts";

const services = await createServices(serviceOptionsFromEnv());
Deno.serve(createApp({ ...services, egress: createEgress() }).fetch);
