/** Every definition a tool had: who made it so and when, and the difference between any two. */

import { useState } from "react";
import { type ToolVersion, useVersion, useVersions } from "../api/tools.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { formatInstant } from "../ui/instant.ts";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { Glance } from "./glance.tsx";
import { makerOf } from "./tool-words.ts";
import { VersionDifference } from "./version-difference.tsx";

export function VersionsSection({ slug }: SectionProps) {
  const { id } = useWorkspace();
  const versions = useVersions(id, slug);
  if (versions.data === undefined) {
    return versions.error === null
      ? <Loading what="Looking up the versions" />
      : <ProblemNotice error={versions.error} onRetry={() => void versions.refetch()} />;
  }
  const all = versions.data.pages.flatMap((page) => page.versions);
  return (
    <>
      <Table
        caption="Versions, the newest first"
        head={
          <tr>
            <th scope="col">Version</th>
            <th scope="col">By</th>
            <th scope="col">When</th>
          </tr>
        }
      >
        {all.map(({ version, defined_by, defined_at }) => (
          <tr key={version}>
            <td className="number">{version}</td>
            <td>
              <Said>{makerOf(defined_by)}</Said>
            </td>
            <td>
              <Time at={defined_at} exact />
            </td>
          </tr>
        ))}
      </Table>
      {versions.hasNextPage && (
        <p>
          <Button isBusy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
            Show earlier ones
          </Button>
        </p>
      )}
      {all.length > 1 ? <Compared slug={slug} versions={all} /> : (
        <p className="muted">
          There is one version. When another file takes its place, you can compare them here.
        </p>
      )}
    </>
  );
}

function Compared({ slug, versions }: { slug: string; versions: readonly ToolVersion[] }) {
  const { id } = useWorkspace();
  // Null follows the last two, also when another one comes.
  const [chosen, setChosen] = useState<{ from: number; to: number } | null>(null);
  const from = chosen?.from ?? versions[1]!.version;
  const to = chosen?.to ?? versions[0]!.version;
  const before = useVersion(id, { slug, version: from });
  const after = useVersion(id, { slug, version: to });
  const options = versions.map(({ version, defined_at }) => (
    <option key={version} value={version}>Version {version}, {formatInstant(defined_at)}</option>
  ));

  return (
    <section className="stack" aria-labelledby="compare">
      <h2 id="compare">What changed</h2>
      <div className="compared">
        <SelectField
          label="From"
          value={from}
          onChange={(event) => setChosen({ from: Number(event.target.value), to })}
        >
          {options}
        </SelectField>
        <SelectField
          label="To"
          value={to}
          onChange={(event) => setChosen({ from, to: Number(event.target.value) })}
        >
          {options}
        </SelectField>
      </div>
      {before.data !== undefined && after.data !== undefined
        ? (
          <>
            <div className="card stack-tight">
              <h3>At a glance</h3>
              <Glance before={before.data.tool} after={after.data.tool} />
            </div>
            <VersionDifference
              key={`${from} ${to}`}
              before={before.data.tool}
              after={after.data.tool}
              label={`From version ${from} to version ${to}`}
            />
          </>
        )
        : before.error === null && after.error === null
        ? <Loading what="Reading both versions" />
        : (
          <ProblemNotice
            error={before.error ?? after.error}
            onRetry={() => void Promise.all([before.refetch(), after.refetch()])}
          />
        )}
    </section>
  );
}
