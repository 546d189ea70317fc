/** A receiver of traces and metrics on loopback, which keeps what it is sent. */

import type { TelemetrySettings } from "../../supabase/functions/_shared/telemetry/settings.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

/** A span as it was received, its attributes as one object. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What was counted under one set of attributes. */
export interface ReceivedPoint {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  /** Of a histogram. */
  readonly sum?: number;
}

export interface OtlpReceiver {
  readonly settings: TelemetrySettings;
  readonly upstream: Upstream;
  /** All spans since the start, or since they were forgotten. */
  spans(): ReceivedSpan[];
  points(): ReceivedPoint[];
  forget(): void;
  /** Resolves when traces come next. */
  nextTraces(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one that takes everything. */
export function startOtlpReceiver(headers: Record<string, string> = {}): OtlpReceiver {
  let from = 0;
  const waiting: (() => void)[] = [];
  const upstream = startUpstream(({ target }) => {
    if (target === "/v1/traces") { for (const resolve of waiting.splice(0)) resolve(); }
    return Response.json({});
  });
  // deno-lint-ignore no-explicit-any
  const bodies = (path: string): any[] =>
    upstream.requests.slice(from).filter(({ target }) => target === path).map(({ body }) => JSON.parse(body));
  return {
    upstream,
    settings: { endpoint: upstream.url.origin, headers, serviceName: "framed-test" },
    spans: () =>
      bodies("/v1/traces").flatMap(({ resourceSpans }) => resourceSpans).flatMap(({ scopeSpans }) =>
        scopeSpans
      )
        .flatMap(({ spans }) => spans).map((span) => ({ ...span, attributes: plain(span.attributes) })),
    points: () =>
      bodies("/v1/metrics").flatMap(({ resourceMetrics }) => resourceMetrics).flatMap(({ scopeMetrics }) =>
        scopeMetrics
      )
        .flatMap(({ metrics }) => metrics).flatMap(({ name, sum, histogram }) =>
          // deno-lint-ignore no-explicit-any
          (sum ?? histogram).dataPoints.map((point: any) => ({
            metric: name,
            attributes: plain(point.attributes),
            count: Number(point.asInt ?? point.count),
            ...(point.sum === undefined ? {} : { sum: point.sum }),
          }))
        ),
    forget: () => from = upstream.requests.length,
    nextTraces: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => upstream.close(),
  };
}

function plain(attributes: { key: string; value: Record<string, unknown> }[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map((
      { key, value },
    ) => ["intValue" in value ? [key, Number(value.intValue)] : [key, Object.values(value)[0]]]).flat(),
  );
}
