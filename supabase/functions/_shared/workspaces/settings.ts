/** The settings of a workspace: what each takes, and what holds where none was set. Pure. */

import * as z from "zod";
import { judgeUrl } from "../egress/url.ts";
import { once } from "../definition/once.ts";
import { grouped } from "../definition/words.ts";

/** The most days a log is kept: ten years. */
const MAX_LOG_DAYS = 3_650;
/** The most days an approval may wait. */
const MAX_APPROVAL_DAYS = 365;
/** The most minutes a notice may wait: a week. */
const MAX_DELAY_MINUTES = 10_080;

const notifyShape = once(() =>
  z.strictObject({
    url: z.string({ error: "an address is wanted" }).max(2_000, {
      error: "at most 2,000 characters are wanted",
    }).superRefine((url, context) => {
      const verdict = judgeUrl(url);
      if (!verdict.ok) context.addIssue({ code: "custom", message: verdict.why });
    }),
    delay_minutes: wholeNumber(0, MAX_DELAY_MINUTES).default(0),
  }, { error: "an object with url and delay_minutes is wanted, or null for none" })
);

const fields = once(() => ({
  approver_is_not_requester: z.boolean({ error: "true or false is wanted" }),
  approval_days: wholeNumber(1, MAX_APPROVAL_DAYS),
  log_days: wholeNumber(1, MAX_LOG_DAYS),
  notify: notifyShape().nullable(),
}));

/** Every setting of a workspace. */
export type Settings = z.infer<z.ZodObject<ReturnType<typeof fields>>>;

/** What of the settings is to be changed; a key that is left out stays as it is. */
export const settingsChangeShape = once(() => z.strictObject(fields()).partial());
export type SettingsChange = z.infer<ReturnType<typeof settingsChangeShape>>;

/** What holds where a workspace has not said otherwise. */
const DEFAULTS: Settings = {
  approver_is_not_requester: false,
  approval_days: 14,
  log_days: 365,
  notify: null,
};

const storedShape = once(() => z.object(fields()).partial());

/** The settings that hold, of what is stored. Throws where what is stored is no setting: none of us wrote that. */
export function settingsOf(stored: Record<string, unknown>): Settings {
  return { ...DEFAULTS, ...storedShape().parse(stored) };
}

/** The settings with the address of the webhook cut after its host: whoever knows the rest can post there. */
export function withoutWebhookPath(settings: SettingsChange): SettingsChange {
  const { notify } = settings;
  if (notify === undefined || notify === null) return settings;
  return { ...settings, notify: { ...notify, url: `${new URL(notify.url).origin}/…` } };
}

function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${grouped(max)} is wanted`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}
