/** What a file says under `request`, and what one request becomes on its way out. Pure. */

import type { CredentialKey } from "../credentials.ts";
import type { JsonValue } from "../json.ts";
import type { HoledText } from "./holes.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** One request of a file that passed `checkRequest`. */
export interface RequestTemplate {
  readonly method: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: JsonValue;
  readonly body_format?: "json" | "form";
  readonly idempotency_header?: string | null;
}

/** What a request may refer to: the file's arguments and the credentials its `auth` names. */
export interface RequestContext {
  readonly names: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly credentials: ReadonlySet<CredentialKey>;
  /** The declared argument that an undeclared one was meant to be; looked for each time when left out. */
  readonly near?: (name: string) => string | null;
  /** The request goes to an MCP server: no call fills its address and headers, and it is given one secret. */
  readonly server?: boolean;
}

/** A request with its arguments filled in and its credentials still holes: safe to show, log and digest. */
export interface PreparedRequest {
  readonly method: Method;
  /** Where it goes, as `hostOf` writes it, with the argument's label in place. */
  readonly host: string;
  readonly url: HoledText;
  readonly headers: readonly (readonly [name: string, value: HoledText])[];
  readonly body: HoledText | null;
  /** The header that carries the idempotency key of a write, or `null` for none. */
  readonly idempotencyHeader: string | null;
}

/** Exactly one valid HTTP request, credentials and all. Never logged. */
export interface OutgoingRequest {
  readonly method: Method;
  readonly url: string;
  readonly headers: [name: string, value: string][];
  readonly body: string | null;
}
