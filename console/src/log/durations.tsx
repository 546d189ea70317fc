/** How long a request took and where the time went, as one small bar and in words. */

import type { LogRow } from "../api/log.ts";

export function Durations({ row }: { row: LogRow }) {
  const total = Number(row.total_ms);
  const parts = [
    { name: "Other system", key: "upstream", ms: Number(row.upstream_ms ?? 0) },
    { name: "Waiting for a turn", key: "queue", ms: Number(row.queue_ms ?? 0) },
    { name: "Store", key: "database", ms: Number(row.database_ms ?? 0) },
  ].filter(({ ms }) => ms > 0);
  // The parts may overlap by a blink; the bar is never longer than itself.
  const whole = Math.max(total, parts.reduce((sum, { ms }) => sum + ms, 0), 1);
  return (
    <div className="stack-tight small">
      <div className="durations" aria-hidden="true">
        {parts.map(({ key, ms }) => (
          <span key={key} className={`duration-${key}`} style={{ width: `${(100 * ms) / whole}%` }} />
        ))}
      </div>
      <p className="muted number">
        {inWords(total)} in all{parts.map(({ name, ms }) => `, ${name.toLowerCase()} ${inWords(ms)}`)}
      </p>
    </div>
  );
}

function inWords(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
