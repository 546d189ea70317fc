/** What the rest of the house knows of traces and metrics. Where none are wanted there is no such thing, and nothing of it is loaded. */

import type { Database } from "../db/client.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import type { Reason } from "../outcome/reason.ts";

/** How a request was answered. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** As it is registered, `/tools/:slug/call`; null where no route takes the request. */
  readonly route: string | null;
  readonly status: number;
  readonly outcome: "ok" | Reason;
}

/**
 * Traces and metrics of one process. What they hold is names of ours, numbers, reasons and the domain of a host: never
 * an argument, a credential, a path that was asked for or a body.
 */
export interface Telemetry {
  /** Runs a request in its span, a child of what its header `traceparent` names. */
  traceRequest(
    request: { readonly method: string; readonly traceparent: string | null },
    answer: () => Promise<AnsweredRequest>,
  ): Promise<void>;
  /** The same store, each of whose statements and transactions is a span of the request it is asked for. */
  traceStore(db: Database): Database;
  /** The same way out, each of whose requests is a span. One that asks for it gets the header `traceparent`. */
  traceEgress(egress: Egress): Egress;
  /** Sends what has not been sent yet. */
  flush(): Promise<void>;
}
