/** An administrator sets where a workspace is told that something waits, or makes a new secret for it. */

import type { Transaction } from "../db/transaction.ts";
import { appendEvent } from "../log/store.ts";
import { SECRET_BYTES, signingSecretOf } from "../notices/signature.ts";
import {
  delayNotices,
  findWebhook,
  moveWebhook,
  putSigningSecret,
  removeWebhook,
} from "../notices/webhook-store.ts";
import { ok, refuse, type Result } from "../outcome/result.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { sealForWorkspace } from "../secrets/vault.ts";
import { type Settings, settingsOf } from "../workspaces/settings.ts";
import { getWorkspace } from "../workspaces/store.ts";
import { type Change, workspaceEvent } from "./occasion.ts";

/** What a signing secret is sealed as. No name of a tool's secret is like it. */
export const SIGNING_SECRET = "webhook-signing-secret";

/** What a webhook is set with. */
export interface WebhookMeans {
  readonly keyRing: KeyRing | null;
  readonly now: () => Date;
}

interface OfWorkspace extends Change, WebhookMeans {
  readonly workspaceId: string;
}

/**
 * Follows a change of the setting `notify`. Gives the signing secret where a new one was made: for the first webhook,
 * for one on another host, and for one that has none yet. What waits to be told goes to the new address, by the new delay.
 *
 * Refuses `store_unavailable` on a stack without a master key: nothing can be sealed there, and nothing unsigned is sent.
 */
export async function setWebhook(
  tx: Transaction,
  { before, after, ...of }: OfWorkspace & { before: Settings["notify"]; after: Settings["notify"] },
): Promise<Result<string | null>> {
  const { workspaceId } = of;
  if (after === null) {
    await removeWebhook(tx, { workspaceId, now: of.now() });
    return ok(null);
  }
  if (of.keyRing === null) return NO_MASTER_KEY;
  const host = new URL(after.url).host;
  const isKnown = before !== null && new URL(before.url).host === host &&
    await findWebhook(tx, { workspaceId }) !== null;
  const secret = isKnown ? null : await makeSecret(tx, { ...of, keyRing: of.keyRing, host });
  if (before?.url !== after.url) await moveWebhook(tx, { workspaceId });
  await delayNotices(tx, { workspaceId, delayMinutes: after.delay_minutes });
  return ok(secret);
}

/**
 * Makes a new signing secret for the webhook and gives it: the one before counts no more, and a webhook that was gone is
 * told again. Must run in a transaction.
 *
 * Refuses `not_found` where no webhook is set, and `store_unavailable` as `setWebhook` does.
 */
export async function rotateSigningSecret(tx: Transaction, of: OfWorkspace): Promise<Result<string>> {
  const { workspaceId } = of;
  const { settings } = await getWorkspace(tx, { workspaceId, toChange: true });
  const { notify } = settingsOf(settings);
  if (notify === null) {
    return refuse("not_found", {
      detail: "This workspace has no webhook, so there is no secret to change.",
      hint: "Set one: PATCH /workspaces/<id> with notify.",
    });
  }
  if (of.keyRing === null) return NO_MASTER_KEY;
  return ok(await makeSecret(tx, { ...of, keyRing: of.keyRing, host: new URL(notify.url).host }));
}

async function makeSecret(
  tx: Transaction,
  { workspaceId, keyRing, now, host, ...change }: OfWorkspace & { keyRing: KeyRing; host: string },
): Promise<string> {
  const value = signingSecretOf(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  const secret = await sealForWorkspace(tx, { keyRing, workspaceId, name: SIGNING_SECRET, value });
  await putSigningSecret(tx, { workspaceId, secret, now: now() });
  await appendEvent(tx, {
    workspaceId,
    event: workspaceEvent("webhook.secret_made", { ...change, detail: { host } }),
  });
  return value;
}

const NO_MASTER_KEY = refuse("store_unavailable", {
  detail: "This stack has no master key, so no signing secret can be sealed. Nothing was stored.",
  hint: "Its operator sets FRAMED_SECRET_KEYS; see docs/operate.md.",
  retryAfterSeconds: 300,
});
