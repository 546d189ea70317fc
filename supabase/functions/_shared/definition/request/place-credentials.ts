/** A prepared request, given its credentials right before it is sent. Pure. */

import { judgeUrl } from "../../egress/url.ts";
import { ok, refuse, type Result } from "../../outcome/result.ts";
import type { CredentialKey } from "../credentials.ts";
import { encodeCredential, fillHoles, type Hole, type HoledText } from "./holes.ts";
import { hostOf } from "./host.ts";
import { fit, newRoom, overfull, type Part, tooLong } from "./room.ts";
import type { OutgoingRequest, PreparedRequest } from "./request-template.ts";

/**
 * The request as it is sent, each hole filled with its value from `values`. With `idempotencyKey` the request carries
 * it in its idempotency header, if it has one. Refuses `secret_missing` when a value is missing or cannot stand where
 * it is wanted, `bad_arguments` when the request becomes too long with them, and `address_refused` or `host_refused` when the address is no longer the prepared one; names the
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
  const room = newRoom();
  const encoded = new Map<string, string>();
  const textOf = (hole: Hole): string => {
    const id = `${hole.key} ${hole.base64} ${hole.place}`;
    const known = encoded.get(id);
    if (known !== undefined) return known;
    const value = values.get(hole.key);
    const placed = value === undefined
      ? { ok: false as const, says: "has no value" }
      : encodeCredential(value, hole);
    if (!placed.ok) problems.add(`${secretNames?.get(hole.key) ?? hole.key}: ${placed.says}`);
    const text = placed.ok ? placed.text : "";
    encoded.set(id, text);
    return text;
  };
  const place = (text: HoledText, part: Part) => {
    for (const ready of text) if (typeof ready === "string") room[part] -= ready.length;
    return fillHoles(text, (hole) => fit(textOf(hole), { part, room, encode: (text) => text }) ?? "");
  };
  const url = place(prepared.url, "address");
  const headers = prepared.headers.map(([name, value]): [string, string] => {
    room.headers -= name.length;
    return [name, place(value, "headers")];
  });
  const body = prepared.body === null ? null : place(prepared.body, "body");
  if (problems.size > 0) {
    return refuse("secret_missing", {
      detail: "The value of a secret is missing or cannot be sent where the tool wants it.",
      hint: "An administrator pastes it anew on the tool, without blanks or line breaks around it.",
      problems: [...problems],
    });
  }
  const [part] = overfull(room);
  if (part !== undefined) {
    return refuse("bad_arguments", {
      detail: "With its secrets the request is longer than any that is sent. Nothing was sent.",
      hint:
        "Send shorter arguments. If that does not help, the tool's secret is too long for the place it has.",
      problems: [`args: make ${tooLong(part)} when the secrets are put in; shorter ones are wanted`],
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
