/** Reads a request's form, as OAuth's endpoints take it. */

import { refuse, type Result } from "../outcome/result.ts";
import { readBytes } from "./body.ts";

/** The most a form may hold, in bytes: no parameter of OAuth is longer than a few kilobytes. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * The parameters of a form body. Refuses another content type, more than 64 KiB, what is no UTF-8, and what takes more
 * than 30 s to arrive or breaks off.
 */
export async function readFormBody(request: Request): Promise<Result<URLSearchParams>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) {
    return refuse("bad_request", {
      detail: "A form is wanted: Content-Type: application/x-www-form-urlencoded.",
    });
  }
  const bytes = await readBytes(request);
  if (typeof bytes === "string") {
    return refuse(bytes === "too large" ? "body_too_large" : "bad_request", {
      detail: `The body is ${bytes}.`,
    });
  }
  if (bytes.byteLength > MAX_FORM_BYTES) {
    return refuse("body_too_large", { detail: `A form holds at most ${MAX_FORM_BYTES / 1024} KiB.` });
  }
  try {
    return { ok: true, value: new URLSearchParams(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return refuse("bad_request", { detail: "The form is no UTF-8." });
  }
}
