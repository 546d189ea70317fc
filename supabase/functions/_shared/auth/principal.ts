/** Who calls, how they stand to a workspace, and what that lets them do. Pure. */

import { refuse, type Result } from "../outcome/result.ts";

/**
 * What a request presented, its form already checked: a key by its hash, a Connect token by its hash with what a token
 * has to be made out for here, or a session by its verified subject.
 */
export type Presented =
  | { readonly key_hash: string }
  | { readonly token_hash: string; readonly audiences: readonly string[] }
  | { readonly user_id: string };

export type PrincipalKind = "session" | "raw_key" | "reseller_key" | "connect_token";

/** How a principal stands to a workspace it reaches. */
export interface Standing {
  readonly id: string;
  readonly account_id: string;
  readonly settings: Record<string, unknown>;
  /** Null for a reseller key: no person stands behind it. */
  readonly role: "admin" | "member" | null;
  readonly grants: readonly string[];
}

export interface Principal {
  readonly kind: PrincipalKind;
  /** The key's id, the grant's that a Connect token belongs to, or the person's. */
  readonly id: string;
  readonly name: string | null;
  /** Of a raw key, which bears its person's name, its own. */
  readonly key_name?: string;
  /** The person behind the call; null where none is. */
  readonly user_id: string | null;
  readonly account_id: string | null;
  /** Null where the workspace asked for is out of reach or does not exist: the two look the same. */
  readonly workspace: Standing | null;
}

/** A principal that reaches the workspace it asked for. */
export type PrincipalHere = Principal & { readonly workspace: Standing };

/** What the log and a version record say of who did it. */
export interface Actor {
  readonly kind: PrincipalKind;
  readonly id: string;
  readonly name: string | null;
  /** Of a raw key: two of one administrator bear the same name. */
  readonly key_name?: string;
}

export function actorOf({ kind, id, name, key_name }: Principal): Actor {
  return { kind, id, name, ...(key_name === undefined ? {} : { key_name }) };
}

/** Whether an administrator stands behind the call: their session, or the raw key or Connect token that acts as them. */
export function isAdministrator(principal: Principal): boolean {
  return principal.workspace?.role === "admin";
}

/**
 * Whether a person's own AI asks, which is told what a tool does and never how it works: no request, no host, no name of a
 * secret, no file.
 */
export function isHost({ kind }: Principal): boolean {
  return kind === "connect_token";
}

/** Lets pass whoever reaches the workspace. */
export function allowAnyoneHere(_principal: PrincipalHere): Result<void> {
  return { ok: true, value: undefined };
}

/** Lets pass members of the workspace, by session or by what acts as one; a reseller key is nobody's member. */
export function requireMember(principal: PrincipalHere): Result<void> {
  if (principal.workspace.role !== null) return { ok: true, value: undefined };
  return refuse("grant_missing", {
    detail: "This is for members of the workspace. A reseller key is none.",
    hint: "Ask as a member, or with a key that acts as one.",
  });
}

/** Lets pass who may define and call tools: an administrator, a member with the grant, a reseller key of the account. */
export function requireConnectorGrant(principal: PrincipalHere): Result<void> {
  const { role, grants } = principal.workspace;
  if (principal.kind === "reseller_key" || role === "admin" || grants.includes("use_connectors")) {
    return { ok: true, value: undefined };
  }
  return refuse("grant_missing", {
    detail: "This needs the grant use_connectors on the workspace.",
    hint: "An administrator of the workspace can give it.",
  });
}

/** Lets pass a person's own session, and no key or token whatever its owner may do. */
export function requireSession({ kind }: Principal): Result<void> {
  return kind === "session" ? { ok: true, value: undefined } : refuseProgram("Sign in as yourself.");
}

/** Lets pass an administrator's own session, and no key or token whatever its owner may do. */
export function requireAdministratorSession(principal: PrincipalHere): Result<void> {
  if (principal.kind !== "session") return refuseProgram("Sign in as an administrator of the workspace.");
  if (principal.workspace.role === "admin") return { ok: true, value: undefined };
  return refuse("admin_required", {
    detail: "This is for administrators of the workspace.",
    hint: "Ask one of them.",
  });
}

function refuseProgram(hint: string) {
  return refuse("person_required", {
    detail: "No key or token can do this, whatever its owner may do.",
    hint,
  });
}
