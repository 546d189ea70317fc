/** People of a running local stack's sign-in, put there and thrown out by its store, and workspaces for them. */

import type postgres from "postgres";
import type { Page } from "playwright-core";
import { hashPassword } from "../stack/sign-in/passwords.ts";
import { addUser } from "../stack/sign-in/store.ts";

export interface SignInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Somebody who can sign in and is on no workspace. */
export async function addPerson(sql: postgres.Sql, name: string): Promise<SignInPerson> {
  const id = crypto.randomUUID();
  const person = { id, name, email: `${id.slice(0, 8)}@people.example`, password: `password of ${id}` };
  await addUser(sql, { ...person, password: await hashPassword(person.password) });
  return person;
}

/** A workspace of the account of `beside`, with these people of sign-in on it; its id. */
export async function addWorkspace(
  sql: postgres.Sql,
  { beside, name, members }: {
    beside: string;
    name: string;
    members: readonly { email: string; role: "admin" | "member" }[];
  },
): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into framed.workspaces (id, account_id, name)
    select ${id}, account_id, ${name} from framed.workspaces where id = ${beside}`;
  for (const { email, role } of members) {
    await sql`
      insert into framed.members (workspace_id, user_id, role, grants, name, email)
      select ${id}, id, ${role}, '{use_connectors}', name, email from local_sign_in.users where email = ${email}`;
  }
  return id;
}

/** Ends every session of the person where sign-in keeps them: nothing renews one any more. */
export async function endSessionsOf(sql: postgres.Sql, { email }: { email: string }): Promise<void> {
  await sql`
    delete from local_sign_in.sessions
     where user_id = (select id from local_sign_in.users where email = ${email})`;
}

/** Lets the token that the page keeps run out, as an hour does. */
export async function letTokenRunOut(page: Page): Promise<void> {
  await page.evaluate(`{
    const session = JSON.parse(localStorage.getItem("framed.session"));
    localStorage.setItem("framed.session", JSON.stringify({ ...session, expires_at: 1 }));
  }`);
}
