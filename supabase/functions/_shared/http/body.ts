/** Reads a request's JSON body within its limit, with the same strict parser that reads a file. */

import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_FILE_LEVELS,
  parseJson,
} from "../definition/json.ts";
import { formatProblems, type Problem } from "../definition/problem.ts";
import { type Refusal, refuse, type Result } from "../outcome/result.ts";

/** The most a request body may hold, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** How deep a body may be: it holds a file one level down. */
export const MAX_BODY_LEVELS = MAX_FILE_LEVELS + 1;
/** All the time a body may take to arrive, in milliseconds: whoever drips one holds a request and its memory no longer. */
const MAX_BODY_MS = 30_000;

/** What a body says, and what in it can be read in more than one way or loses something when it is read. */
export interface ReadBody<T extends JsonValue = JsonObject> {
  readonly value: T;
  readonly problems: readonly Problem[];
}

/** How a body is read. */
export interface BodyOptions {
  /** No body at all is an empty object. */
  readonly orEmpty?: boolean;
  readonly timeoutMs?: number;
  /** How deep lists and objects may stand inside one another. */
  readonly maxLevels?: number;
}

/**
 * The body as a JSON object with the problems of its text: duplicate keys, numbers that lose digits and the like.
 *
 * Refuses what `readJson` refuses, and JSON that is no object.
 */
export async function readBody(request: Request, options: BodyOptions = {}): Promise<Result<ReadBody>> {
  const body = await readJson(request, options);
  if (!body.ok) return body;
  const { value, problems } = body.value;
  return isJsonObject(value)
    ? { ok: true, value: { value, problems } }
    : refuse("bad_json", { detail: "The body is JSON but no object. A JSON object is wanted." });
}

/**
 * The body as JSON of any kind with the problems of its text.
 *
 * Refuses more than 1 MiB (while reading, whatever `Content-Length` says), what takes more than 30 s to arrive or
 * breaks off, and what is no JSON.
 */
export async function readJson(
  request: Request,
  { orEmpty = false, timeoutMs = MAX_BODY_MS, maxLevels = MAX_BODY_LEVELS }: BodyOptions = {},
): Promise<Result<ReadBody<JsonValue>>> {
  const bytes = await readBytes(request, timeoutMs);
  if (bytes === "too large") {
    return refuse("body_too_large", { detail: `A body holds at most ${MAX_BODY_BYTES / 1024 / 1024} MiB.` });
  }
  if (bytes === "too slow") {
    return refuse("bad_request", { detail: `The body did not arrive within ${timeoutMs / 1000} s.` });
  }
  if (bytes === "broken off") return refuse("bad_request", { detail: "The body broke off." });
  if (bytes.byteLength === 0) {
    if (orEmpty) return { ok: true, value: { value: {}, problems: [] } };
    return refuse("bad_json", { detail: "The body is empty. A JSON object is wanted." });
  }
  const parsed = parseJson(bytes, { maxBytes: MAX_BODY_BYTES, maxLevels });
  const problems = parsed.ok ? [] : parsed.problems;
  return parsed.value === undefined
    ? refuseProblems(problems)
    : { ok: true, value: { value: parsed.value, problems } };
}

/** The body as a JSON object, with no problem in it. Refuses what `readBody` refuses, and every problem. */
export async function readJsonBody(
  request: Request,
  options: BodyOptions = {},
): Promise<Result<JsonObject>> {
  const body = await readBody(request, options);
  if (!body.ok) return body;
  const { value, problems } = body.value;
  return problems.length === 0 ? { ok: true, value } : refuseProblems(problems);
}

/** `bad_json` with a line for each problem. */
export function refuseProblems(
  problems: readonly Problem[],
): { readonly ok: false; readonly refusal: Refusal } {
  return refuse("bad_json", {
    detail: "The body is not JSON that can be read in one way only.",
    problems: formatProblems(problems, "body"),
  });
}

/** The bytes, or what is wrong as soon as it is: nothing is read after that. */
export async function readBytes(
  { body }: Pick<Request, "body">,
  timeoutMs = MAX_BODY_MS,
): Promise<Uint8Array | "too large" | "too slow" | "broken off"> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"too slow">((resolve) => timer = setTimeout(resolve, timeoutMs, "too slow"));
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const next = await Promise.race([reader.read().catch(() => "broken off" as const), late]);
      if (typeof next === "string") return next;
      if (next.done) break;
      size += next.value.byteLength;
      if (size > MAX_BODY_BYTES) return "too large";
      chunks.push(next.value);
    }
  } finally {
    clearTimeout(timer);
    // Not waited for: a client that stopped sending may never hear of it.
    reader.cancel().catch(() => {});
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
