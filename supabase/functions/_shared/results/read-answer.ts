/** Bytes another system answered with, as a JSON value without credentials, or why they cannot be one. Pure. */

import type { JsonObject, JsonValue } from "../definition/json.ts";
import { grouped } from "../definition/words.ts";
import { ok, type Refusal, refuse, type Result } from "../outcome/result.ts";
import { type ContentType, decodeText, readContentType } from "./answer-text.ts";
import { readCsv } from "./read-csv.ts";
import { MAX_ANSWER_LEVELS, MAX_ANSWER_VALUES, quoteBareMarkers, readJson } from "./read-json.ts";

/** The most characters of a failing answer that are told on. */
const MAX_FAILURE_TEXT = 500;

/** What takes the credentials of a call out of what another system says. */
export interface Redact {
  text(text: string): string;
  json(value: JsonValue): JsonValue;
}

/**
 * The answer as JSON: null where it is empty; rows where it is CSV or one JSON value a line; parsed where it says it is
 * JSON or can be read as such a list or object, whatever it says it is; else one text.
 *
 * No credential comes out, whole or in pieces: `redact` sees the text before it is taken apart, since a separator or a
 * number's last zero may be a part of one, and each value after, since one may have been escaped until then.
 *
 * Refuses `upstream_bad_answer` for JSON or CSV that is not what it says it is, or no more once a credential is taken
 * out of it, for bytes that are no text in their charset, for a web page (which is a sign-in or an error page more often
 * than an answer), and for all other types; `upstream_too_large` for what unfolds to more than can be held, as of more
 * than 200,000 values. Takes linear time.
 */
export function readAnswer(
  body: Uint8Array,
  { contentType, redact }: { contentType: string | null; redact: Redact },
): Result<JsonValue> {
  if (body.byteLength === 0) return ok(null);
  const content = readContentType(contentType === null ? null : redact.text(contentType));
  const form = formOf(content);
  if (form === "other") {
    return bad(`It answered with ${content.type}; JSON, CSV or text is wanted.`);
  }
  const decoded = decodeText(body, content);
  if (!decoded.ok) return bad(decoded.says);
  const text = redact.text(decoded.text);
  const isWhole = text === decoded.text;
  const read = readText(text, { form, content, isWhole });
  if (read.ok) return ok(redact.json(read.value));
  return isWhole ? read : withoutCredential(read);
}

function readText(
  text: string,
  { form, content, isWhole }: { form: Exclude<Form, "other">; content: ContentType; isWhole: boolean },
): Result<JsonValue> {
  const json = isWhole || form === "csv" ? text : quoteBareMarkers(text);
  switch (form) {
    case "json":
      return parse(json);
    case "csv":
      return rowsOf(text, content);
    case "lines":
      return linesOf(json);
    case "page":
      return looksLikeJson(text) ? parse(json, pageRefusal) : pageRefusal();
    case "text":
      return looksLikeJson(text) ? parse(json, () => ok(text)) : ok(text);
    default:
      return form satisfies never;
  }
}

/**
 * The beginning of what a failing answer says, at most 500 characters, or null where it says nothing that can be read.
 * `redact` sees the whole of it first: half a credential would not be known as one.
 */
export function readFailure(
  body: Uint8Array,
  { contentType, redact }: { contentType: string | null; redact: (text: string) => string },
): string | null {
  const content = readContentType(contentType);
  if (body.byteLength === 0 || formOf(content) === "other") return null;
  const decoded = decodeText(body, content);
  if (!decoded.ok) return null;
  // Texts far longer than what is told are cut twice: the tags of a page are taken out of its beginning only.
  const beginning = redact(decoded.text).slice(0, 20 * MAX_FAILURE_TEXT);
  const said = formOf(content) === "page" && !looksLikeJson(beginning) ? visibleText(beginning) : beginning;
  const points = [...said.replace(/[\s\p{Cc}]+/gu, " ").trim().slice(0, 4 * MAX_FAILURE_TEXT)];
  if (points.length === 0) return null;
  return points.length > MAX_FAILURE_TEXT
    ? `${points.slice(0, MAX_FAILURE_TEXT).join("")}…`
    : points.join("");
}

