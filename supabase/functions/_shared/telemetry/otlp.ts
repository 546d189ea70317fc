/** Spans and metrics as OTLP/JSON says them. Pure. Source: OpenTelemetry Protocol 1.x, JSON over HTTP. */

import type { Attributes } from "@opentelemetry/api";
import type { Metric, Point } from "./metrics.ts";
import type { EndedSpan } from "./spans.ts";

/** Who measured: the name of the service and of the code in it. */
export interface Origin {
  readonly serviceName: string;
  readonly scopeName: string;
}

/** What a receiver takes at `/v1/traces`. */
export function tracesBody(spans: readonly EndedSpan[], origin: Origin): object {
  return {
    resourceSpans: [{
      resource: resource(origin),
      scopeSpans: [{ scope: { name: origin.scopeName }, spans: spans.map(spanOf) }],
    }],
  };
}

function spanOf(span: EndedSpan): object {
  return {
    traceId: span.context.traceId,
    spanId: span.context.spanId,
    ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    // The protocol's numbers begin with one that says nothing.
    kind: span.kind + 1,
    startTimeUnixNano: nanos(span.startedAt),
    endTimeUnixNano: nanos(span.endedAt),
    attributes: keyValues(span.attributes),
    status: { code: span.status.code },
  };
}

/** What a receiver takes at `/v1/metrics`: what was counted `from` one instant `to` another, and no sum since a start. */
export function metricsBody(
  metrics: readonly Metric[],
  { origin, from, to }: { origin: Origin; from: number; to: number },
): object {
  const times = { startTimeUnixNano: nanos(from), timeUnixNano: nanos(to) };
  return {
    resourceMetrics: [{
      resource: resource(origin),
      scopeMetrics: [{
        scope: { name: origin.scopeName },
        metrics: metrics.map(({ name, description, unit, bounds, points }) => ({
          name,
          description,
          unit,
          [bounds === null ? "sum" : "histogram"]: {
            dataPoints: points.map((point) => ({ ...times, ...pointOf(point, bounds) })),
            aggregationTemporality: DELTA,
            ...(bounds === null ? { isMonotonic: true } : {}),
          },
        })),
      }],
    }],
  };
}

const DELTA = 1;

function pointOf(point: Point, bounds: readonly number[] | null): object {
  const attributes = keyValues(point.attributes);
  if (!("buckets" in point)) return { attributes, asInt: String(point.count) };
  const { count, sum, buckets } = point;
  return { attributes, count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: bounds };
}

function resource({ serviceName }: Origin): object {
  return { attributes: keyValues({ "service.name": serviceName }) };
}

function keyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).filter(([, value]) => value != null).map(([key, value]) => ({
    key,
    value: typeof value === "number" && Number.isInteger(value)
      ? { intValue: String(value) }
      : typeof value === "number"
      ? { doubleValue: value }
      : typeof value === "boolean"
      ? { boolValue: value }
      : { stringValue: String(value) },
  }));
}

/** A 64-bit number travels as a text. Whole microseconds are all a clock here tells. */
function nanos(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}
