/**
 * What a credential looks like, and the keys under which a file names one. Pure.
 * The shapes are issuers' published prefixes; where a credential may stand in a request is `request/`'s business.
 */

/** The keys of `auth` and `auth.env`, as they stand in `{{…}}`. */
export const CREDENTIAL_KEYS = [
  "secret",
  "clientId",
  "clientSecret",
  "redirectUri",
  "accessToken",
  "administrationId",
] as const;

export type CredentialKey = (typeof CREDENTIAL_KEYS)[number];

const SETTING_KEYS: ReadonlySet<CredentialKey> = new Set(["clientId", "administrationId", "redirectUri"]);

/**
 * Whether `key` holds a credential proper, a proof of who calls. The others hold a setting: told to the other system
 * openly, and all that may stand in a path. Both are sealed alike.
 */
export function isCredential(key: CredentialKey): boolean {
  return !SETTING_KEYS.has(key);
}

/** Whether `key` is one of {@link CREDENTIAL_KEYS}. */
export function isCredentialKey(key: string): key is CredentialKey {
  return (CREDENTIAL_KEYS as readonly string[]).includes(key);
}

interface CredentialShape {
  /** With its article, for a message: "a Stripe key". */
  readonly name: string;
  readonly pattern: RegExp;
}

/**
 * A prefix that could also begin an ordinary name (`npm_downloads`, `fct_orders`) counts only with a tail no name
 * has: ten letters and digits with a digit among them, or twenty in one run.
 */
const TOKEN_TAIL = "(?:(?=[A-Za-z]{0,9}[0-9])[A-Za-z0-9]{10}|[A-Za-z0-9]{20})";

/**
 * What stands before the colon of a mail address that is no password: `from:bob@ledger.example` is a search, and
 * `mailto:` a scheme. Behind any other word it takes a digit, a sign or the word itself to be a password.
 */
const MAIL_LABELS =
  "mailto|mail|e-?mail|from|to|cc|bcc|reply-?to|sender|recipient|delivered-?to|smtp|sips?|xmpp|im|eum|acct|upn|contact" +
  "|author|owner|creator|reporter|requester|assignee|submitter|commenter|organi[sz]er|attendee|participant|member" +
  "|customer|list|group|domain|principal|service-?account|klant|van|aan";

/**
 * `user:` stands before both. A mail address are words in a row with a few digits at most behind them, and no port or path
 * behind the host: `user:bob.smith1@ledger.example`.
 */
const USER_BY_MAIL = "user:(?![^\\s@]{0,128}(?:pass|pwd|secret))" +
  "[a-z]{1,32}(?:[._-][a-z]{1,32}){1,4}[0-9]{0,4}@[a-z0-9.-]{1,253}(?![a-z0-9.:/-])";

/**
 * Every quantifier is bounded or stops at a character its own start needs, so no text costs more than linear time.
 * No shape matches a placeholder: none takes a brace.
 */
const CREDENTIAL_SHAPES: readonly CredentialShape[] = [
  { name: "a Stripe key", pattern: /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{6}/ },
  { name: "a GitHub token", pattern: new RegExp(`(?<![A-Za-z0-9])gh[opsur]_${TOKEN_TAIL}`) },
  {
    name: "a GitHub token",
    pattern: /(?<![A-Za-z0-9])github_pat_(?:(?=[A-Za-z_]{0,9}[0-9])[A-Za-z0-9_]{10}|[A-Za-z0-9]{20})/,
  },
  { name: "a GitLab token", pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{8}/ },
  { name: "a Slack token", pattern: /(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{8}/ },
  { name: "an AWS access key", pattern: /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/ },
  { name: "a Google API key", pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/ },
  { name: "a Google access token", pattern: /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{8}/ },
  {
    name: "a SendGrid key",
    pattern:
      /(?<![A-Za-z0-9])SG\.(?:(?=[A-Za-z_-]{0,15}[0-9])[A-Za-z0-9_-]{16}|[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16})/,
  },
  { name: "an npm token", pattern: new RegExp(`(?<![A-Za-z0-9])npm_${TOKEN_TAIL}`) },
  {
    name: "a Framed key",
    pattern: new RegExp(`(?<![A-Za-z0-9])frk_(?:(?:live|test)_[A-Za-z0-9]{6}|${TOKEN_TAIL})`),
  },
  { name: "a Framed Connect token", pattern: new RegExp(`(?<![A-Za-z0-9])fc[tcr]_${TOKEN_TAIL}`) },
  {
    name: "an OpenAI or Anthropic key",
    pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|ant)-[A-Za-z0-9_-]{16}/,
  },
  // Anchored on the dot between its parts: looking back from each dot reads each part once.
  { name: "a JSON Web Token", pattern: /(?<=eyJ[A-Za-z0-9_-]{2,})\.eyJ[A-Za-z0-9_-]{2}/ },
  { name: "a private key", pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/ },
  { name: "a user name and password", pattern: /\/\/[^\s/?#@:{}]*:[^\s/?#@{}]+@/ },
  {
    name: "a user name and password",
    pattern: new RegExp(
      `(?<![A-Za-z0-9._~+%@/:-])(?!(?:${MAIL_LABELS}):|${USER_BY_MAIL})[a-z][a-z0-9._~+%-]{0,63}:` +
        `(?=[^\\s:@/]{0,128}(?:[0-9!$^&*=|~]|pass|pwd|secret))[^\\s:@/?#{}"'<>()[\\],;]{6,128}` +
        `@(?:[a-z0-9-]{1,63}\\.){1,8}[a-z]{2}`,
      "i",
    ),
  },
];

/**
 * Names the kind of credential that `text` is or holds ("a Stripe key"), for a message that must not repeat it;
 * `null` when there is none. Placeholders, words, UUIDs and long ids are none. Linear in the text.
 */
export function findCredential(text: string): string | null {
  return CREDENTIAL_SHAPES.find(({ pattern }) => pattern.test(text))?.name ?? null;
}

/** Whether `text`, whole or in part, is shaped like a credential. */
export function looksLikeCredential(text: string): boolean {
  return findCredential(text) !== null;
}
