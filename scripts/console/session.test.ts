/** Signing in, staying so and leaving, in a real browser: nothing typed is lost, and nobody sees what was another's. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { consoleTest, lookAt, openConsole, signIn } from "../testing/console.ts";
import { fixtureFile } from "../testing/files.ts";
import { callStack } from "../testing/stack-caller.ts";
import { addPerson, addWorkspace, endSessionsOf, letTokenRunOut } from "../testing/sign-in-people.ts";

const under = await openConsole();
const { stack, visit } = under;
const sql = postgres(stack.database);

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const navigation = (page: Page) => page.getByRole("navigation", { name: "Console" });
/** What has the focus, by what it says. */
const focused = (page: Page) =>
  page.evaluate<string>(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? ''",
  );

/** Visits with a session of its own, which the test may end. */
const visitAfresh: typeof visit = (visitor, path, work, options) =>
  visit(visitor, path, work, { ...options, fresh: true });

async function signOut(page: Page) {
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
}

consoleTest(
  "a wrong password is said, the right one lets in, a reload keeps it, and signing out leaves nothing",
  async () => {
    await visit(null, "/people", async ({ page }) => {
      await heading(page, "Sign in").waitFor();
      assertEquals(await page.evaluate("document.activeElement.name"), "email");
      await lookAt(page, "sign-in");
      await signIn(page, { ...stack.member, password: "not theirs" });
      await page.getByRole("alert").filter({ hasText: "do not belong together" }).waitFor();
      assertEquals(await page.evaluate("document.activeElement.name"), "password");
      await signIn(page, { email: "nobody@people.example", password: "a password" });
      await page.getByRole("alert").filter({ hasText: "do not belong together" }).waitFor();
      await lookAt(page, "sign-in-wrong");
      await signIn(page, stack.member);
      await heading(page, "People and keys").waitFor();
      assertEquals(await page.title(), "People and keys · Framed");
      assertEquals(await focused(page), "People and keys", "who listens is told where they are");
      await page.reload();
      await heading(page, "People and keys").waitFor();

      await page.getByRole("button", { name: "Account" }).click();
      await page.getByText(`Signed in as ${stack.member.email}.`).waitFor();
      await lookAt(page, "account");
      await page.evaluate('sessionStorage.setItem("framed.file.draft", "begun")');
      const told = page.waitForResponse((response) => response.url().includes("/logout"));
      await page.getByRole("button", { name: "Sign out" }).click();
      await heading(page, "Sign in").waitFor();
      assertEquals(await page.title(), "Sign in · Framed");
      await told;
      assertEquals(await page.evaluate(`localStorage.getItem("framed.session")`), null);
      assertEquals(await page.evaluate("sessionStorage.length"), 0, "no draft is left for the next");
      await page.reload();
      await heading(page, "Sign in").waitFor();
    }, { maySay: /400/ });
  },
);

consoleTest("signing out in one tab leaves the other, and signing in again lets both in", async () => {
  await visitAfresh(stack.member, "/people", async ({ page, context }) => {
    await page.getByText("Noor").waitFor();
    const other = await context.newPage();
    await other.goto(`${stack.console}/people`);
    await other.getByText("Noor").waitFor();
    await signOut(page);
    await heading(other, "Sign in").waitFor();
    assertEquals(await other.getByText("Noor").count(), 0);
    await signIn(other, stack.member);
    await other.getByText("Noor").waitFor();
    await page.getByText("Noor").waitFor();
  });
});

consoleTest("another person who signs in in a second tab takes the first one along", async () => {
  await visitAfresh(stack.admin, "/people", async ({ page, context }) => {
    await page.getByText(stack.member.email).waitFor();
    await endSessionsOf(sql, stack.admin);
    await letTokenRunOut(page);
    const other = await context.newPage();
    await other.goto(`${stack.console}/people`);
    await heading(other, "Sign in").waitFor();
    await signIn(other, stack.member);
    await other.getByText("Noor").waitFor();
    // What an administrator alone sees is not there any more.
    await page.getByText(stack.member.email).waitFor({ state: "hidden" });
    await page.getByText("Noor").waitFor();
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByText(`Signed in as ${stack.member.email}.`).waitFor();
  }, { maySay: /400/ });
});

