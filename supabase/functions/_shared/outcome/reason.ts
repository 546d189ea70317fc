/**
 * The one table of reasons: every refusal an answer can carry, its HTTP status and its title.
 * A reason that is not here does not compile. Names are stable: more may be added, none is renamed.
 */

interface ReasonRow {
  readonly status: number;
  /** One short sentence, the same on every answer with this reason. */
  readonly title: string;
}

/** Source: the reason list of docs/reference.md. */
export const REASONS = {
  bad_json: { status: 400, title: "The body is not the JSON that is wanted" },
  bad_request: { status: 400, title: "The request is not shaped as it has to be" },
  bad_definition: { status: 400, title: "The file has problems" },
  bad_arguments: { status: 400, title: "The arguments are not what the tool takes" },
  capability_missing: { status: 400, title: "The tool is called by a capability" },
  operation_missing: { status: 400, title: "The capability is called with an operation" },
  unauthenticated: { status: 401, title: "The call carries no valid key, token or session" },
  grant_missing: { status: 403, title: "The caller lacks the grant for this" },
  person_required: { status: 403, title: "Only a signed-in person may do this" },
  admin_required: { status: 403, title: "Only an administrator may do this" },
  own_request: { status: 403, title: "Who asked may not approve here" },
  approval_required: { status: 403, title: "This waits for a person's approval" },
  rule_denied: { status: 403, title: "A rule of the tool refuses these arguments" },
  capability_not_declared: { status: 403, title: "The tool does not declare this capability" },
  operation_not_declared: { status: 403, title: "The capability does not list this operation" },
  operation_denied: { status: 403, title: "A capability never writes" },
  address_refused: { status: 403, title: "The address is not one that may be reached" },
  host_refused: { status: 403, title: "The host is not the tool's own" },
  not_found: { status: 404, title: "There is no such thing here" },
  method_not_allowed: { status: 405, title: "This path does not take this method" },
  seeded_or_installed: { status: 409, title: "A tool that came with Framed is not replaced by a file" },
  shared_across_account: { status: 409, title: "A tool shared across the account is not replaced by a file" },
  not_from_file: { status: 409, title: "The tool was not defined by a file" },
  other_owner: { status: 409, title: "The tool belongs to someone else" },
  live_fixture_swap: { status: 409, title: "A live tool and a fixture tool do not replace each other" },
  approval_removed: { status: 409, title: "The file would loosen what waits for an approval" },
  secret_moved: { status: 409, title: "A tool that holds a secret keeps its secret" },
  host_moved: { status: 409, title: "A tool that holds a secret keeps its host" },
  secret_bound_to_other_host: { status: 409, title: "The secret belongs to another host" },
  approval_changed: { status: 409, title: "What you saw has changed since" },
  already_decided: { status: 409, title: "This has been decided already" },
  approval_expired: { status: 409, title: "The approval has expired" },
  secret_missing: { status: 409, title: "The tool waits for a secret" },
  tool_changed: { status: 409, title: "The tool has changed since" },
  follow_up_ended: { status: 409, title: "The follow-up has ended" },
  last_administrator: { status: 409, title: "A workspace keeps an administrator" },
  body_too_large: { status: 413, title: "The body is too large" },
  call_cancelled: { status: 499, title: "The caller no longer waits for the answer" },
  rate_limited: { status: 429, title: "Too many calls" },
  upstream_refused_redirect: { status: 502, title: "The other system answered with a redirect" },
  upstream_unreachable: { status: 502, title: "The other system could not be reached" },
  upstream_failed: { status: 502, title: "The other system refused the call" },
  upstream_too_large: { status: 502, title: "The other system's answer is too large" },
  upstream_bad_answer: { status: 502, title: "The other system's answer cannot be read" },
  upstream_timed_out: { status: 504, title: "The other system did not answer in time" },
  store_unavailable: { status: 503, title: "The store cannot be reached right now" },
  internal: { status: 500, title: "Something broke on our side" },
} as const satisfies Record<string, ReasonRow>;

/** A stable snake_case code in an error answer. */
export type Reason = keyof typeof REASONS;
