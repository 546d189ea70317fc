/** What is known to fail, each with why. What is not here has to pass, and what is here has to fail: a fix takes it out. Pure. */

import type { Revision } from "./suite.ts";

/** Scenarios that fail, or single checks as `scenario:check`, for one reason. */
export interface KnownFailure {
  readonly why: string;
  readonly fails: readonly string[];
}

/** The endpoint over the suite's own fixtures. */
export const FIXTURE_BASELINE: Readonly<Record<Revision, readonly KnownFailure[]>> = {
  "2026-07-28": [],
  "2025-11-25": [{
    why:
      "There is no session, so a program of 2025 can neither answer a question that is asked while its call runs nor hear of " +
      "a resource afterwards. In the 2026-07-28 revision the same questions stand in the result, and all of those pass.",
    fails: [
      "tools-call-sampling",
      "tools-call-elicitation",
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums",
      "resources-subscribe",
      "resources-unsubscribe",
      "server-sse-multiple-streams",
    ],
  }],
};

const NO_FIXTURES: KnownFailure = {
  why: "Connect has its own five tools, and none of the suite's.",
  fails: [
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-simple-text",
    "tools-call-with-progress",
  ],
};
const NO_MORE_THAN_TOOLS: KnownFailure = {
  why: "Connect says that it has tools and nothing else, and so nothing to list, read or complete.",
  fails: [
    "completion-complete",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "prompts-list",
    "resources-list",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
  ],
};

/** Connect itself, with a key. */
export const CONNECT_BASELINE: Readonly<Record<Revision, readonly KnownFailure[]>> = {
  "2026-07-28": [
    NO_FIXTURES,
    {
      ...NO_MORE_THAN_TOOLS,
      fails: [
        ...NO_MORE_THAN_TOOLS.fails,
        "sep-2164-resource-not-found",
        "caching:sep-2549-prompts-list-caching-hints",
        "caching:sep-2549-resources-list-caching-hints",
        "caching:sep-2549-resources-templates-list-caching-hints",
      ],
    },
    {
      why:
        "Connect asks a host for nothing: people decide in the console. The suite's tools that do are none of its own.",
      fails: [
        "input-required-result-basic-elicitation",
        "input-required-result-basic-list-roots",
        "input-required-result-basic-sampling",
        "input-required-result-capability-check",
        "input-required-result-ignore-extra-params",
        "input-required-result-missing-input-response",
        "input-required-result-multi-round",
        "input-required-result-multiple-input-requests",
        "input-required-result-non-tool-request",
        "input-required-result-request-state",
        "input-required-result-result-type",
        "input-required-result-tampered-state",
        "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
        "server-stateless:sep-2575-missing-capability-http-400",
        "server-stateless:sep-2575-server-no-log-without-loglevel",
        "server-stateless:sep-2575-server-rejects-undeclared-capability",
      ],
    },
  ],
  "2025-11-25": [
    { ...NO_FIXTURES, fails: [...NO_FIXTURES.fails, "tools-call-with-logging"] },
    {
      ...NO_MORE_THAN_TOOLS,
      fails: [
        ...NO_MORE_THAN_TOOLS.fails,
        "logging-set-level",
        "resources-subscribe",
        "resources-unsubscribe",
      ],
    },
    {
      why: "There is no session, and Connect asks a host for nothing.",
      fails: [
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "server-sse-multiple-streams",
      ],
    },
  ],
};

const UNANSWERED =
  "A server that asks something back while its tool runs is not answered: people decide before a call, not in it.";
const NO_SIGN_IN: KnownFailure = {
  why:
    "A tool presents the token that an administrator pasted, and signs in nowhere by itself: 401 is told to the caller.",
  fails: [
    "auth/basic-cimd",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/pre-registration",
    "auth/scope-from-scopes-supported",
    "auth/scope-from-www-authenticate",
    "auth/scope-omitted-when-undefined",
    "auth/scope-retry-limit",
    "auth/scope-step-up",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-none",
    "auth/token-endpoint-auth-post",
  ],
};

/** The client of our kind `mcp`. */
export const CLIENT_BASELINE: Readonly<Record<Revision, readonly KnownFailure[]>> = {
  "2026-07-28": [
    {
      ...NO_SIGN_IN,
      fails: [
        ...NO_SIGN_IN.fails,
        "auth/authorization-server-migration",
        "auth/iss-normalized",
        "auth/iss-not-advertised",
        "auth/iss-supported",
        "auth/iss-supported-missing",
        "auth/iss-unexpected",
        "auth/iss-wrong-issuer",
        "auth/metadata-issuer-mismatch",
        "auth/offline-access-not-supported",
        "auth/offline-access-scope",
        "auth/resource-mismatch",
      ],
    },
    {
      why:
        `${UNANSWERED} A result without a type is taken for a whole one, and no call has anything of another's.`,
      fails: [
        "sep-2322-client-request-state:sep-2322-client-jsonrpc-id-different",
        "sep-2322-client-request-state:sep-2322-client-no-state-omitted",
        "sep-2322-client-request-state:sep-2322-client-request-state-echoed",
      ],
    },
  ],
  "2025-11-25": [
    NO_SIGN_IN,
    {
      why:
        "A server that asks something back while its tool runs is not answered: people decide before a call, not in it.",
      fails: ["elicitation-sep1034-client-defaults"],
    },
    {
      why:
        "A stream that ends without the answer is over. What it was asked may have been done, and is not fetched later.",
      fails: ["sse-retry"],
    },
  ],
};
