/** Puts a file on a workspace over the API and says in words what came back. Repeats the key nowhere. */

import type { PushTarget } from "./command-line.ts";

/** What the API said of one file. */
export type PushOutcome =
  | { readonly ok: true; readonly defined: Defined }
  | {
    readonly ok: false;
    /** One line. */
    readonly says: string;
    /** The API's code for it, `null` when no API answered. */
    readonly reason: string | null;
    readonly problems: readonly string[];
  };

/** The part of the API's answer that a person acts on. */
export interface Defined {
  readonly tool: string;
  readonly version: number;
  readonly replaced: boolean;
  /** The very file stood there already. */
  readonly unchanged?: true;
  readonly status: string;
  /** Names of secrets without a value. */
  readonly waits_for: readonly string[];
  /** Where an administrator pastes them. */
  readonly manage_url: string;
}

/** Of a file that passes the check where one beside it does not. */
export const NOT_SENT: PushOutcome = refused("Nothing was sent: another of the files has problems.");

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Posts the file's very bytes, so that the API reads what the developer wrote, and waits at most 30 s. No redirect is
 * followed: the key goes to the address it was meant for and nowhere else. Defined is what the API says it defined
 * under the file's own `slug`.
 */
export async function pushFile(
  { source, slug }: { source: Uint8Array; slug: string },
  target: PushTarget,
): Promise<PushOutcome> {
  const { apiBase, apiKey } = target;
  let answer: Answer;
  try {
    answer = await post(`${apiBase}/tools/define`, { apiKey, body: requestBody(source, target.workspaceId) });
  } catch (error) {
    return refused(`${apiBase} cannot be reached: ${withoutKey(causeOf(error), apiKey)}`);
  }
  return readAnswer(answer, { apiBase, slug });
}

/** What came back, without the key wherever it was repeated. */
interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** How long the API asks to be left alone; `null` when it does not say. */
  readonly retryAfterSeconds: number | null;
  /** `null` for what is no JSON object. */
  readonly body: Record<string, unknown> | null;
}

async function post(url: string, { apiKey, body }: { apiKey: string; body: Uint8Array }): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "accept": "application/json", "x-framed-api-key": apiKey },
    body: body as Uint8Array<ArrayBuffer>,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return {
    status: response.status,
    contentType: withoutKey(response.headers.get("content-type") ?? "", apiKey),
    retryAfterSeconds: readSeconds(response.headers.get("retry-after")),
    body: parseObject(await readText(response), apiKey),
  };
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function requestBody(source: Uint8Array, workspaceId: string): Uint8Array {
  const encoder = new TextEncoder();
  const hasBom = source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf;
  const parts = [
    encoder.encode(`{"workspace_id":${JSON.stringify(workspaceId)},"tool":`),
    hasBom ? source.subarray(3) : source,
    encoder.encode("}"),
  ];
  const body = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}

function readAnswer(
  { status, contentType, retryAfterSeconds, body }: Answer,
  { apiBase, slug }: { apiBase: string; slug: string },
): PushOutcome {
  if (status >= 300 && status < 400) {
    return refused(
      `${apiBase} answers with a redirect, which is not followed: set FRAMED_API_BASE to where it leads.`,
    );
  }
  if (body === null || (status !== 200 && typeof body.reason !== "string")) {
    const kind = contentType.split(";")[0]?.trim() || "no content type";
    return refused(
      `${apiBase} is not the API of Framed: it answered ${status} with ${kind}. Check FRAMED_API_BASE.`,
    );
  }
  if (status === 200) {
    const defined = readDefined(body, slug);
    return defined === null
      ? refused(
        `${apiBase} answered 200 without saying that it defined ${slug}: it may be of another version.`,
      )
      : { ok: true, defined };
  }
  const words = [body.title, body.detail, body.hint].filter((word) => typeof word === "string");
  const says = words.map(asSentence).join(" ") || `The API refused with status ${status}.`;
  const reason = String(body.reason);
  const wait = retryAfterSeconds === null ? "" : `Try again in ${retryAfterSeconds} s.`;
  const advised = adviceFor(reason, says);
  const advice = says.includes(wait) ? advised : `${advised} ${wait}`;
  return { ok: false, says: `${says}${advice}`, reason, problems: texts(body.problems) };
}

function readDefined(answer: Record<string, unknown>, slug: string): Defined | null {
  const { ok, tool, version, replaced, unchanged, status, waits_for, manage_url } = answer;
  if (ok !== true || tool !== slug || typeof version !== "number") return null;
  return {
    tool: slug,
    version,
    replaced: replaced === true,
    ...(unchanged === true ? { unchanged } : {}),
    status: typeof status === "string" ? status : "",
    waits_for: texts(waits_for),
    manage_url: typeof manage_url === "string" ? manage_url : "",
  };
}

/** What to do about the refusals that have to do with how the runner was called. */
function adviceFor(reason: string, says: string): string {
  switch (reason) {
    case "unauthenticated":
      return " Check FRAMED_API_KEY.";
    case "not_found":
      return says.includes("No such path.")
        ? " Check FRAMED_API_BASE: the address of the API, such as http://127.0.0.1:54321/api."
        : " Check --workspace: it is none that this key reaches.";
    default:
      return "";
  }
}

function refused(says: string): PushOutcome {
  return { ok: false, says, reason: null, problems: [] };
}

function asSentence(word: string): string {
  return /[.!?:]$/.test(word) ? word : `${word}.`;
}

function parseObject(text: string, apiKey: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(
      text,
      (_key, value) => typeof value === "string" ? withoutKey(value, apiKey) : value,
    );
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : null;
  } catch {
    return null;
  }
}

function readSeconds(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function withoutKey(text: string, apiKey: string): string {
  return text.replaceAll(apiKey, "[the key]");
}

/** What `fetch` failed with, at its root. */
function causeOf(error: unknown): string {
  let [cause, code]: [unknown, string] = [error, ""];
  while (cause instanceof Error) {
    if (cause.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
    code = "code" in cause && typeof cause.code === "string" ? cause.code : code;
    if (!(cause.cause instanceof Error)) break;
    cause = cause.cause;
  }
  const words = cause instanceof Error ? cause.message : String(cause);
  return (words || code || "no reason given").split("\n")[0]!.replace(/\.?$/, ".");
}
