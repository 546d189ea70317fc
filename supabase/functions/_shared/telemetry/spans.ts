/** Spans and the tracer that starts them, behind the interfaces of OpenTelemetry. What ends goes to whoever exports it. */

import {
  type Attributes,
  type Context,
  context as contexts,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";

/** A span that has ended. Times are milliseconds since 1970, with fractions. */
export interface EndedSpan {
  readonly context: SpanContext;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
}

/** What a tracer is made with. */
export interface TracerMeans {
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
  readonly onEnd: (span: EndedSpan) => void;
}

/**
 * A tracer that records every span, but for those whose parent says that its trace is not recorded.
 *
 * Events, links and exceptions are not kept: an exception's message may quote what no trace may hold.
 */
export function createTracer(means: TracerMeans): Tracer {
  const tracer: Tracer = {
    startSpan(name, options = {}, context = contexts.active()) {
      const parent = options.root === true ? undefined : trace.getSpanContext(context);
      const spanContext: SpanContext = {
        traceId: parent?.traceId ?? randomHex(16),
        spanId: randomHex(8),
        traceFlags: parent?.traceFlags ?? TraceFlags.SAMPLED,
      };
      return (spanContext.traceFlags & TraceFlags.SAMPLED) === 0
        ? trace.wrapSpanContext(spanContext)
        : new RecordingSpan(name, { options, spanContext, parentSpanId: parent?.spanId ?? null, means });
    },
    startActiveSpan<F extends (span: Span) => unknown>(
      name: string,
      ...more: [F] | [SpanOptions, F] | [SpanOptions, Context, F]
    ) {
      const work = more.at(-1) as F;
      const options = more.length > 1 ? more[0] as SpanOptions : {};
      const context = more.length > 2 ? more[1] as Context : contexts.active();
      const span = tracer.startSpan(name, options, context);
      return contexts.with(trace.setSpan(context, span), () => work(span)) as ReturnType<F>;
    },
  };
  return tracer;
}

class RecordingSpan implements Span {
  readonly #attributes: Attributes;
  readonly #spanContext: SpanContext;
  readonly #parentSpanId: string | null;
  readonly #kind: SpanKind;
  readonly #startedAt: number;
  readonly #means: TracerMeans;
  #name: string;
  #status: SpanStatus = { code: SpanStatusCode.UNSET };
  #ended = false;

  constructor(
    name: string,
    { options, spanContext, parentSpanId, means }: {
      options: SpanOptions;
      spanContext: SpanContext;
      parentSpanId: string | null;
      means: TracerMeans;
    },
  ) {
    this.#name = name;
    this.#attributes = { ...options.attributes };
    this.#spanContext = spanContext;
    this.#parentSpanId = parentSpanId;
    this.#kind = options.kind ?? SpanKind.INTERNAL;
    this.#startedAt = means.now();
    this.#means = means;
  }

  spanContext() {
    return this.#spanContext;
  }
  setAttribute(key: string, value: Attributes[string]) {
    this.#attributes[key] = value;
    return this;
  }
  setAttributes(attributes: Attributes) {
    Object.assign(this.#attributes, attributes);
    return this;
  }
  setStatus(status: SpanStatus) {
    this.#status = status;
    return this;
  }
  updateName(name: string) {
    this.#name = name;
    return this;
  }
  isRecording() {
    return !this.#ended;
  }
  end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#means.onEnd({
      context: this.#spanContext,
      parentSpanId: this.#parentSpanId,
      name: this.#name,
      kind: this.#kind,
      startedAt: this.#startedAt,
      endedAt: this.#means.now(),
      attributes: this.#attributes,
      status: this.#status,
    });
  }
  addEvent() {
    return this;
  }
  addLink() {
    return this;
  }
  addLinks() {
    return this;
  }
  recordException() {}
}

function randomHex(bytes: number): string {
  return Array.from(
    crypto.getRandomValues(new Uint8Array(bytes)),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}
