/** Requests as they are filled from a template, for tests of what goes out and what does not. */

import { assert } from "@std/assert";
import type { CredentialKey } from "../../supabase/functions/_shared/definition/credentials.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import {
  type OutgoingRequest,
  placeCredentials,
  prepareRequest,
  type RequestTemplate,
} from "../../supabase/functions/_shared/definition/request.ts";
import type { Refusal, Result } from "../../supabase/functions/_shared/outcome/result.ts";

export const URL = "https://ledger.example/api";
export const VALUES = new Map<CredentialKey, string>([
  ["secret", 's3cr&t:"ü'],
  ["clientId", "client 1"],
  ["administrationId", "12/3"],
]);

export function send(
  template: Partial<RequestTemplate>,
  args: JsonObject = {},
  values = VALUES,
): Result<OutgoingRequest> {
  const prepared = prepareRequest({ method: "GET", url: URL, ...template }, args);
  return prepared.ok ? placeCredentials(prepared.value, values) : prepared;
}

export function sent(template: Partial<RequestTemplate>, args: JsonObject = {}): OutgoingRequest {
  const result = send(template, args);
  assert(result.ok, JSON.stringify(result));
  return result.value;
}

export function refused(result: Result<unknown>): Refusal {
  assert(!result.ok, JSON.stringify(result));
  return result.refusal;
}