type Form = "json" | "csv" | "lines" | "page" | "text" | "other";

function formOf({ type }: ContentType): Form {
  if (/^(application|text)\/(x-)?(json|[\w.-]+\+json)$/.test(type)) return "json";
  if (/^(text|application)\/(csv|tab-separated-values)$/.test(type)) return "csv";
  if (/^application\/(x-)?(ndjson|jsonl|jsonlines|json-lines|json-seq)$/.test(type)) return "lines";
  if (type === "text/html" || type === "application/xhtml+xml") return "page";
  if (type === "" || type.startsWith("text/")) return "text";
  return /^application\/([\w.-]+\+)?(xml|yaml)$/.test(type) ? "text" : "other";
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function parse(text: string, otherwise?: () => Result<JsonValue>): Result<JsonValue> {
  const read = readJson(text);
  if (read.ok) return ok(read.value);
  if (read.why !== "no_json") return tooMuch(read.why);
  return otherwise?.() ?? bad("It says its answer is JSON, but it does not parse.");
}

function rowsOf(text: string, { parameters }: ContentType): Result<JsonObject[]> {
  const read = readCsv(text, { hasNames: parameters.get("header") !== "absent" });
  if (read.ok) return ok(read.rows);
  return read.why === "too_large"
    ? tooLarge(
      `Its CSV has more than ${
        grouped(MAX_ANSWER_VALUES)
      } values, or rows that with all their names are more than can be held.`,
    )
    : bad(`It says its answer is CSV, but ${read.says}.`);
}

function linesOf(text: string): Result<JsonValue[]> {
  const rows: JsonValue[] = [];
  let left = MAX_ANSWER_VALUES;
  for (let at = 0, number = 1; at < text.length; number++) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    // A record separator may begin each line (RFC 7464).
    const written = text.slice(text[at] === "\u001e" ? at + 1 : at, end).trim();
    at = end + 1;
    if (written === "") continue;
    const read = readJson(written, { maxValues: left });
    if (!read.ok) {
      return read.why === "no_json"
        ? bad(`It says each line of its answer is JSON, but line ${number} does not parse.`)
        : tooMuch(read.why);
    }
    left -= read.values;
    rows.push(read.value);
  }
  return ok(rows);
}

/** What a person would see of a page, roughly: enough to tell a sign-in page from a maintenance one. */
function visibleText(html: string): string {
  return html.replace(/<(script|style|head)\b[^]*?(<\/\1>|$)/gi, " ").replace(/<[^<>]*(>|$)/g, " ")
    .replaceAll("&nbsp;", " ");
}

/** Says beside what does not parse that it may be for want of what was taken out. */
function withoutCredential({ refusal }: { refusal: Refusal }): Result<never> {
  return {
    ok: false,
    refusal: {
      ...refusal,
      hint: "The answer repeats a credential of this tool, which is taken out before it is read.",
    },
  };
}

function bad(detail: string): Result<never> {
  return refuse("upstream_bad_answer", { detail });
}

function tooMuch(why: "too_deep" | "too_many"): Result<never> {
  return why === "too_deep"
    ? bad(`Its answer is JSON of more than ${MAX_ANSWER_LEVELS} levels.`)
    : tooLarge(`Its answer is JSON of more than ${grouped(MAX_ANSWER_VALUES)} values.`);
}

function tooLarge(detail: string): Result<never> {
  return refuse("upstream_too_large", { detail, hint: "Ask for fewer rows or fields at once." });
}

function pageRefusal(): Result<never> {
  return refuse("upstream_bad_answer", {
    detail: "It answered with a web page (HTML); JSON, CSV or text is wanted.",
    hint:
      "A web page in the place of an answer is mostly a sign-in or an error page: check the address and the secret.",
  });
}
