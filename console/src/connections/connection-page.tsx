/** One tool: how it stands, and everything that people do with it. */

import { useRef, useState } from "react";
import { useSearch } from "wouter";
import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import { pathOf } from "../api/client.ts";
import { isRefusedFor } from "../api/problem.ts";
import { type ToolDetail, useTool } from "../api/tools.ts";
import { Go, useGo } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Badge } from "../ui/badge.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { type TabPart, Tabs } from "../ui/tabs.tsx";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { DefinitionSection } from "./definition-section.tsx";
import { InnerToolsSection } from "./inner-tools-section.tsx";
import { OverviewSection } from "./overview-section.tsx";
import { ReadsSection } from "./reads-section.tsx";
import { SecretsSection } from "./secrets-section.tsx";
import { stateOf, waitsForOf } from "./tool-words.ts";
import { VersionsSection } from "./versions-section.tsx";
import "./manage.css";

export default function ConnectionPage({ slug }: { slug: string }) {
  const { id } = useWorkspace();
  const { data, error, refetch } = useTool(id, slug);
  if (isRefusedFor(error, "not_found")) return <NoSuchTool slug={slug} wasHere={data !== undefined} />;
  if (data !== undefined) return <Manage slug={slug} detail={data} />;
  return (
    <Page title={slug}>
      {error === null
        ? <Loading what="Looking up the tool" />
        : <ProblemNotice error={error} onRetry={() => void refetch()} />}
    </Page>
  );
}

/** What every part of the page is told. */
export interface SectionProps {
  readonly slug: string;
  readonly detail: ToolDetail;
  /** The version that the person has looked at: what they do is about that one and no other. */
  readonly seen: number;
}

function Manage({ slug, detail }: { slug: string; detail: ToolDetail }) {
  const [seen, setSeen] = useState(detail.version);
  const state = stateOf({ ...detail, waitsFor: waitsForOf(detail) });
  const parts = partsOf({ slug, detail, seen });
  const { chosen, choose } = usePartOfAddress(slug, { detail, parts });

  return (
    <Page
      title={shownText(detail.tool.name)}
      lead={
        <span className="row">
          <Go to="/connections" className="manage-back">
            <Icon name="back" size={16} /> Connections
          </Go>
          <code>{slug}</code>
          <Badge tone={state.tone}>{state.words}</Badge>
        </span>
      }
    >
      {seen !== detail.version && (
        <ChangedMeanwhile
          slug={slug}
          seen={seen}
          now={detail.version}
          onCompare={() => choose("versions")}
          onLooked={() => setSeen(detail.version)}
        />
      )}
      <Tabs keepsSeen label="Parts of this tool" parts={parts} chosen={chosen} onChoose={choose} />
    </Page>
  );
}

function partsOf(props: SectionProps): TabPart[] {
  const { detail } = props;
  const isMcp = detail.tool.kind === "mcp";
  const parts: (TabPart | false)[] = [
    { id: "overview", name: "Overview", content: <OverviewSection {...props} /> },
    detail.secrets.length > 0 && {
      id: "secrets",
      name: "Secrets",
      content: <SecretsSection {...props} />,
    },
    isMcp && { id: "tools", name: "Its tools", content: <InnerToolsSection {...props} /> },
    {
      id: "reads",
      name: isMcp || detail.access === "read" ? "Last read" : "Ask",
      content: <ReadsSection {...props} />,
    },
    { id: "file", name: "What it does", content: <DefinitionSection {...props} /> },
    { id: "versions", name: "Versions", content: <VersionsSection {...props} /> },
  ];
  return parts.filter((part) => part !== false);
}

/** The part in sight: the one of the address, else the one that the tool waits for. */
function usePartOfAddress(
  slug: string,
  { detail, parts }: { detail: ToolDetail; parts: readonly TabPart[] },
) {
  const asked = new URLSearchParams(useSearch()).get("part");
  // What is done there changes how the tool stands, and must not turn the page.
  const first = useRef(firstPart(detail)).current;
  const go = useGo();
  const wanted = asked ?? first;
  return {
    chosen: parts.some(({ id }) => id === wanted) ? wanted : "overview",
    choose: (part: string) =>
      go(`${pathOf`/connections/${slug}`}?${new URLSearchParams({ part })}`, { replace: true }),
  };
}

function firstPart({ status }: ToolDetail): string {
  if (status === "waits_for_secret" || status === "waits_for_admin") return "secrets";
  return status === "quarantined" ? "tools" : "overview";
}

function NoSuchTool({ slug, wasHere }: { slug: string; wasHere: boolean }) {
  return (
    <Page title={wasHere ? "This tool was removed" : "There is no such tool"}>
      <Empty
        icon="connections"
        title={wasHere ? "Somebody removed it meanwhile" : "Nothing stands under this name"}
        action={<ButtonLink to="/connections">All connections</ButtonLink>}
      >
        <p>
          <code>{shownText(slug)}</code> is not on this workspace{wasHere ? " any more" : ""}.
        </p>
      </Empty>
    </Page>
  );
}
