/** The format of one HTTP request in a file. What may stand where is `request.ts`'s business. Pure. */

import * as z from "zod";
import { jsonFormat, mapFormat, objectFormat, oneOfFormat } from "./format-parts.ts";
import { once } from "./once.ts";
import { METHODS } from "./request/request-template.ts";

const QUERY_WANTED = "a text, a number, true or false";

export const requestFormat = once(() =>
  objectFormat({
    method: oneOfFormat(METHODS)
      .describe(
        "The HTTP method. A read is GET or HEAD, or POST for a search, which then waits for an approval.",
      ),
    url: z.string({ error: "an https address" }).describe(
      "The https address. {name} stands for an argument: one piece of the path, one query value, or one whole label of the host.",
    ),
    headers: mapFormat(z.string({ error: "a text" })).optional().describe(
      "Headers. A credential is only a placeholder: Bearer {{secret}}. {name} may stand in headers that carry none.",
    ),
    query: mapFormat(z.union([z.string(), z.number(), z.boolean()], { error: QUERY_WANTED })).optional()
      .describe(
        "Query parameters beside those in url. The pair of an optional argument that is absent is left out.",
      ),
    body: jsonFormat().optional().describe(
      "The body. A text that is exactly {name} takes the argument with its type. Left out, POST, PUT and PATCH send the arguments used nowhere else.",
    ),
    body_format: oneOfFormat(["json", "form"]).optional().describe(
      "How the body is written: json, or form fields.",
    ),
    idempotency_header: z.string({ error: "a header's name or null" }).nullable().optional().describe(
      "The header that carries the key of an approved write, so that it is done once. Idempotency-Key on POST and PATCH when left out; null for none.",
    ),
  }).describe("One HTTP call.")
);
