/** An approval and its calls as they are stored. Pure. */

import type { JsonObject, JsonValue } from "../definition/json.ts";
import type { ApprovalStatus, CallStatus } from "./state.ts";

/** Who did something: of a person the id of their sessions. */
export interface Someone {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  /** Of a raw key, as it was called then. */
  readonly key_name?: string;
}

/** A rule that made an approval stricter. */
export interface FiredRule {
  readonly call: number;
  readonly then: "admin";
  readonly say: string;
}

/** What a preview answered: shown on the card, and compared with right before sending. */
export interface StoredPreview {
  /** The slug of the tool that was read. */
  readonly tool: string;
  readonly args: JsonObject | null;
  /** Paths that must not change; null for all of the answer. */
  readonly compare: readonly string[] | null;
  readonly ok: boolean;
  /** What leaves of the answer, clipped. */
  readonly result?: JsonValue;
  /** What answered: `live system` or `configured example`. Not known of what was read before it was kept. */
  readonly answers_with?: string;
  /** Of a configured example, that it is no news of the other system. */
  readonly note?: string;
  /** Why there is no answer, in words. */
  readonly failed?: string;
  readonly read_at: string;
  /** SHA-256 of what stands at each compared path; of the whole answer under the empty path. */
  readonly digests?: Readonly<Record<string, string>>;
}

/** A value of the arguments that an earlier call's answer gives. */
export interface LateValue {
  /** Where it goes: dotted, from the arguments' root. */
  readonly path: string;
  /** The call it comes from. */
  readonly call: number;
  readonly result_path: string;
}

/** A sealed answer with the key that sealed it, bytes in lower-case hex. */
export interface SealedResult {
  readonly sealed: string;
  readonly data_key_id: string;
  readonly kid: string;
  readonly wrapped: string;
}

/** One call of an approval. */
export interface ApprovalCall {
  readonly n: number;
  readonly status: CallStatus;
  readonly connector_id: string;
  readonly version: number;
  readonly tool: string;
  readonly tool_name: string;
  readonly access: string | null;
  readonly method: string | null;
  readonly host: string | null;
  readonly args: JsonObject;
  readonly capability: string | null;
  readonly operation: string | null;
  readonly secret_names: readonly string[];
  readonly inner_digest: string | null;
  readonly may_destroy: boolean;
  readonly from_calls: readonly LateValue[];
  readonly preview: StoredPreview | null;
  readonly sent_args: JsonObject | null;
  readonly began_at: string | null;
  readonly ended_at: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly result: JsonValue | null;
  readonly result_id: string | null;
  readonly sealed_result: SealedResult | null;
  readonly result_gone_at: string | null;
}

/** The outcome of a check that told nothing, since an example answered it and the write went to another system. */
export const CHECKED_BY_EXAMPLE = "configured example";

/** Where the follow-up of an approval stands. */
export interface StoredFollowUp {
  readonly status: "waiting" | "done" | "stopped" | "given_up";
  readonly call: number;
  readonly what: string;
  readonly until: string;
  readonly wrote_at: string;
  readonly checks: number;
  readonly last_check_at: string | null;
  readonly last_check_outcome: string | null;
  readonly next_check_at: string | null;
  readonly alarmed_at: string | null;
  readonly stopped_by: Someone | null;
  readonly ended_at: string | null;
}

/** One row of v2_approvals with its calls. */
export interface Approval {
  readonly id: string;
  readonly workspace_id: string;
  readonly status: ApprovalStatus;
  /** 64 hex digits. */
  readonly digest: string;
  readonly needs: "member" | "admin";
  readonly rules: readonly FiredRule[];
  readonly requested_by: Someone;
  readonly requester_user_id: string | null;
  readonly requested_at: string;
  readonly expires_at: string;
  readonly decided_by: Someone | null;
  readonly decided_at: string | null;
  readonly reject_reason: string | null;
  readonly superseded_by: string | null;
  readonly superseded_because: string | null;
  readonly outcome: string | null;
  readonly ended_at: string | null;
  readonly settled: { readonly by: Someone; readonly at: string; readonly note: string } | null;
  /** The names without a value, while it waits. */
  readonly waits_for: readonly string[];
  readonly calls: readonly ApprovalCall[];
  readonly follow_up: StoredFollowUp | null;
}

/** An approval that is about to be stored, as `framed.insert_approval` takes it. */
export interface NewApproval {
  readonly id: string;
  readonly digest: string;
  readonly proposal_key: string;
  readonly needs: "member" | "admin";
  readonly rules: readonly FiredRule[];
  readonly requested_by: Someone;
  readonly requester_user_id: string | null;
  readonly requested_at: string;
  readonly expires_at: string;
}

/** One of its calls. */
export type NewApprovalCall = Pick<
  ApprovalCall,
  | "n"
  | "connector_id"
  | "version"
  | "tool"
  | "tool_name"
  | "access"
  | "method"
  | "host"
  | "args"
  | "capability"
  | "operation"
  | "secret_names"
  | "inner_digest"
  | "may_destroy"
  | "from_calls"
  | "preview"
>;
