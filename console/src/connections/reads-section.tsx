/** What a tool read last, kept here by its arguments; and a form that asks it now. */

import { useState } from "react";
import { type KeptRead, useKeptReads } from "../api/tools.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { AskForm } from "./ask-form.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { compact } from "./file-words.ts";
import { StoredAnswer } from "./stored-answer.tsx";
import { plural } from "./tool-words.ts";

export function ReadsSection(props: SectionProps) {
  const { mayUse } = useWorkspace();
  const { detail, slug } = props;
  if (!mayUse) {
    return (
      <Notice tone="info" title="You see that this tool exists, not what it reads">
        An administrator lets you use tools, under People and keys.
      </Notice>
    );
  }
  return (
    <>
      {detail.tool.kind !== "mcp" && <AskForm {...props} />}
      <section className="stack-tight" aria-labelledby="kept">
        <div className="row row-apart">
          <h2 id="kept">What is kept</h2>
          {detail.tool.kind === "request" && detail.runs === "on_call" && detail.origin === "file" && (
            <ButtonLink
              to={`/connections/new?${new URLSearchParams({ replace: slug, record: "1" })}`}
              variant="quiet"
            >
              Record a fixture
            </ButtonLink>
          )}
        </div>
        <KeptReads {...props} />
      </section>
    </>
  );
}

function KeptReads({ slug, detail }: SectionProps) {
  const { id } = useWorkspace();
  const reads = useKeptReads(id, { slug, isAsked: true });
  const [opened, setOpened] = useState<string | null>(null);
  if (reads.data === undefined) {
    return reads.error === null
      ? <Loading what="Looking up what is kept" />
      : <ProblemNotice error={reads.error} onRetry={() => void reads.refetch()} />;
  }
  const all = reads.data.pages.flatMap((page) => page.reads);
  if (all.length === 0) return <p className="muted">{whyNothing(detail)}</p>;
  return (
    <>
      <p className="muted">
        The newest answer to each set of arguments, for 90 days, until it is read anew or the file changes.
      </p>
      <ul className="plain kept">
        {all.map((read) => {
          const key = keyOf(read);
          return (
            <li key={key}>
              <KeptReadItem
                read={read}
                detail={detail}
                isOpen={(opened ?? keyOf(all[0]!)) === key}
                onToggle={(isOpen) => setOpened(isOpen ? key : "")}
              />
            </li>
          );
        })}
      </ul>
      {reads.hasNextPage && (
        <p>
          <Button isBusy={reads.isFetchingNextPage} onClick={() => void reads.fetchNextPage()}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}

function KeptReadItem(
  { read, detail, isOpen, onToggle }: {
    read: KeptRead;
    detail: SectionProps["detail"];
    isOpen: boolean;
    onToggle: (isOpen: boolean) => void;
  },
) {
  return (
    <>
      <h3 className="kept-head">
        <button type="button" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          <Icon name="chevron" />
          <span className="kept-args">
            {read.capability !== undefined && (
              <>
                <Said>{`${read.capability} ${read.operation}`}</Said>
                {" "}
              </>
            )}
            <ArgumentSet args={read.args} />
          </span>
          <span className="muted small number">
            {read.rows === null ? "one answer" : plural(read.rows, "row")}, <Time at={read.read_at} />
          </span>
        </button>
      </h3>
      {isOpen && (
        <StoredAnswer
          caption="Kept rows"
          handle={read.result_handle}
          tool={detail.tool}
          call={read}
          rows={read.rows}
        />
      )}
    </>
  );
}

function ArgumentSet({ args }: Pick<KeptRead, "args">) {
  const pairs = Object.entries(args);
  if (pairs.length === 0) return <span className="muted">without arguments</span>;
  return pairs.map(([name, value], index) => (
    <span key={name}>
      {index > 0 && ", "}
      <span className="muted">
        <Said>{name}</Said>
      </span>{" "}
      <Said>{compact(value)}</Said>
    </span>
  ));
}

function keyOf({ args, capability, operation }: KeptRead): string {
  return JSON.stringify([capability, operation, args]);
}

function whyNothing({ tool, access, runs }: SectionProps["detail"]): string {
  if (tool.kind === "fixture") return "Nothing: answers from its examples are not kept.";
  if (access === "sensitive") return "Nothing: answers of a sensitive tool are never kept.";
  if (tool.kind !== "mcp" && runs !== "on_call") {
    return "Nothing: what waits for approval is answered on its task.";
  }
  return "Nothing yet. The rows of each read are kept here until the next one.";
}
