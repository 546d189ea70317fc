/** People, keys and programs in a real browser: who may do what, what is shown once, and what ends. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import postgres from "postgres";
import {
  createCredential,
  createKey,
  hashKey,
  TOKEN_PREFIX,
} from "../../supabase/functions/_shared/auth/keys.ts";
import { consoleTest, lookAt, openConsole, signIn } from "../testing/console.ts";
import { everythingOn } from "../testing/everything-on.ts";
import { addPerson } from "../testing/sign-in-people.ts";
import { callStack } from "../testing/stack-caller.ts";

const under = await openConsole();
const { stack, visit } = under;
const sql = postgres(stack.database);
const { ask } = callStack(stack);
const people = `/workspaces/${stack.workspace_id}`;

/** The row of the list that holds `text`. */
function row(page: Page, text: string) {
  return page.getByRole("listitem").filter({ hasText: text }).filter({ has: page.getByRole("strong") });
}

/** Status that a key gets. */
async function statusOf(key: string): Promise<number> {
  const headers = { "x-framed-api-key": key };
  const response = await fetch(`${stack.api}/tools?workspace_id=${stack.workspace_id}`, { headers });
  await response.body?.cancel();
  return response.status;
}

consoleTest(
  "an administrator adds a person by the id that they are shown, changes them, and removes them",
  async () => {
    const guest = await addPerson(sql, "Gil Guest");
    let guestId = "";
    await visit(null, "/tasks", async ({ page }) => {
      await signIn(page, guest);
      await page.getByRole("heading", { name: "You are on no workspace yet" }).waitFor();
      await page.getByText(guest.id).waitFor();
      guestId = guest.id;
      await lookAt(page, "no-workspace");

      await visit(stack.admin, "/people", async ({ page: admins }) => {
        await row(admins, stack.admin.email).waitFor();
        await lookAt(admins, "people");
        await admins.getByRole("button", { name: "Add a person" }).click();
        const dialog = admins.getByRole("dialog", { name: "Add a person" });
        await dialog.getByLabel("User id").fill("somebody");
        await dialog.getByLabel("Name").fill("Gil <b>Guest</b>");
        await dialog.getByLabel("E-mail").fill(guest.email);
        await dialog.getByRole("button", { name: "Add", exact: true }).click();
        await dialog.getByText("This is no user id.").waitFor();
        await lookAt(admins, "people-add");
        await dialog.getByLabel("User id").fill(guestId);
        await dialog.getByRole("button", { name: "Add", exact: true }).click();
        await dialog.waitFor({ state: "hidden" });
        assertStringIncludes(await row(admins, guest.email).innerText(), "Gil <b>Guest</b>");
        await row(admins, guest.email).getByText("may use tools").waitFor();

        // The same id again would change whoever has it.
        await admins.getByRole("button", { name: "Add a person" }).click();
        await dialog.getByLabel("User id").fill(guestId.toUpperCase());
        await dialog.getByLabel("Name").fill("Another");
        await dialog.getByLabel("E-mail").fill("another@people.example");
        await dialog.getByRole("button", { name: "Add", exact: true }).click();
        await dialog.getByText("has this user id and is on the workspace already").waitFor();
        await dialog.getByRole("button", { name: "Cancel" }).click();
      });
      await page.getByRole("button", { name: "Look again" }).click();
      await page.getByRole("heading", { name: "Tasks" }).waitFor();
    });

    await visit(stack.admin, "/people", async ({ page }) => {
      const theirs = row(page, guest.email);
      await theirs.getByRole("button", { name: "Change" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("May use tools").uncheck();
      await dialog.getByRole("button", { name: "Save" }).click();
      await theirs.getByText("sees tools, and does not use them").waitFor();
      await dialog.waitFor({ state: "hidden" });
      assertEquals(await page.evaluate("document.activeElement?.textContent.startsWith('Change')"), true);

      // An administrator with a key, who stops being one: the key goes, and it is said before.
      await theirs.getByRole("button", { name: "Change" }).click();
      await dialog.getByLabel("Administrator").check();
      await dialog.getByRole("button", { name: "Save" }).click();
      await theirs.getByText("Administrator").waitFor();
      const key = await keyOf(guest.id, "Gil's nightly report");
      assertEquals(await statusOf(key), 200);
      await page.reload();
      await theirs.getByRole("button", { name: "Change" }).click();
      await dialog.getByLabel("Member", { exact: true }).check();
      await dialog.getByText("the key Gil's nightly report is revoked").waitFor();
      await lookAt(page, "people-change");
      await dialog.getByRole("button", { name: "Save" }).click();
      await theirs.getByText("sees tools, and does not use them").waitFor();
      assertEquals(await statusOf(key), 401);

      const token = await tokenOf(guest.id, "Their assistant");
      assertEquals(await statusOfToken(token), 200);
      await page.reload();
      await theirs.getByRole("button", { name: "Remove" }).click();
      const asked = page.getByRole("alertdialog");
      await asked.getByText("the program Their assistant (assistant.example) is shut out").waitFor();
      await lookAt(page, "people-remove");
      await asked.getByRole("button", { name: "Remove" }).click();
      await theirs.waitFor({ state: "hidden" });
      await page.getByRole("status").filter({ hasText: "is off this workspace" }).waitFor();
      assertEquals(await page.evaluate("document.activeElement?.textContent"), "People");
      assertEquals(await statusOfToken(token), 401);
    });
  },
);

consoleTest("the last administrator is kept, in words, and what was typed stays", async () => {
  await visit(stack.admin, "/people", async ({ page }) => {
    const own = row(page, stack.admin.email);
    await own.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Noor, for a while");
    await dialog.getByLabel("Member", { exact: true }).check();
    await dialog.getByText("another administrator has to make you one again").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").filter({ hasText: "Make someone else an administrator first." })
      .waitFor();
    assertEquals(await dialog.getByLabel("Name").inputValue(), "Noor, for a while");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await own.getByRole("button", { name: "Remove" }).click();
    const asked = page.getByRole("alertdialog", { name: "Leave this workspace?" });
    await asked.getByRole("button", { name: "Leave" }).click();
    await asked.getByRole("alert").filter({ hasText: "Make someone else an administrator first." }).waitFor();
    await asked.getByRole("button", { name: "Cancel" }).click();
    assertEquals(await page.evaluate("document.activeElement?.textContent.startsWith('Remove')"), true);
  }, { maySay: /409/ });
});

consoleTest(
  "a key is shown once, works, is listed without itself, and a revoked one is refused",
  async () => {
    await visit(stack.admin, "/people?tab=keys", async ({ page }) => {
      await row(page, "Demo key").waitFor();
      await page.getByRole("button", { name: "Issue a key" }).click();
      const dialog = page.getByRole("dialog", { name: "Issue a key" });
      await dialog.getByLabel("Name").fill("Weekly books");
      await dialog.getByLabel("How long it is good").selectOption("Until a day you choose");
      await dialog.getByLabel("Until the end of").fill("2099-01-31");
      await lookAt(page, "keys-issue");
      let sent = 0;
      page.on(
        "request",
        (request) => request.method() === "POST" && request.url().endsWith("/keys") && sent++,
      );
      await dialog.getByRole("button", { name: "Issue" }).dblclick();
      const shown = page.getByRole("dialog", { name: "The key Weekly books" });
      const key = await shown.getByLabel("Key", { exact: true }).inputValue();
      assertMatch(key, /^frk_live_/);
      assertEquals(sent, 1);
      await page.keyboard.press("Escape");
      assert(await shown.isVisible(), "a key is not lost by a press");
      assertEquals(await statusOf(key), 200);

      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await shown.getByRole("button", { name: "Copy" }).click();
      await shown.getByRole("button", { name: "Copied the key" }).waitFor();
      assertEquals(await page.evaluate("navigator.clipboard.readText()"), key);
      // No picture shows it.
      await page.evaluate('document.querySelector("textarea").value = "frk_live_" + "•".repeat(43)');
      await lookAt(page, "keys-issued");
      await shown.getByRole("button", { name: "I have kept it" }).click();
      await shown.waitFor({ state: "hidden" });
      const own = row(page, "Weekly books");
      await own.waitFor();
      assertEquals(await page.evaluate("document.activeElement?.textContent"), "Keys");
      assertEquals((await everythingOn(page)).includes(key.slice(9)), false);
      await page.reload();
      await own.getByText(/acts as Noor/).waitFor();
      await own.getByText(/^last used/).waitFor();
      assertEquals((await everythingOn(page)).includes(key.slice(9)), false);
      assertEquals(
        await own.getByText(/^expires/).locator("time").getAttribute("datetime").then((at) =>
          at!.slice(0, 4)
        ),
        "2099",
      );
      await lookAt(page, "keys");

      await own.getByRole("button", { name: "Revoke" }).click();
      const asked = page.getByRole("alertdialog");
      await asked.getByText(/^It was last used/).waitFor();
      assertEquals(await page.evaluate("document.activeElement?.textContent"), "Cancel");
      await lookAt(page, "keys-revoke");
      await asked.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The key Weekly books is revoked.").waitFor();
      await page.getByRole("heading", { name: "Keys" }).and(page.locator(":focus")).waitFor();
      assertEquals(await statusOf(key), 401);
      await page.getByText(/^Revoked and expired: /).click();
      await own.getByText("revoked", { exact: true }).waitFor();
      assertEquals(await own.getByRole("button").count(), 0);
    });
  },
);

consoleTest(
  "what a program may do ends when it is shut out; a member sees and ends their own alone",
  async () => {
    const [member, admin] = [await idOf(stack.member.email), await idOf(stack.admin.email)];
    const hostile = "<i>Assistant\u202e</i>";
    const theirs = await tokenOf(member, hostile);
    await tokenOf(admin, "The planner of an administrator");
    await visit(stack.member, "/people?tab=programs", async ({ page }) => {
      await row(page, "assistant.example").waitFor();
      assertEquals(await page.getByText("The planner of an administrator").count(), 0);
      assertStringIncludes(await row(page, "assistant.example").innerText(), "<i>Assistant");
      assertEquals((await row(page, "assistant.example").innerText()).includes("\u202e"), false);
      assertEquals(await page.locator("main i").count(), 0);
      await page.getByText(`${stack.api}/connect/mcp`).waitFor();
      await lookAt(page, "programs");
      assertEquals(await statusOfToken(theirs), 200);
      await page.getByRole("button", { name: "Shut out" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Shut out" }).click();
      await page.getByRole("heading", { name: "No program is let in" }).waitFor();
      assertEquals(await statusOfToken(theirs), 401);
      await lookAt(page, "programs-none");
    });
    await visit(stack.admin, "/people?tab=programs", async ({ page }) => {
      await row(page, "The planner of an administrator").waitFor();
      await page.getByText(/^Ended and expired: /).click();
      await row(page, "<i>Assistant").getByText("acts as Sam").waitFor();
    });
  },
);

consoleTest("a member sees who is here without addresses, and changes nothing", async () => {
  await visit(stack.member, "/people", async ({ page }) => {
    await row(page, "Noor").waitFor();
    assertEquals((await everythingOn(page)).includes(stack.admin.email), false);
    const actions = page.getByRole("main").getByRole("button", {
      name: /Add|Change|Remove|Issue|Revoke|Save/,
    });
    await lookAt(page, "people-member");
    await page.getByRole("tab", { name: "Keys" }).click();
    await page.getByText("Demo key").waitFor();
    assertEquals(await actions.count(), 0);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText("Administrators change these.").waitFor();
    assertEquals(await actions.count(), 0);
    await lookAt(page, "settings-member");
    // The tab stands in the address.
    await page.reload();
    await page.getByText("Administrators change these.").waitFor();
    await page.goBack();
    await page.getByText("Demo key").waitFor();
  });
});

consoleTest("two administrators: what one did meanwhile is said, and not undone", async () => {
  const second = await addPerson(sql, "Sol Second");
  await ask(`${people}/members/${second.id}`, {
    as: "admin",
    method: "PUT",
    body: { role: "admin", name: second.name, email: second.email },
    wanted: 201,
  });
  await visit(second, "/people", async ({ page }) => {
    await row(page, stack.member.email).getByRole("button", { name: "Change" }).waitFor();
    // They are made a member while they look.
    await ask(`${people}/members/${second.id}`, {
      as: "admin",
      method: "PUT",
      body: { role: "member", name: second.name, email: second.email },
    });
    await row(page, stack.member.email).getByRole("button", { name: "Change" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByRole("alert").filter({ hasText: "administrator" }).waitFor();
  }, { maySay: /403/ });
});

async function idOf(email: string): Promise<string> {
  const [user] = await sql<{ id: string }[]>`select id from local_sign_in.users where email = ${email}`;
  return user!.id;
}

/** A key that acts as the person, as if they had issued it. */
async function keyOf(userId: string, name: string): Promise<string> {
  const key = createKey();
  await sql`
    insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash)
    select 'raw', account_id, id, ${userId}, ${name}, decode(${hashKey(key)}, 'hex')
      from framed.workspaces where id = ${stack.workspace_id}`;
  return key;
}

/** A token of a program that the person let in. */
async function tokenOf(userId: string, name: string): Promise<string> {
  const token = createCredential(TOKEN_PREFIX);
  await sql`
    with granted as (
      insert into framed.connect_grants (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at, activated_at)
      values (${stack.workspace_id}, ${userId}, 'a-client', ${name}, 'assistant.example',
        ${`${stack.functions}/connect/mcp`}, now() + interval '1 day', now())
      returning id
    )
    insert into framed.connect_tokens (token_hash, kind, workspace_id, grant_id, expires_at)
    select decode(${
    hashKey(token)
  }, 'hex'), 'access', ${stack.workspace_id}, id, now() + interval '1 day' from granted`;
  return token;
}

async function statusOfToken(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${stack.api}/tools?workspace_id=${stack.workspace_id}`, { headers });
  await response.body?.cancel();
  return response.status;
}

consoleTest("the browser and the stack end", async () => {
  await sql.end();
  await under.stop();
});
