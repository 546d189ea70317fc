/** What a caller asks of a tool, in the body of a call: the same over every surface that takes calls. */

import * as z from "zod";
import { isJsonObject, type JsonObject } from "../definition/json.ts";
import { once } from "../definition/once.ts";
import type { CallRequest } from "../flows/admit-call.ts";

/** The keys of a call beside the tool and the workspace. */
export const callFields = once(() => ({
  args: z.custom<JsonObject>((value) => value === undefined || isJsonObject(value as JsonObject), {
    error: "an object of arguments is wanted",
  }).optional(),
  capability: z.string({ error: "the name of a capability is wanted" }).max(200, {
    error: "at most 200 characters are wanted",
  }).optional(),
  operation: z.string({ error: "list or get is wanted" }).max(200, {
    error: "at most 200 characters are wanted",
  }).optional(),
  persist: z.boolean({ error: "true or false is wanted" }).optional(),
  kept: z.boolean({ error: "true or false is wanted" }).optional(),
}));

/** What a body with these keys has to be besides: `z.check` of it. */
export const ASKED_ONCE = {
  holds: ({ persist, kept }: { persist?: boolean | undefined; kept?: boolean | undefined }) =>
    persist !== true || kept !== true,
  says: { path: ["persist"], error: "a kept read is kept already; leave persist or kept out" },
};

/** Which page of a stored result: the names of a dotted path, none for the whole. */
export const resultPathShape = once(() =>
  z.string({ error: "a dotted path is wanted" }).max(1_000, { error: "at most 1,000 characters are wanted" })
    .optional().transform((path) => path === undefined || path === "" ? [] : path.split("."))
);

/** A call with these keys, as the flows take it. */
export function callRequestOf(
  { args, capability, operation, persist, kept }: {
    args?: JsonObject | undefined;
    capability?: string | undefined;
    operation?: string | undefined;
    persist?: boolean | undefined;
    kept?: boolean | undefined;
  },
): CallRequest {
  return {
    call: {
      args: args ?? {},
      ...(capability === undefined ? {} : { capability }),
      ...(operation === undefined ? {} : { operation }),
    },
    persist: persist === true,
    kept: kept === true,
  };
}
