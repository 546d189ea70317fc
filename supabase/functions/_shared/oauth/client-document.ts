/** Clients whose id is the address of a document that describes them: fetched through the guarded way out, kept for minutes. */

import { isJsonObject, parseJson } from "../definition/json.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import { type Client, MAX_CLIENT_ID, readClientMetadata } from "./client.ts";
import { fault, type OAuthFault } from "./oauth-fault.ts";

const MAX_DOCUMENT_BYTES = 64 * 1024;
const MAX_DOCUMENT_LEVELS = 10;
const FETCH_TIMEOUT_MS = 5_000;
/** How long a document is taken as it was read, whatever its headers say, and a failure as one. */
const KEPT_MS = 10 * 60_000;
const FAILURE_KEPT_MS = 30_000;
const MAX_KEPT = 200;

/** Finds the client that an address describes. */
export type FindDescribed = (id: string) => Promise<Client | OAuthFault>;

/** Whether a client's id is meant as an address rather than as one that we gave. */
export function isDocumentId(id: string): boolean {
  return /^https?:/i.test(id);
}

/**
 * Finds clients by their documents. One that is asked for by many at once is fetched once; at most 200 are kept, for 10
 * minutes, a failure for 30 s.
 *
 * Refuses an address that is not `https` in its usual spelling, with a path and without userinfo, query or fragment; a
 * document that is not JSON with status 200 of at most 64 KiB within 5 s, names another id than its address, or holds a
 * secret. No redirect is followed. Source: draft-ietf-oauth-client-id-metadata-document.
 */
export function createClientDocuments(
  egress: Egress,
  { now = () => performance.now() }: { now?: () => number } = {},
): FindDescribed {
  const kept = new Map<string, { found: Promise<Client | OAuthFault>; until: number }>();

  return function findDescribed(id) {
    if (!isDocumentAddress(id)) return Promise.resolve(NO_DOCUMENT_ADDRESS);
    const known = kept.get(id);
    if (known !== undefined && known.until > now()) return known.found;
    kept.delete(id);
    for (const oldest of kept.keys()) {
      if (kept.size < MAX_KEPT) break;
      kept.delete(oldest);
    }
    const entry = { found: fetchClient(egress, id), until: now() + KEPT_MS };
    kept.set(id, entry);
    const forgetSoon = () => entry.until = Math.min(entry.until, now() + FAILURE_KEPT_MS);
    entry.found.then((found) => "error" in found && forgetSoon(), forgetSoon);
    return entry.found;
  };
}

const NO_DOCUMENT_ADDRESS = fault(
  "invalid_client",
  "client_id is no address of a client's document: https, a path, nothing after it, spelt as programs spell it.",
);

function isDocumentAddress(id: string): boolean {
  if (id.length > MAX_CLIENT_ID || !id.startsWith("https://") || !URL.canParse(id)) return false;
  const { href, hostname, pathname, username, password, search, hash } = new URL(id);
  return href === id && !hostname.endsWith(".") && pathname !== "/" && username === "" && password === "" &&
    search === "" &&
    hash === "" &&
    !/[?#]/.test(id);
}

async function fetchClient(egress: Egress, id: string): Promise<Client | OAuthFault> {
  const answer = await egress.send(
    { method: "GET", url: id, headers: [["Accept", "application/json"]], body: null },
    {
      host: new URL(id).host,
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
      workspaceId: "connect",
    },
  );
  if (!answer.ok) {
    return fault(
      "invalid_client",
      `The document of client_id cannot be had: ${answer.refusal.detail ?? answer.refusal.reason}`,
    );
  }
  const { status, headers, body } = answer.value;
  if (status !== 200) {
    return fault("invalid_client", `The document of client_id answers ${status}, and not 200.`);
  }
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(headers.get("content-type") ?? "")) {
    return fault("invalid_client", "The document of client_id is not called JSON by its Content-Type.");
  }
  const { ok, value } = parseJson(body, { maxBytes: MAX_DOCUMENT_BYTES, maxLevels: MAX_DOCUMENT_LEVELS });
  if (!ok || !isJsonObject(value)) {
    return fault(
      "invalid_client",
      "The document of client_id is no JSON object that can be read in one way only.",
    );
  }
  if (value.client_id !== id) {
    return fault("invalid_client", "The document names another client_id than its address.");
  }
  const method = value.token_endpoint_auth_method;
  if ("client_secret" in value || (typeof method === "string" && method.startsWith("client_secret"))) {
    return fault(
      "invalid_client",
      "A client that anyone can read about has no secret: token_endpoint_auth_method has to be none.",
    );
  }
  const read = readClientMetadata(value);
  return "error" in read
    ? fault("invalid_client", `The document of client_id: ${read.description}`)
    : { id, ...read };
}
