/** What stands in a tool's file, as people read it: its arguments, requests, rules, preview and follow-up. Pure. */

import { operationsOf, requestOf } from "../../../supabase/functions/_shared/definition/call-request.ts";
import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";
import type { Condition, Op } from "../../../supabase/functions/_shared/definition/format-after.ts";
import type { JsonObject, JsonValue } from "../../../supabase/functions/_shared/definition/json.ts";

export interface ArgumentInWords {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** The arguments that a schema declares under `properties`, in its order. */
export function argumentsInWords(schema: unknown): ArgumentInWords[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, said]) => ({
    name,
    type: typeInWords(said),
    isRequired: required.includes(name),
    description: isObject(said) && typeof said.description === "string" ? said.description : "",
  }));
}

const TYPES: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "yes or no",
  array: "list",
  object: "object",
  null: "nothing",
};
const MOST_CHOICES = 8;

export function typeInWords(schema: unknown): string {
  if (!isObject(schema)) return "anything";
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.slice(0, MOST_CHOICES).map((choice) => compact(choice as JsonValue));
    const left = schema.enum.length - choices.length;
    return `one of ${choices.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
  }
  if ("const" in schema) return `always ${compact(schema.const as JsonValue)}`;
  const names = (Array.isArray(schema.type) ? schema.type : [schema.type])
    .map((type) => TYPES[String(type)] ?? "anything");
  const base = [...new Set(names)].join(" or ");
  const limits = limitsInWords(schema);
  const named = schema.type === "array" && isObject(schema.items)
    ? `list of: ${typeInWords(schema.items)}`
    : base;
  return limits.length === 0 ? named : `${named} (${limits.join(", ")})`;
}

function limitsInWords(schema: JsonObject): string[] {
  const said: [string, string][] = [
    ["minimum", "at least"],
    ["maximum", "at most"],
    ["minLength", "at least # characters"],
    ["maxLength", "at most # characters"],
    ["pattern", "like"],
    ["format", "a"],
    ["contentEncoding", "as"],
  ];
  return said.flatMap(([key, words]) => {
    const value = schema[key];
    if (typeof value !== "number" && typeof value !== "string") return [];
    return [words.includes("#") ? words.replace("#", String(value)) : `${words} ${value}`];
  });
}

export interface RequestInWords {
  /** `contact.read, list`; null where the tool has no capabilities. */
  readonly what: string | null;
  readonly method: string;
  readonly url: string;
}

/** Every request that calls of the tool can make, each once. */
export function requestsOf(file: FramedTool): RequestInWords[] {
  if (file.kind === "fixture") return [];
  if (file.kind === "mcp") return [{ what: null, method: "MCP", url: file.mcp.url }];
  return operationsOf(file).map((call) => {
    const { method, url } = requestOf(file, call);
    const what = call.capability === undefined ? null : `${call.capability}, ${call.operation}`;
    return { what, method, url };
  });
}

/** Whether the tool is a read that is sent by POST, so that a mark says whether it runs on the call. */
export function readsByPost(file: FramedTool): boolean {
  return file.kind === "request" && file.access === "read" &&
    requestsOf(file).some(({ method }) => method === "POST");
}

const OPS: Record<Op, string> = {
  equals: "is",
  not_equals: "is not",
  exists: "is there",
  not_exists: "is not there",
  contains: "contains",
  in: "is one of",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
};

export function conditionInWords({ path, op, value }: Condition): string {
  return [path, OPS[op], ...(value === undefined ? [] : [compact(value as JsonValue)])].join(" ");
}

/** A value on one line; a text as it is. */
export function compact(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
