/** What a kind of tool is to the runtime: one way to execute a call that was let pass. Knows no kind. */

import type { CredentialKey } from "../definition/credentials.ts";
import type { ToolCall } from "../definition/call.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import type { Refusal, Result } from "../outcome/result.ts";

/** What an execution is given. */
export interface Means {
  readonly egress: Egress;
  /** Opens the tool's secrets. Called once a request stands that needs them, never before. */
  readonly openCredentials: () => Promise<Result<Credentials>>;
  /** The call changes something or was approved: it goes over a new connection of its own. */
  readonly fresh?: boolean;
  /** Sent under the tool's idempotency header, where it has one; null for a call that no approval stands behind. */
  readonly idempotencyKey?: string | null;
  /** Milliseconds this call may still take. */
  readonly timeLeftMs: () => number;
  readonly now: () => Date;
}

/** Opened values by their place in the file, and what takes them out of a text. */
export interface Credentials {
  readonly values: ReadonlyMap<CredentialKey, string>;
  readonly names: ReadonlyMap<CredentialKey, string>;
  readonly redact: { text(text: string): string; json(value: JsonValue): JsonValue };
}

/** What came back. */
export interface Answer {
  readonly value: JsonValue;
  readonly answersWith: "live system" | "configured example";
  /** The arguments that read the next page: null where there is one they cannot ask for, left out where there is none. */
  readonly next?: JsonObject | null;
}

/**
 * What became of a call in the other system: it took it, it did not, or nobody can tell, since it may have got it and gave
 * no answer that says so.
 */
export type Landing = "applied" | "failed" | "unknown";

/** How a call ended: what its caller is answered, and what became of it over there. */
export interface Executed {
  readonly landing: Landing;
  readonly answered: Result<Answer>;
}

/** What ended before anything can have left. */
export function endUnsent(refused: { readonly ok: false; readonly refusal: Refusal }): Executed {
  return { landing: "failed", answered: refused };
}

/** Executes calls of one kind; `Prepared` is what of a call was made ready when it was let pass. */
export type Execute<T, Prepared = unknown> = (
  tool: T,
  context: Prepared & { call: ToolCall; means: Means },
) => Promise<Executed>;
