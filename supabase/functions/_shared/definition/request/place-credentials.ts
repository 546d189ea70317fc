/** A prepared request, given its credentials right before it is sent. Pure. */

import { judgeUrl } from "../../egress/url.ts";
import { ok, refuse, type Result } from "../../outcome/result.ts";
import type { CredentialKey } from "../credentials.ts";
import { encodeCredential, fillHoles, type HoledText } from "./holes.ts";
import { hostOf } from "./host.ts";
import type { OutgoingRequest, PreparedRequest } from "./request-template.ts";

/**
 * The request as it is sent, each hole filled with its value from `values`. With `idempotencyKey` the request carries
 * it in its idempotency header, if it has one. Refuses `secret_missing` when a value is missing or cannot stand where
 * it is wanted, and `address_refused` or `host_refused` when the address is no longer the prepared one; names the
 * secret by `secretNames`, else by its key, and never repeats a value.
 */
export function placeCredentials(
  prepared: PreparedRequest,
  values: ReadonlyMap<CredentialKey, string>,
  { idempotencyKey, secretNames }: {
    idempotencyKey?: string;
    secretNames?: ReadonlyMap<CredentialKey, string>;
  } = {},
): Result<OutgoingRequest> {
  const problems = new Set<string>();
  const place = (text: HoledText) =>
    fillHoles(text, (hole) => {
      const value = values.get(hole.key);
      const encoded = value === undefined
        ? { ok: false as const, says: "has no value" }
        : encodeCredential(value, hole);
      if (encoded.ok) return encoded.text;
      problems.add(`${secretNames?.get(hole.key) ?? hole.key}: ${encoded.says}`);
      return "";
    });
  const url = place(prepared.url);
  const headers = prepared.headers.map(([name, value]): [string, string] => [name, place(value)]);
  const body = prepared.body === null ? null : place(prepared.body);
  if (problems.size > 0) {
    return refuse("secret_missing", {
      detail: "The value of a secret is missing or cannot be sent where the tool wants it.",
      hint: "An administrator pastes it anew on the tool, without blanks or line breaks around it.",
      problems: [...problems],
    });
  }
  const verdict = judgeUrl(url);
  if (!verdict.ok) {
    return refuse("address_refused", { detail: `The filled address is refused: ${verdict.why}.` });
  }
  if (hostOf(verdict.url.href) !== prepared.host) {
    return refuse("host_refused", {
      detail: "The address names another host than the one that was prepared.",
    });
  }
  if (idempotencyKey !== undefined && prepared.idempotencyHeader !== null) {
    headers.push([prepared.idempotencyHeader, idempotencyKey]);
  }
  return ok({ method: prepared.method, url: verdict.url.href, headers, body });
}
