/** The people, workspaces and keys a local stack starts with, so that the first call can be made at once. */

import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/auth/keys.ts";
import type { DemoAccount, DemoPerson, Settings } from "./settings.ts";
import { hashPassword } from "./sign-in/passwords.ts";
import { addUser } from "./sign-in/store.ts";

/**
 * Puts what `demo` describes into the database, once: every id is in the settings, and what a person has changed or
 * removed since the first start stays as it is.
 */
export async function seedDemo(sql: postgres.Sql, demo: Settings["demo"]): Promise<void> {
  const [there] = await sql`select from framed.accounts where id = ${demo.account.id}`;
  if (there !== undefined) return;
  const people = [demo.admin, demo.member, demo.other.admin];
  const passwords = await Promise.all(people.map(({ password }) => hashPassword(password)));
  await sql.begin(async (tx) => {
    for (const [index, { id, email, name }] of people.entries()) {
      await addUser(tx, { id, email, name, password: passwords[index]! });
    }
    await addAccount(tx, demo.account);
    await addMember(tx, { workspace: demo.account.workspace.id, person: demo.admin, role: "admin" });
    await addMember(tx, { workspace: demo.account.workspace.id, person: demo.member, role: "member" });
    await addKey(tx, { key: demo.apiKey, name: "Demo key", account: demo.account, person: demo.admin });
    await addKey(tx, { key: demo.resellerKey, name: "Demo reseller key", account: demo.account });

    const { other } = demo;
    await addAccount(tx, other.account);
    await addMember(tx, { workspace: other.account.workspace.id, person: other.admin, role: "admin" });
    await addKey(tx, { key: other.apiKey, name: "Demo key", account: other.account, person: other.admin });
  });
}

async function addAccount(tx: postgres.TransactionSql, { id, name, workspace }: DemoAccount): Promise<void> {
  await tx`insert into framed.accounts (id, name) values (${id}, ${name})`;
  await tx`
    insert into framed.workspaces (id, account_id, name) values (${workspace.id}, ${id}, ${workspace.name})`;
}

async function addMember(
  tx: postgres.TransactionSql,
  { workspace, person, role }: { workspace: string; person: DemoPerson; role: "admin" | "member" },
): Promise<void> {
  await tx`
    insert into framed.members (workspace_id, user_id, role, grants, name, email)
    values (${workspace}, ${person.id}, ${role}, array['use_connectors'], ${person.name}, ${person.email})`;
}

/** A raw key that acts as `person`, or a reseller key of the account when there is none. */
async function addKey(
  tx: postgres.TransactionSql,
  { key, name, account, person }: { key: string; name: string; account: DemoAccount; person?: DemoPerson },
): Promise<void> {
  const hash = hashKey(key);
  await tx`
    insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash, created_by)
    values (${person ? "raw" : "reseller"}, ${account.id}, ${person ? account.workspace.id : null},
            ${person?.id ?? null}, ${name}, decode(${hash}, 'hex'), ${person?.id ?? null})`;
}
