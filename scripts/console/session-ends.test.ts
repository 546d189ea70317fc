/** A session that ends while somebody works, in a real browser: nothing typed is lost, and nobody sees what was another's. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { consoleTest, lookAt, openConsole, signIn } from "../testing/console.ts";
import { endSessionsOf, letTokenRunOut } from "../testing/sign-in-people.ts";

const under = await openConsole();
const { stack, visit } = under;
const sql = postgres(stack.database);

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const navigation = (page: Page) => page.getByRole("navigation", { name: "Console" });
const ended = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });
/** Visits with a session of its own, which the test may end. */
const visitAfresh: typeof visit = (visitor, path, work, options) =>
  visit(visitor, path, work, { ...options, fresh: true });

consoleTest(
  "a session that ends over a form keeps what was typed, and sends it once after signing in again",
  async () => {
    await visitAfresh(stack.admin, "/people?tab=keys", async ({ page }) => {
      await page.getByRole("button", { name: "Issue a key" }).click();
      const form = page.getByRole("dialog", { name: "Issue a key" });
      await form.getByLabel("Name").fill("Typed before");
      await form.getByLabel("How long it is good").selectOption("A year");
      await endSessionsOf(sql, stack.admin);
      await letTokenRunOut(page);
      let [sent, done] = [0, 0];
      page.on("request", (request) => isIssue(request.method(), request.url()) && sent++);
      page.on("response", (response) => isIssue(response.request().method(), response.url()) && done++);
      await form.getByRole("button", { name: "Issue" }).click();
      await ended(page).waitFor();
      await ended(page).getByText(`Sign in again as ${stack.admin.email}`).waitFor();
      assertEquals(await page.evaluate("document.activeElement.name"), "password");
      await lookAt(page, "session-ended");
      assertEquals(sent, 0);

      // Escape closes neither, and Tab stays in it.
      await page.keyboard.press("Escape");
      assert(await ended(page).isVisible());
      for (let press = 0; press < 5; press++) {
        await page.keyboard.press("Tab");
        assertEquals(
          await page.evaluate(
            "document.activeElement.closest('[role=dialog]')?.textContent.includes('has ended') ?? document.activeElement.hasAttribute('data-base-ui-focus-guard')",
          ),
          true,
          `the focus is in it after ${press + 1} tabs`,
        );
      }
      await ended(page).getByLabel("Password").fill("not theirs");
      await ended(page).getByRole("button", { name: "Sign in", exact: true }).click();
      await ended(page).getByRole("alert").filter({ hasText: "do not belong together" }).waitFor();
      await ended(page).getByLabel("Password").fill(stack.admin.password);
      await ended(page).getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("dialog", { name: "The key Typed before" }).waitFor();
      assertEquals(await ended(page).count(), 0);
      assertEquals([sent, done], [1, 1]);
      await page.getByRole("button", { name: "I have kept it" }).click();
      await page.getByText("The key Typed before is issued.").waitFor();
      const [row] = await sql`select count(*)::int as count from framed.api_keys where name = 'Typed before'`;
      assertEquals(row!.count, 1);
    }, { maySay: /400/ });
  },
);

consoleTest(
  "whoever signs in instead sees nothing of who was there, and what they had typed is not sent",
  async () => {
    await visitAfresh(stack.admin, "/people?tab=keys", async ({ page }) => {
      await page.getByRole("button", { name: "Issue a key" }).click();
      const form = page.getByRole("dialog", { name: "Issue a key" });
      await form.getByLabel("Name").fill("Typed by the first");
      await endSessionsOf(sql, stack.admin);
      await letTokenRunOut(page);
      await form.getByRole("button", { name: "Issue" }).click();
      await ended(page).getByRole("button", { name: "Leave, and sign in as somebody else" }).click();
      await heading(page, "Sign in").waitFor();
      assertEquals(await page.getByRole("dialog").count(), 0);
      await signIn(page, stack.member);
      await page.getByText("Demo key").waitFor();
      const content = await page.content();
      assertEquals([content.includes(stack.admin.email), content.includes("Typed by the first")], [
        false,
        false,
      ]);
      assertEquals(await page.getByRole("button", { name: "Issue a key" }).count(), 0);
      const [row] =
        await sql`select count(*)::int as count from framed.api_keys where name = 'Typed by the first'`;
      assertEquals(row!.count, 0);
    }, { maySay: /400/ });
  },
);

