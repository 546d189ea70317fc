/** Who is on a workspace, and as what: a person is added, changed or removed, and the workspace keeps an administrator. */

import type { Queryable } from "../db/client.ts";
import { appendEvent } from "../log/store.ts";
import { NOT_FOUND, ok, refuse, type Result } from "../outcome/result.ts";
import {
  deleteMember,
  lockAdministrators,
  lockMember,
  type NewMember,
  putMember,
  type StoredMember,
} from "../workspaces/member-store.ts";
import { endConnectTokensOf } from "./end-connect-token.ts";
import { endKeysOf } from "./manage-key.ts";
import { type Change, workspaceEvent } from "./occasion.ts";

/**
 * Makes the person what is given: adds them where they are no member yet. The keys of who stops being an administrator
 * are revoked along. What is so already changes nothing.
 *
 * Refuses `last_administrator` for a change that would leave the workspace without one. Must run in a transaction.
 */
export async function setMember(
  tx: Queryable,
  { workspaceId, person, ...change }: Change & { workspaceId: string; person: NewMember },
): Promise<Result<{ member: StoredMember; added: boolean }>> {
  const { userId } = person;
  const place = { workspaceId, userId };
  const administrators = await lockAdministrators(tx, { workspaceId });
  const before = await lockMember(tx, place);
  if (before !== null && isAlready(before, person)) return ok({ member: before, added: false });
  if (person.role !== "admin" && isLast(administrators, userId)) return LAST_ADMINISTRATOR;

  const member = await putMember(tx, { workspaceId, person });
  const { user_id, name, role, grants } = member;
  await appendEvent(tx, {
    workspaceId,
    event: workspaceEvent("member.set", { ...change, detail: { user_id, name, role, grants: [...grants] } }),
  });
  if (role !== "admin") await endKeysOf(tx, { ...place, ...change });
  return ok({ member, added: before === null });
}

/**
 * Takes the person off the workspace and revokes the keys and Connect tokens that act as them. What they defined stays.
 *
 * Refuses `not_found` and `last_administrator`. Must run in a transaction.
 */
export async function removeMember(
  tx: Queryable,
  { workspaceId, userId, ...change }: Change & { workspaceId: string; userId: string },
): Promise<Result<void>> {
  const place = { workspaceId, userId };
  const administrators = await lockAdministrators(tx, { workspaceId });
  const member = await lockMember(tx, place);
  if (member === null) return { ok: false, refusal: NOT_FOUND };
  if (isLast(administrators, userId)) return LAST_ADMINISTRATOR;

  // The keys and tokens first: their rows in the log name whom they acted as.
  await endKeysOf(tx, { ...place, ...change });
  await endConnectTokensOf(tx, { ...place, ...change });
  await deleteMember(tx, place);
  await appendEvent(tx, {
    workspaceId,
    event: workspaceEvent("member.removed", { ...change, detail: { user_id: userId, name: member.name } }),
  });
  return ok(undefined);
}

const LAST_ADMINISTRATOR = refuse("last_administrator", {
  detail: "This person is the only administrator of the workspace, which needs one.",
  hint: "Make someone else an administrator first.",
});

function isLast(administrators: readonly string[], userId: string): boolean {
  return administrators.length === 1 && administrators[0] === userId;
}

function isAlready(before: StoredMember, { role, grants, name, email }: NewMember): boolean {
  return before.role === role && before.name === name && before.email === email &&
    before.grants.length === grants.length && grants.every((grant) => before.grants.includes(grant));
}
