/** Does what `deno task keys` is asked of the database, as its owner; each command but `rewrap` is one transaction. */

import type { Database } from "../../supabase/functions/_shared/db/client.ts";
import { listKeys, type StoredKey } from "../../supabase/functions/_shared/auth/key-store.ts";
import { endKey, issueKey } from "../../supabase/functions/_shared/flows/manage-key.ts";
import { setMember } from "../../supabase/functions/_shared/flows/manage-member.ts";
import { CommandRefused, operator } from "../operator/command.ts";
import type { Command } from "./command-line.ts";
import { rewrap } from "./rewrap.ts";

/** What a command came to. */
export interface Done {
  /** What was asked for, for standard output: a line, or several; empty where nothing was. */
  readonly output: string;
  /** The same as data. */
  readonly data: Record<string, unknown>;
  /** What happened, in words. */
  readonly says: string;
}

type Of<D extends Command["does"]> = Extract<Command, { does: D }>;
type Transaction = Parameters<Parameters<Database["begin"]>[1]>[0];

const MAX_LISTED = 1_000;

/** Runs one command. Throws `CommandRefused` where it cannot be done; then nothing was changed. */
export async function runCommand(
  db: Database,
  command: Exclude<Command, { does: "help" | "ring" }>,
): Promise<Done> {
  switch (command.does) {
    case "setup":
      return await db.begin((tx) => setUp(tx, command));
    case "set-member":
      return await db.begin((tx) => putPerson(tx, command));
    case "issue":
      return await db.begin((tx) => issue(tx, command));
    case "list":
      return await list(db, command);
    case "revoke":
      return await db.begin((tx) => revoke(tx, command));
    case "rewrap":
      return await rewrap(db, command);
    default:
      return command satisfies never;
  }
}

async function setUp(tx: Transaction, { account, workspaceName, person }: Of<"setup">): Promise<Done> {
  const [found] = "id" in account
    ? await tx<{ id: string }[]>`select id from framed.accounts where id = ${account.id}`
    : await tx<{ id: string }[]>`insert into framed.accounts (name) values (${account.name}) returning id`;
  if (found === undefined) throw new CommandRefused("There is no account with that id.");
  const [workspace] = await tx<{ id: string }[]>`
    insert into framed.workspaces (account_id, name) values (${found.id}, ${workspaceName}) returning id`;
  const { id } = workspace!;
  await setMember(tx, { ...operator(), workspaceId: id, person: { ...person, role: "admin", grants: [] } });
  return {
    output: id,
    data: { account_id: found.id, workspace_id: id, user_id: person.userId },
    says: `Workspace ${id} of account ${found.id}, with ${person.name} as its administrator.`,
  };
}

async function putPerson(tx: Transaction, member: Of<"set-member">): Promise<Done> {
  const { workspaceId, person, role, grants } = member;
  const workspaces = await tx`select from framed.workspaces where id = ${workspaceId}`;
  if (workspaces.count === 0) throw new CommandRefused("There is no workspace with that id.");
  const set = await setMember(tx, { ...operator(), workspaceId, person: { ...person, role, grants } });
  if (!set.ok) throw new CommandRefused(`${set.refusal.detail} ${set.refusal.hint}`);
  const rights = grants.length === 0 ? "" : ` with ${grants.join(", ")}`;
  return {
    output: "",
    data: { workspace_id: workspaceId, user_id: person.userId, role, grants },
    says: `${person.name} is ${
      role === "admin" ? "an administrator" : "a member"
    }${rights} of the workspace.`,
  };
}

async function issue(tx: Transaction, { holder, name, expiresAt }: Of<"issue">): Promise<Done> {
  const issued = await issueKey(tx, {
    ...operator(),
    holder: "accountId" in holder
      ? holder
      : { workspaceId: holder.workspaceId, userId: await findAdministrator(tx, holder) },
    name,
    expiresAt,
    createdBy: null,
  });
  if (issued === null) throw new CommandRefused("There is no account with that id.");
  const { key, stored } = issued;
  const until = stored.expires_at === null ? "until it is revoked" : `until ${stored.expires_at}`;
  const whose = stored.user_name === null
    ? `reaches every workspace of account ${stored.account_id}`
    : `acts as ${stored.user_name} on workspace ${stored.workspace_id}`;
  return {
    output: key,
    data: { key, ...stored },
    says: `Key ${stored.id} ${whose}, ${until}. It is shown this once.`,
  };
}

async function findAdministrator(
  tx: Transaction,
  { workspaceId, admin }: { workspaceId: string; admin: string },
): Promise<string> {
  const found = await tx<{ user_id: string; role: string }[]>`
    select user_id, role from framed.members
     where workspace_id = ${workspaceId} and (user_id::text = lower(${admin}) or lower(email) = lower(${admin}))`;
  const [person] = found;
  if (person === undefined) throw new CommandRefused("Nobody by that address or id is on that workspace.");
  if (found.length > 1) {
    throw new CommandRefused("Several people there have that address: give the person's id.");
  }
  if (person.role !== "admin") {
    throw new CommandRefused("That person is a member there, and a raw key acts as an administrator.");
  }
  return person.user_id;
}

async function list(db: Database, { of }: Of<"list">): Promise<Done> {
  const found = "workspaceId" in of
    ? await db`select from framed.workspaces where id = ${of.workspaceId}`
    : await db`select from framed.accounts where id = ${of.accountId}`;
  if (found.count === 0) {
    throw new CommandRefused(`There is no ${"workspaceId" in of ? "workspace" : "account"} with that id.`);
  }
  const keys = await listKeys(db, { of, limit: MAX_LISTED });
  return {
    output: keys.length === 0 ? "" : table(keys),
    data: { keys },
    says: keys.length === 1 ? "1 key." : `${keys.length} keys.`,
  };
}

async function revoke(tx: Transaction, { id }: Of<"revoke">): Promise<Done> {
  const revoked = await endKey(tx, { ...operator(), id });
  if (revoked === null) throw new CommandRefused("There is no key with that id that is not revoked already.");
  return { output: "", data: { ...revoked }, says: `Key ${id} (${revoked.name}) is revoked.` };
}

function table(keys: readonly StoredKey[]): string {
  const day = (instant: string | null) => instant?.slice(0, 10) ?? "-";
  const rows = keys.map((key) => [
    key.id,
    key.kind,
    key.revoked_at === null ? day(key.expires_at) : "revoked",
    day(key.last_used_at),
    key.user_name ?? "-",
    key.name,
  ]);
  rows.unshift(["ID", "KIND", "EXPIRES", "LAST USED", "ACTS AS", "NAME"]);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()).join(
    "\n",
  );
}
