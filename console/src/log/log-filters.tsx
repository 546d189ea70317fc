/** What of the log is asked for. What is chosen stands in the address. */

import { useState } from "react";
import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import type { LogFilter } from "../api/log.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { ACTOR_NAMES } from "./events.ts";
import { hasFilter, instantOf, localOf, NO_FILTER, SPANS } from "./filter.ts";
import { useActors } from "./actors.ts";

export function LogFilters(
  { filter, onChange }: { filter: LogFilter; onChange: (changed: Partial<LogFilter>) => void },
) {
  const { id } = useWorkspace();
  const actors = useActors(id);
  const [hasDates, setHasDates] = useState(filter.since !== null || filter.until !== null);

  function chooseSpan(value: string) {
    setHasDates(value === "dates");
    if (value === "dates") return;
    const hours = Number(value);
    onChange({
      since: hours === 0 ? null : new Date(Date.now() - hours * 3_600_000).toISOString(),
      until: null,
    });
  }

  return (
    <form
      className="log-filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <ToolField tool={filter.tool} onChange={(tool) => onChange({ tool })} />
      <SelectField
        label="Who"
        value={filter.principal ?? ""}
        onChange={(event) => onChange({ principal: event.target.value || null })}
      >
        <option value="">Everyone</option>
        {Object.entries(ACTOR_NAMES).map(([kind, name]) => <option key={kind} value={kind}>{name}</option>)}
        {actors.length > 0 && (
          <optgroup label="One of them">
            {actors.map(({ id, name }) => <option key={id} value={id}>{shownText(name)}</option>)}
          </optgroup>
        )}
        {filter.principal !== null && !(filter.principal in ACTOR_NAMES) &&
          !actors.some(({ id }) => id === filter.principal) && (
          <option value={filter.principal}>{shownText(filter.principal)}</option>
        )}
      </SelectField>
      <SelectField
        label="Outcome"
        value={filter.outcome ?? ""}
        onChange={(event) => onChange({ outcome: event.target.value || null })}
      >
        <option value="">Any</option>
        <option value="ok">Went well</option>
        <option value="not_ok">Was refused or failed</option>
        {filter.outcome !== null && !["ok", "not_ok"].includes(filter.outcome) && (
          <option value={filter.outcome}>{shownText(filter.outcome)}</option>
        )}
      </SelectField>
      <SelectField
        label="When"
        value={hasDates ? "dates" : "0"}
        onChange={(event) => chooseSpan(event.target.value)}
      >
        <option value="0">Any time</option>
        {SPANS.map(({ name, hours }) => <option key={hours} value={hours}>{name}</option>)}
        <option value="dates">From and until</option>
      </SelectField>
      {hasDates && (
        <>
          <TextField
            label="From"
            type="datetime-local"
            value={localOf(filter.since)}
            onChange={(event) => onChange({ since: instantOf(event.target.value) })}
          />
          <TextField
            label="Until"
            type="datetime-local"
            value={localOf(filter.until)}
            onChange={(event) => onChange({ until: instantOf(event.target.value) })}
          />
        </>
      )}
      {hasFilter(filter) && (
        <Button
          variant="quiet"
          onClick={() => {
            setHasDates(false);
            onChange(NO_FILTER);
          }}
        >
          Take the filters off
        </Button>
      )}
    </form>
  );
}

/** Asked for when it is finished: on Enter, or when it is left. */
function ToolField({ tool, onChange }: { tool: string | null; onChange: (tool: string | null) => void }) {
  return (
    <TextField
      key={tool}
      label="Tool"
      placeholder="All tools"
      defaultValue={tool ?? ""}
      autoCapitalize="off"
      spellCheck={false}
      onBlur={(event) => event.target.value !== (tool ?? "") && onChange(event.target.value.trim() || null)}
      onKeyDown={(event) => event.key === "Enter" && onChange(event.currentTarget.value.trim() || null)}
    />
  );
}
