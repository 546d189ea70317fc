/** A person looks at what a program asks for, and lets it in on one workspace or does not. */

import { CODE_PREFIX, createCredential, hashKey } from "../auth/keys.ts";
import { actorOf, type Principal, type PrincipalHere } from "../auth/principal.ts";
import type { Queryable } from "../db/client.ts";
import { appendEvent } from "../log/store.ts";
import { isDocumentId } from "../oauth/client-document.ts";
import { insertGrant } from "../oauth/grant-store.ts";
import { judgeRedirect, redirectTo } from "../oauth/redirect-uri.ts";
import { isRequestId } from "../oauth/request-id.ts";
import { claimRequest, type ConsentRequest, decideRequest, noteConsent } from "../oauth/store.ts";
import { NOT_FOUND, ok, type Result } from "../outcome/result.ts";
import { listOwnWorkspaces } from "../workspaces/store.ts";
import { type Occasion, workspaceEvent } from "./occasion.ts";

/** How long a client has to redeem a code. Source: RFC 6749 §4.1.2 says ten minutes at most; a redirect takes seconds. */
const CODE_SECONDS = 60;
/** The most workspaces that a person is shown to choose from. */
const MAX_WORKSPACES = 200;

/** What a program that is let in may do, in words for the person: nothing that takes a person's own session. */
const MAY = [
  "See the tools of the workspace you choose, and what they do",
  "Run tools that only read, as you",
  "Ask for changes. Each one waits until a person has approved it",
];
const MAY_NOT = [
  "Approve or reject anything",
  "See, paste or remove a secret, or issue a key",
  "Reach another workspace",
];

/** What a person decides about. */
export interface Consent {
  readonly client: {
    readonly id: string;
    readonly name: string;
    /** The host that vouches for the client by its document; null for one that registered itself, whose name anyone can give. */
    readonly described_by: string | null;
  };
  readonly redirect: { readonly kind: "https" | "loopback" | "app"; readonly shown: string };
  readonly workspaces: readonly { id: string; name: string; role: string }[];
  readonly may: readonly string[];
  readonly may_not: readonly string[];
  readonly expires_at: string;
}

/**
 * What the request asks for, with the person's own workspaces. From then on it is theirs to decide and nobody else's.
 *
 * Refuses `not_found` for a request that is unknown, another's, decided or expired. Must run in a transaction.
 */
export async function showConsent(
  tx: Queryable,
  { requestId, person }: { requestId: string; person: Principal },
): Promise<Result<Consent>> {
  const workspaces = await listOwnWorkspaces(tx, { userId: person.id, limit: MAX_WORKSPACES, after: null });
  const request = isRequestId(requestId)
    ? await claimRequest(tx, { hash: hashKey(requestId), userId: person.id })
    : null;
  if (request === null) return { ok: false, refusal: NOT_FOUND };
  const judged = judgeRedirect(request.redirect_uri);
  if (!judged.ok) return { ok: false, refusal: NOT_FOUND };
  const { client_id, client_name, expires_at } = request;
  const { kind, shown } = judged.redirect;
  return ok({
    client: {
      id: client_id,
      name: client_name,
      described_by: isDocumentId(client_id) ? new URL(client_id).host : null,
    },
    redirect: { kind, shown },
    workspaces: workspaces.map(({ id, name, role }) => ({ id, name, role })),
    may: MAY,
    may_not: MAY_NOT,
    expires_at,
  });
}

/**
 * Lets the program in on the workspace, as the person: where their browser goes with the code. Decided once.
 *
 * Refuses as `showConsent`. Must run in a transaction that speaks for the workspace.
 */
export async function allowConsent(
  tx: Queryable,
  { requestId, principal, issuer, occasion }: {
    requestId: string;
    principal: PrincipalHere;
    issuer: string;
    occasion: Occasion;
  },
): Promise<Result<{ redirect_to: string }>> {
  const decided = await decide(tx, { requestId, userId: principal.id });
  if (!decided.ok) return decided;
  const { request, shown } = decided.value;
  const workspaceId = principal.workspace.id;
  const code = createCredential(CODE_PREFIX);
  const granted = await insertGrant(tx, {
    workspaceId,
    userId: principal.id,
    request,
    redirectHost: shown,
    code: { hash: hashKey(code), lifeSeconds: CODE_SECONDS },
  });
  if (granted === null) return { ok: false, refusal: NOT_FOUND };
  const { client_id, client_name, redirect_uri, state } = request;
  if (!isDocumentId(client_id)) await noteConsent(tx, { clientId: client_id });
  const detail = {
    connect_token_id: granted.id,
    user_id: principal.id,
    client: client_name,
    redirect_host: shown,
  };
  await appendEvent(tx, {
    workspaceId,
    event: workspaceEvent("connect.granted", { actor: actorOf(principal), occasion, detail }),
  });
  return ok({ redirect_to: redirectTo(redirect_uri, { code, state, iss: issuer }) });
}

/** Turns the program away: where their browser goes with that. Decided once. Refuses as `showConsent`. */
export async function denyConsent(
  tx: Queryable,
  { requestId, person, issuer }: { requestId: string; person: Principal; issuer: string },
): Promise<Result<{ redirect_to: string }>> {
  const decided = await decide(tx, { requestId, userId: person.id });
  if (!decided.ok) return decided;
  const { redirect_uri, state } = decided.value.request;
  const told = { error: "access_denied", error_description: "The person said no.", state, iss: issuer };
  return ok({ redirect_to: redirectTo(redirect_uri, told) });
}

/** The request, decided, and its address judged once more: rules may have become stricter since it was stored. */
async function decide(
  tx: Queryable,
  { requestId, userId }: { requestId: string; userId: string },
): Promise<Result<{ request: ConsentRequest; shown: string }>> {
  const request = isRequestId(requestId)
    ? await decideRequest(tx, { hash: hashKey(requestId), userId })
    : null;
  if (request === null) return { ok: false, refusal: NOT_FOUND };
  const judged = judgeRedirect(request.redirect_uri);
  return judged.ok ? ok({ request, shown: judged.redirect.shown }) : { ok: false, refusal: NOT_FOUND };
}
