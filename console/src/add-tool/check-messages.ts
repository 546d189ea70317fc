/** What the page and the worker that checks say to each other. Pure. */

import type { JsonObject } from "../../../supabase/functions/_shared/definition/json.ts";
import type { Checked } from "./checked.ts";

export type CheckQuestion =
  | { readonly asks: "schema" }
  | { readonly asks: "check"; readonly id: number; readonly text: string; readonly told: readonly string[] };

export type CheckAnswer =
  | { readonly answers: "schema"; readonly schema: JsonObject }
  | { readonly answers: "check"; readonly id: number; readonly checked: Checked };