consoleTest(
  "a token that ran out is renewed unasked, also when it was refused, and what was sent is done once",
  async () => {
    await visitAfresh(stack.admin, "/people?tab=keys", async ({ page }) => {
      await page.getByRole("button", { name: "Issue a key" }).click();
      const form = page.getByRole("dialog", { name: "Issue a key" });
      await form.getByLabel("Name").fill("Renewed");
      await letTokenRunOut(page);
      await form.getByRole("button", { name: "Issue" }).click();
      await page.getByRole("button", { name: "I have kept it" }).click();

      // The API refuses a token that looked good here, as with a clock that goes wrong.
      await page.getByRole("button", { name: "Issue a key" }).click();
      await form.getByLabel("Name").fill("Refused first");
      let isFirst = true;
      await page.route(/\/keys$/, async (route, request) => {
        if (request.method() !== "POST" || !isFirst) return await route.continue();
        isFirst = false;
        await route.continue({ headers: { ...request.headers(), authorization: "Bearer e30.e30.e30" } });
      });
      await form.getByRole("button", { name: "Issue" }).click();
      await page.getByRole("button", { name: "I have kept it" }).click();
      const rows =
        await sql`select name from framed.api_keys where name in ('Renewed', 'Refused first') order by name`;
      assertEquals(rows.map(({ name }) => name), ["Refused first", "Renewed"]);
    }, { maySay: /401/ });
  },
);

consoleTest("where the API is away the page says so, and goes on when it is back", async () => {
  await visitAfresh(stack.member, "/tasks", async ({ page }) => {
    await heading(page, "Tasks").waitFor();
    await page.route(`${stack.api}/**`, (route) => route.abort());
    await navigation(page).getByRole("link", { name: "People" }).click();
    const away = page.getByRole("main").getByRole("alert").filter({ hasText: "Framed could not be reached" });
    await away.waitFor();
    await lookAt(page, "api-away");
    await page.unroute(`${stack.api}/**`);
    await away.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Noor").waitFor();
    assertEquals(await away.count(), 0);

    // A token that ran out while sign-in is away is no session that has ended.
    await page.route(`${stack.auth}/**`, (route) => route.abort());
    await letTokenRunOut(page);
    await page.getByRole("tab", { name: "Keys" }).click();
    await away.waitFor();
    assertEquals(await ended(page).count(), 0);
    // Sign-in's own client asks again by itself; until then the page has what to press.
    const renewed = page.waitForResponse(
      (response) => response.url().includes("grant_type=refresh_token") && response.ok(),
      { timeout: 60_000 },
    );
    await page.unroute(`${stack.auth}/**`);
    await renewed;
    await away.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Demo key").waitFor();
  }, { maySay: /Failed to load|ERR_FAILED/ });
  await visit(null, "/tasks", async ({ page }) => {
    await page.route(`${stack.auth}/**`, (route) => route.abort());
    await signIn(page, stack.member);
    await page.getByRole("alert").filter({ hasText: "Sign-in cannot be reached right now" }).waitFor();
    await page.unroute(`${stack.auth}/**`);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await heading(page, "Tasks").waitFor();
  }, { maySay: /Failed to load|ERR_FAILED/ });
});

function isIssue(method: string, url: string): boolean {
  return method === "POST" && url.endsWith("/keys");
}

consoleTest("the browser and the stack end", async () => {
  await sql.end();
  await under.stop();
});
