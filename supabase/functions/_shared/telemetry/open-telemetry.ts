/** Traces and metrics of requests, the store and other systems, through the API of OpenTelemetry. Loaded only where they are wanted. */

import { context as contexts, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { getDomain } from "tldts";
import type { OutgoingRequest } from "../definition/request/request-template.ts";
import { createContextManager } from "./active-context.ts";
import { createExporter, type ExporterMeans } from "./exporter.ts";
import { createMeter } from "./metrics.ts";
import type { TelemetrySettings } from "./settings.ts";
import { createTracer } from "./spans.ts";
import type { Telemetry } from "./telemetry.ts";
import { ASKS_FOR_TRACEPARENT, readTraceparent, writeTraceparent } from "./trace-context.ts";
import { traceStore } from "./traced-store.ts";

/** The route of a call, whichever function serves it. */
const CALL_ROUTE = "/tools/:slug/call";
/** Others would let a caller make up names without end. Source: the semantic conventions of OpenTelemetry. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

contexts.setGlobalContextManager(createContextManager());

/** Measures as `settings` say. Only a test says more. */
export function createTelemetry(
  settings: TelemetrySettings,
  {
    now = () => performance.timeOrigin + performance.now(),
    fetch = globalThis.fetch,
    report = console.error,
    waitUntil = waitUntilOnEdge,
    delayMs = 1_000,
  }: Partial<Omit<ExporterMeans, "collect">> = {},
): Telemetry {
  const { meter, collect } = createMeter();
  const exporter = createExporter(settings, { collect, now, fetch, report, waitUntil, delayMs });
  const tracer = createTracer({ now, onEnd: exporter.add });
  const seconds = { unit: "s" };
  const requests = meter.createHistogram("http.server.request.duration", {
    ...seconds,
    description: "How long requests took.",
  });
  const upstream = meter.createHistogram("http.client.request.duration", {
    ...seconds,
    description: "How long other systems took, the wait for a turn included.",
  });
  const callDurations = meter.createHistogram("framed.call.duration", {
    ...seconds,
    description: "How long calls of tools took, by how they ended.",
  });
  const calls = meter.createCounter("framed.calls", { description: "Calls of tools, by how they ended." });
  const limited = meter.createCounter("framed.rate_limited", { description: "Requests over a limit." });

  return {
    flush: exporter.flush,
    traceStore: (db) => traceStore(db, tracer),
    async traceRequest({ method: asked, traceparent }, answer) {
      const method = METHODS.has(asked) ? asked : "_OTHER";
      const parent = readTraceparent(traceparent);
      const startedAt = now();
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: { "http.request.method": method } },
        parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
      );
      try {
        const { requestId, route, status, outcome } = await contexts.with(
          trace.setSpan(ROOT_CONTEXT, span),
          answer,
        );
        const told = {
          ...(route === null ? {} : { "http.route": route }),
          "http.response.status_code": status,
        };
        span.setAttributes({ ...told, "framed.outcome": outcome, "framed.request_id": requestId });
        if (route !== null) span.updateName(`${method} ${route}`);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        const took = (now() - startedAt) / 1000;
        requests.record(took, { "http.request.method": method, ...told });
        if (outcome === "rate_limited") limited.add(1, route === null ? {} : { "http.route": route });
        if (route !== CALL_ROUTE) return;
        calls.add(1, { "framed.outcome": outcome });
        callDurations.record(took, { "framed.outcome": outcome });
      } finally {
        span.end();
        exporter.soon();
      }
    },
    traceEgress: ({ send, close }) => ({
      close,
      async send(request, options) {
        const about = {
          "http.request.method": request.method,
          // Left of its registrable domain a host may hold an argument.
          "server.address": getDomain(options.host, { allowPrivateDomains: true }) ?? undefined,
        };
        const startedAt = now();
        return await tracer.startActiveSpan(
          `upstream ${request.method}`,
          { kind: SpanKind.CLIENT, attributes: about },
          async (span) => {
            let told: Record<string, string | number> = { "error.type": "internal" };
            try {
              const context = span.spanContext();
              const sent = await send(
                { ...request, headers: withTraceparent(request.headers, context) },
                options,
              );
              told = sent.ok
                ? { "http.response.status_code": sent.value.status }
                : { "error.type": sent.refusal.reason };
              return sent;
            } finally {
              span.setAttributes(told);
              if ("error.type" in told) span.setStatus({ code: SpanStatusCode.ERROR });
              span.end();
              upstream.record((now() - startedAt) / 1000, { ...about, ...told });
            }
          },
        );
      },
    }),
  };
}

/** An edge function says what has to be done before its process may end; elsewhere the process sends what waits when it closes. */
function waitUntilOnEdge(work: Promise<unknown>): void {
  (globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } }).EdgeRuntime?.waitUntil(work);
}

function withTraceparent(
  headers: OutgoingRequest["headers"],
  context: Parameters<typeof writeTraceparent>[0],
): OutgoingRequest["headers"] {
  return headers.map(([name, value]) =>
    name.toLowerCase() === "traceparent" && value === ASKS_FOR_TRACEPARENT
      ? [name, writeTraceparent(context)]
      : [name, value]
  );
}
