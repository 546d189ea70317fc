/** Sends what was measured to an OTLP/HTTP receiver, soon after it was, and never in the way of a request. */

import { causeOf } from "../outcome/cause.ts";
import type { Metric } from "./metrics.ts";
import { metricsBody, type Origin, tracesBody } from "./otlp.ts";
import type { TelemetrySettings } from "./settings.ts";
import type { EndedSpan } from "./spans.ts";

/** One export may take. */
const TIMEOUT_MS = 5_000;
/** Spans that wait; what comes on top is dropped. */
const MAX_SPANS = 2_048;
/** Between two lines of our own log about exports that failed. */
const REPORT_EVERY_MS = 60_000;

/** What an exporter is made with. */
export interface ExporterMeans {
  /** Takes what was counted since it was last asked. */
  readonly collect: () => Metric[];
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
  readonly fetch: typeof globalThis.fetch;
  readonly report: (line: string) => void;
  /** Told of what has to be done before the process may end. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** From when something waits until all that waits is sent. */
  readonly delayMs: number;
}

export interface Exporter {
  /** Queues a span. */
  add(span: EndedSpan): void;
  /** Has what waits sent soon, with what comes until then. */
  soon(): void;
  /** Sends what waits, after what is being sent. Never throws: what cannot be delivered is dropped. */
  flush(): Promise<void>;
}

/** An exporter to where `settings` say. */
export function createExporter(
  { endpoint, headers, serviceName }: TelemetrySettings,
  { collect, now, fetch, report, waitUntil, delayMs }: ExporterMeans,
): Exporter {
  const origin: Origin = { serviceName, scopeName: "framed-tools" };
  let spans: EndedSpan[] = [];
  let countedFrom = now();
  let planned: { readonly timer: ReturnType<typeof setTimeout>; readonly done: () => void } | undefined;
  let sending: Promise<void> = Promise.resolve();
  let reportedAt = -Infinity;

  async function send(path: string, body: object): Promise<void> {
    try {
      const response = await fetch(`${endpoint}${path}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        // The headers may carry a credential, which goes where it was meant to and nowhere else.
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) reportFailure(`answered ${response.status}`);
    } catch (error) {
      reportFailure(causeOf(error));
    }
  }

  function reportFailure(cause: string): void {
    if (now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = now();
    report(JSON.stringify({ level: "warn", event: "telemetry_not_exported", cause }));
  }

  async function sendAll(): Promise<void> {
    const plan = planned;
    planned = undefined;
    clearTimeout(plan?.timer);
    const [taken, metrics, from, to] = [spans, collect(), countedFrom, now()];
    spans = [];
    countedFrom = to;
    await Promise.all([
      taken.length === 0 ? null : send("/v1/traces", tracesBody(taken, origin)),
      metrics.length === 0 ? null : send("/v1/metrics", metricsBody(metrics, { origin, from, to })),
    ]);
    plan?.done();
  }

  function flush(): Promise<void> {
    return sending = sending.then(sendAll);
  }

  return {
    flush,
    add(span) {
      if (spans.length < MAX_SPANS) spans.push(span);
    },
    soon() {
      if (planned !== undefined) return;
      waitUntil(
        new Promise<void>((done) => planned = { done, timer: setTimeout(flush, delayMs) }),
      );
    },
  };
}
