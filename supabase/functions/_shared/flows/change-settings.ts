/** An administrator changes what a workspace is set to. */

import type { Transaction } from "../db/transaction.ts";
import type { JsonObject } from "../definition/json.ts";
import { canonicalJson } from "../definition/canonical-json.ts";
import { appendEvent } from "../log/store.ts";
import { ok, type Result } from "../outcome/result.ts";
import { type SettingsChange, settingsOf, withoutWebhookPath } from "../workspaces/settings.ts";
import { getWorkspace, type StoredWorkspace, storeSettings } from "../workspaces/store.ts";
import { type Change, workspaceEvent } from "./occasion.ts";
import { setWebhook, type WebhookMeans } from "./set-webhook.ts";

/** How a workspace stands after a change. */
export interface ChangedWorkspace {
  readonly workspace: StoredWorkspace;
  /** Of its webhook, where the change made a new one: told now and never again. */
  readonly signingSecret: string | null;
}

/**
 * Puts `changes` over the workspace's settings, and tells how it stands then. The log says what is new, a webhook by its
 * host only. What is so already changes nothing. Must run in a transaction.
 *
 * Refuses a webhook as `setWebhook` does.
 */
export async function changeSettings(
  tx: Transaction,
  { workspaceId, changes, keyRing, now, ...change }:
    & Change
    & WebhookMeans
    & { workspaceId: string; changes: SettingsChange },
): Promise<Result<ChangedWorkspace>> {
  const { settings } = await getWorkspace(tx, { workspaceId, toChange: true });
  const before = settingsOf(settings);
  const news = Object.entries(changes as JsonObject).filter(([key, value]) =>
    canonicalJson(value) !== canonicalJson((before as JsonObject)[key]!)
  );
  let signingSecret: string | null = null;
  if (news.length > 0) {
    const changed: SettingsChange = Object.fromEntries(news);
    await storeSettings(tx, { workspaceId, changes: changed });
    await appendEvent(tx, {
      workspaceId,
      event: workspaceEvent("workspace.changed", {
        ...change,
        detail: withoutWebhookPath(changed) as JsonObject,
      }),
    });
    if (changed.notify !== undefined) {
      const of = { workspaceId, keyRing, now, ...change };
      const set = await setWebhook(tx, { ...of, before: before.notify, after: changed.notify });
      if (!set.ok) return set;
      signingSecret = set.value;
    }
  }
  return ok({ workspace: await getWorkspace(tx, { workspaceId }), signingSecret });
}
