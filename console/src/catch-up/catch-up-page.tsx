/** Catch up: what the workspace has to say by itself, newest first. */

import type { Finding, FindingItem } from "../api/catch-up.ts";
import { useFindings } from "../api/catch-up.ts";
import { Go } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice, type Tone } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { weekInWords } from "./week.ts";
import "./catch-up.css";

export default function CatchUpPage() {
  const { id } = useWorkspace();
  const findings = useFindings(id);
  const all = findings.data?.pages.flatMap((page) => page.findings) ?? [];
  return (
    <Page title="Catch up" lead="What waited too long after it was approved, a finding for each week.">
      {findings.error !== null && <ProblemNotice error={findings.error} onRetry={findings.refetch} />}
      {findings.isPending && <Loading what="Looking what there is" />}
      {findings.data !== undefined && all.length === 0 && (
        <Empty icon="catch-up" title="Nothing has waited too long">
          <p>
            A tool that changes something may say what should follow it in the other system. Where that has
            not happened after some days, it stands here, once.
          </p>
        </Empty>
      )}
      {all.map((finding) => <FindingCard key={finding.id} finding={finding} />)}
      {findings.hasNextPage && (
        <div>
          <Button onClick={() => findings.fetchNextPage()} isBusy={findings.isFetchingNextPage}>
            Show older
          </Button>
        </div>
      )}
    </Page>
  );
}

function FindingCard({ finding: { id, week, title, changed_at, items, total } }: { finding: Finding }) {
  return (
    <article className="card stack" aria-labelledby={id}>
      <div className="row row-apart">
        <h2 id={id}>{title}</h2>
        <p className="small muted">
          {weekInWords(week)}, last joined <Time at={changed_at} />
        </p>
      </div>
      <ul className="plain finding-items">
        {items.map((item) => <Item key={item.approval_id} item={item} />)}
      </ul>
      {total > items.length && <p className="muted">And {total - items.length} more.</p>}
    </article>
  );
}

const STATES: Readonly<Record<FindingItem["status"], readonly [Tone, string]>> = {
  waiting: ["warn", "still waits"],
  done: ["good", "done since"],
  stopped: ["plain", "stopped"],
  given_up: ["bad", "given up"],
};

function Item({ item: { approval_id, tool, what, until, wrote_at, status } }: { item: FindingItem }) {
  const [tone, words] = STATES[status];
  return (
    <li className="finding-item">
      <div>
        <p>
          <Go to={`/tasks/${approval_id}`}>{what === null ? "Open the approval" : <Said>{what}</Said>}</Go>
        </p>
        <p className="small muted">
          {until !== null && (
            <>
              until <Said>{until}</Said>
              {" · "}
            </>
          )}
          <Go to={`/connections/${encodeURIComponent(tool)}`}>
            <Said>{tool}</Said>
          </Go>
          {" · sent "}
          <Time at={wrote_at} />
        </p>
      </div>
      <Badge tone={tone}>{words}</Badge>
    </li>
  );
}
