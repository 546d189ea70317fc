/** How a tool stands: what it waits for and who does that, what a call does, how it was called, and its removal. */

import { shownHost } from "../../../supabase/functions/_shared/approvals/shown-host.ts";
import { pathOf } from "../api/client.ts";
import type { ToolDetail } from "../api/tools.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";
import { CallsPlot } from "./calls-plot.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { requestsOf } from "./file-words.ts";
import { RemoveTool } from "./remove-tool.tsx";
import { ACCESS_WORDS, effectOf, KIND_WORDS, ownerOf, plural, waitsForOf } from "./tool-words.ts";

export function OverviewSection({ slug, detail }: SectionProps) {
  const { tool, access } = detail;
  const hosts = [...new Set(requestsOf(tool).map(({ url }) => /^https:\/\/([^/?#]*)/.exec(url)?.[1] ?? url))];
  return (
    <>
      <NextStep slug={slug} detail={detail} />
      <section className="card stack" aria-label="What it is">
        <p>
          <Said>{tool.description}</Said>
        </p>
        <dl className="facts">
          <dt>A call</dt>
          <dd>{effectOf({ ...detail, kind: tool.kind })}</dd>
          <dt>Access</dt>
          <dd>
            {access === null ? "As its server says of each tool" : (
              <>
                <code>{access}</code>: {ACCESS_WORDS[access]}
              </>
            )}
          </dd>
          <dt>Kind</dt>
          <dd>{KIND_WORDS[tool.kind]}</dd>
          <dt>Host</dt>
          <dd>{hosts.length === 0 ? "None: nothing is asked" : hosts.map(shownHost).join(", ")}</dd>
          <dt>Defined by</dt>
          <dd>
            <Said>{ownerOf(detail)}</Said>
            {detail.origin !== "file" && ` (${ORIGINS[detail.origin]})`}
          </dd>
          <dt>Version</dt>
          <dd className="number">{detail.version}</dd>
          <dt>Last read</dt>
          <dd>
            {detail.last_read === null ? "Nothing is kept" : (
              <>
                {detail.last_read.rows === null ? "One answer" : plural(detail.last_read.rows, "row")},{" "}
                <Time at={detail.last_read.read_at} />
              </>
            )}
          </dd>
        </dl>
      </section>
      <CallsPlot slug={slug} />
      <RemoveTool slug={slug} detail={detail} />
    </>
  );
}

const ORIGINS: Record<Exclude<ToolDetail["origin"], "file">, string> = {
  blueprint: "from a blueprint",
  seeded: "ships with Framed",
  installed: "was installed",
};

function NextStep({ slug, detail }: { slug: string; detail: ToolDetail }) {
  const to = (part: string) => `${pathOf`/connections/${slug}`}?part=${part}`;
  switch (detail.status) {
    case "waits_for_secret":
      return (
        <Notice tone="warn" title="It cannot be called yet">
          <p>No value is stored for {waitsForOf(detail).join(", ")}. An administrator pastes it.</p>
          <p>
            <ButtonLink to={to("secrets")}>Go to its secrets</ButtonLink>
          </p>
        </Notice>
      );
    case "waits_for_admin":
      return (
        <Notice tone="warn" title="An administrator has to look at it first">
          <p>It names a value that is stored already, and who defined it is no administrator.</p>
          <p>
            <ButtonLink to={to("secrets")}>Go to its secrets</ButtonLink>
          </p>
        </Notice>
      );
    case "quarantined":
      return (
        <Notice tone="warn" title="Its server says another thing than what was accepted">
          <p>Calls of the tools concerned wait for a person until an administrator accepts them.</p>
          <p>
            <ButtonLink to={to("tools")}>See what changed</ButtonLink>
          </p>
        </Notice>
      );
    case "host_down":
      return (
        <Notice tone="bad" title="Its host does not answer">
          Its last calls did not reach it. It is said until one call gets an answer again: look whether the
          other system is up.
        </Notice>
      );
    case "ready":
      return null;
    default:
      return detail.status satisfies never;
  }
}
