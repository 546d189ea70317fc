/** The calls of the last days, a bar a day: a picture for who looks, a table for who listens. */

import { type DayOfCalls, useCallDays } from "../api/tools.ts";
import { Go } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { plural } from "./tool-words.ts";

const HEIGHT = 72;
const STEP = 24;
const BAR = 16;
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

export function CallsPlot({ slug }: { slug: string }) {
  const { id } = useWorkspace();
  const { data: days, error, refetch } = useCallDays(id, slug);
  return (
    <section className="card stack" aria-labelledby="calls">
      <div className="row row-apart">
        <h2 id="calls">Calls of the last 14 days</h2>
        <Go to={`/log?${new URLSearchParams({ tool: slug })}`}>See them in the log</Go>
      </div>
      {days === undefined
        ? error === null
          ? <Loading what="Counting calls" />
          : <ProblemNotice error={error} onRetry={() => void refetch()} />
        : <Plot days={days} />}
    </section>
  );
}

function Plot({ days }: { days: readonly DayOfCalls[] }) {
  const sum = (of: (day: DayOfCalls) => number) => days.reduce((total, day) => total + of(day), 0);
  const [ok, notOk] = [sum((day) => day.ok), sum((day) => day.not_ok)];
  if (ok + notOk === 0) return <p className="muted">Nobody called it in these days.</p>;
  const most = Math.max(...days.map((day) => day.ok + day.not_ok));
  const heightOf = (count: number) => count === 0 ? 0 : Math.max(2, count / most * HEIGHT);
  return (
    <>
      <p className="number">
        {plural(ok + notOk, "call")}
        {notOk > 0 ? `, ${notOk.toLocaleString("en")} of them refused or failed` : ", all of them went well"}
        <span className="muted">, {most.toLocaleString("en")} on the busiest day</span>
      </p>
      <div className="plot">
        <svg
          viewBox={`0 0 ${days.length * STEP} ${HEIGHT + 1}`}
          className="plot-bars"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {days.map((day, index) => {
            const x = index * STEP + (STEP - BAR) / 2;
            const [good, bad] = [heightOf(day.ok), heightOf(day.not_ok)];
            return (
              <g key={day.day}>
                <title>{titleOf(day)}</title>
                {/* The whole column tells, not only its bar. */}
                <rect x={index * STEP} y={0} width={STEP} height={HEIGHT} className="plot-column" />
                <rect x={x} y={HEIGHT - good} width={BAR} height={good} className="plot-ok" />
                <rect x={x} y={HEIGHT - good - bad} width={BAR} height={bad} className="plot-not-ok" />
              </g>
            );
          })}
          <line x1={0} x2={days.length * STEP} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} className="plot-ground" />
        </svg>
        <p className="row row-apart small muted" aria-hidden="true">
          <span>{formatDay(days[0]!.day)}</span>
          <span>{formatDay(days.at(-1)!.day)}, in UTC</span>
        </p>
      </div>
      <p className="row small muted" aria-hidden="true">
        <span className="plot-key plot-key-ok">Went well</span>
        <span className="plot-key plot-key-not-ok">Refused or failed</span>
      </p>
      <table className="only-heard">
        <caption>Calls by day, in UTC</caption>
        <thead>
          <tr>
            <th>Day</th>
            <th>Went well</th>
            <th>Refused or failed</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th>{formatDay(day.day)}</th>
              <td>{day.ok}</td>
              <td>{day.not_ok}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function titleOf({ day, ok, not_ok }: DayOfCalls): string {
  return `${formatDay(day)}: ${plural(ok + not_ok, "call")}${
    not_ok > 0 ? `, ${not_ok} refused or failed` : ""
  }`;
}

function formatDay(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`));
}