consoleTest("a person on two workspaces switches, and an address leads to the one it names", async () => {
  const second = await addWorkspace(sql, {
    beside: stack.workspace_id,
    name: "<b>Second</b> shop",
    members: [{ email: stack.member.email, role: "member" }],
  });
  try {
    await visit(stack.member, `/people?workspace_id=${stack.workspace_id}`, async ({ page }) => {
      await page.getByText("Noor").waitFor();
      await page.getByLabel("Workspace").selectOption("<b>Second</b> shop");
      await heading(page, "Tasks").waitFor();
      assertEquals(new URL(page.url()).searchParams.get("workspace_id"), second);
      assertEquals(await focused(page), "Tasks");
      const elsewhere = page.getByRole("list", { name: "On your other workspaces" });
      assertEquals(await elsewhere.count(), 0, "nothing waits there");
      await navigation(page).getByRole("link", { name: "People" }).click();
      await page.getByRole("listitem").filter({ hasText: "Sam" }).waitFor();
      assertEquals(await page.getByText("Noor").count(), 0, "nothing of the other workspace");
      assertEquals(new URL(page.url()).searchParams.get("workspace_id"), second);
      await lookAt(page, "two-workspaces");
      // Without one in the address it is the last one here.
      await page.goto(`${stack.console}/people`);
      await page.getByRole("listitem").filter({ hasText: "Sam" }).waitFor();
      assertEquals(await page.getByText("Noor").count(), 0);
      await page.goto(`${stack.console}/people?workspace_id=${stack.other.workspace_id}`);
      await page.getByRole("heading", { name: "There is no such workspace for you" }).waitFor();
      await lookAt(page, "not-your-workspace");
      await page.getByRole("link", { name: "Go to your own" }).click();
      await heading(page, "Tasks").waitFor();
    });
  } finally {
    await sql`delete from framed.members where workspace_id = ${second}`;
  }
});

consoleTest("what waits on another workspace is told on the tasks of this one, and leads there", async () => {
  const { define, propose } = callStack(stack);
  const second = await addWorkspace(sql, {
    beside: stack.workspace_id,
    name: "<b>Third</b> shop",
    members: [{ email: stack.member.email, role: "member" }],
  });
  await define(fixtureFile({ slug: "book_a_room", access: "write" }));
  await propose("book_a_room", {});
  try {
    await visit(stack.member, `/tasks?workspace_id=${second}`, async ({ page }) => {
      await page.getByRole("heading", { name: "Nothing waits for a decision" }).waitFor();
      const elsewhere = page.getByRole("list", { name: "On your other workspaces" });
      await lookAt(page, "tasks-elsewhere");
      await elsewhere.getByRole("link", { name: /^1 waits on / }).click();
      await page.getByRole("article").waitFor();
      assertEquals(new URL(page.url()).searchParams.get("workspace_id"), stack.workspace_id);
      await navigation(page).getByRole("link", { name: /^Tasks\s*1\s*waiting/ }).waitFor();
      assertEquals(await elsewhere.count(), 0);
    });
  } finally {
    await sql`delete from framed.members where workspace_id = ${second}`;
  }
});

consoleTest("who is on no workspace is told their id and has a way out", async () => {
  const nobody = await addPerson(sql, "Nia Nobody");
  await visit(null, "/tasks", async ({ page }) => {
    await signIn(page, nobody);
    await page.getByRole("heading", { name: "You are on no workspace yet" }).waitFor();
    await page.getByText(nobody.id).waitFor();
    await page.getByRole("button", { name: "Sign in as somebody else" }).click();
    await signIn(page, stack.member);
    await heading(page, "Tasks").waitFor();
    assertEquals(await page.getByText(nobody.id).count(), 0);
  });
});

consoleTest("the theme that was chosen is kept, before anything is painted", async () => {
  await visit(stack.member, "/people", async ({ page, context }) => {
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByLabel("Dark").check();
    const paper = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const dark = await paper();
    await page.reload();
    await heading(page, "People and keys").waitFor();
    assertEquals(await paper(), dark);
    const other = await context.newPage();
    await other.goto(stack.console);
    assertEquals(await other.evaluate("document.documentElement.dataset.theme"), "dark");
    await page.getByRole("button", { name: "Account" }).click();
    assert(await page.getByLabel("Dark").isChecked());
    await page.getByLabel("As the system").check();
    assert(await paper() !== dark);
    await page.reload();
    assertEquals(await page.evaluate("document.documentElement.dataset.theme ?? null"), null);
  }, { colorScheme: "light" });
});

consoleTest("by keyboard: past the navigation, into a dialog and back to where one was", async () => {
  await visit(stack.member, "/people", async ({ page }) => {
    await page.getByText("Noor").waitFor();
    await page.getByRole("button", { name: "Account" }).focus();
    await page.keyboard.press("Shift+Tab");
    assertEquals(await focused(page), "Go to the page");
    assertEquals(
      await page.evaluate("getComputedStyle(document.activeElement).clipPath"),
      "none",
      "it shows",
    );
    await page.keyboard.press("Enter");
    assertEquals(await page.evaluate("document.activeElement.id"), "content");
    await page.keyboard.press("Tab");
    assertMatch(await focused(page), /^People$/, "the next stop is in the page");
    await page.keyboard.press("ArrowRight");
    assertEquals(await focused(page), "Keys");
    await page.keyboard.press("Enter");
    await page.getByText("Demo key").waitFor();

    await page.getByRole("button", { name: "Account" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Account" });
    await dialog.waitFor();
    assert(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null"));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assertEquals(await focused(page), "Account");
  });
});

consoleTest("the browser and the stack end", async () => {
  await sql.end();
  await under.stop();
});
