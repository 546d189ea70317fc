/** How a trace goes on from one system to the next: the header `traceparent`. Pure. Source: W3C Trace Context. */

import type { SpanContext } from "@opentelemetry/api";

/**
 * What a file writes as the value of its header `traceparent` to ask for the call's own: a context of zeros, which every
 * receiver has to ignore, so that it says nothing where the stack traces nothing.
 */
export const ASKS_FOR_TRACEPARENT = `00-${"0".repeat(32)}-${"0".repeat(16)}-00`;

/** Whose child a request is, by its header; null where it says nothing that can be read, which is no reason to refuse it. */
export function readTraceparent(header: string | null): SpanContext | null {
  const [, version, traceId, spanId, flags, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return null;
  return { traceId: traceId!, spanId: spanId!, traceFlags: parseInt(flags!, 16) & 1, isRemote: true };
}

/** The header that makes what is asked next a child of this span. */
export function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
