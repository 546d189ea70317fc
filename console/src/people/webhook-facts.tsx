/** How the webhook fares. */

import { REASONS } from "../../../supabase/functions/_shared/outcome/reason.ts";
import type { WebhookState } from "../api/settings.ts";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

export function WebhookFacts({ state }: { state: WebhookState }) {
  const { secret_made_at, last_delivered_at, last_failed_at, last_failure, failing_since, gone_at } = state;
  return (
    <div className="card stack">
      <h3>How it fares</h3>
      {gone_at !== null && (
        <Notice tone="bad" title="It says that it is gone">
          It answered 410, so nothing is sent to it. Change its address, or make a new signing secret to try
          again.
        </Notice>
      )}
      {gone_at === null && failing_since !== null && (
        <Notice tone="warn" title="It does not take what it is sent">
          <p>
            Since <Time at={failing_since} />. What it refuses is sent again, for three days.
          </p>
        </Notice>
      )}
      <dl className="facts">
        <dt>Last told</dt>
        <dd>{last_delivered_at === null ? "not yet" : <Time at={last_delivered_at} />}</dd>
        <dt>Last failure</dt>
        <dd>
          {last_failed_at === null ? "none" : (
            <>
              <Time at={last_failed_at} />
              {last_failure !== null && `: ${wordsOf(last_failure)}`}
            </>
          )}
        </dd>
        <dt>Signing secret</dt>
        <dd>
          made <Time at={secret_made_at} />
        </dd>
      </dl>
    </div>
  );
}

/** What came of a message: an HTTP status, a reason, or why it was not sent. */
export function wordsOf(status: string): string {
  if (/^\d{3}$/.test(status)) return `it answered ${status}`;
  if (Object.hasOwn(REASONS, status)) return REASONS[status as keyof typeof REASONS].title;
  return NOT_SENT[status] ?? status;
}

const NOT_SENT: Readonly<Record<string, string>> = {
  nothing_waits: "nothing waited any more",
  webhook_removed: "the webhook was removed",
  webhook_gone: "the webhook was gone",
};
