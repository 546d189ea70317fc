/** What comes in between, in a real browser: no press and no decision meant for what was there before reaches what is there now. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { consoleTest, openConsole, signIn } from "../testing/console.ts";
import { callStack } from "../testing/stack-caller.ts";
import { startTaskSystem, TASK_TOOLS, upstreamsOf } from "../testing/task-tools.ts";

const system = startTaskSystem();
const { stack, visit, stop } = await openConsole({ env: { FRAMED_LOCAL_UPSTREAMS: upstreamsOf(system) } });
const { define, propose } = callStack(stack);
for (const tool of TASK_TOOLS) await define(tool);

/** Of requests that are refused, as the browser tells of them. */
const REFUSED = { maySay: /Failed to load resource: .* 4\d\d/ };
const ordersSent = () => system.requests.filter(({ target }) => target === "/orders").length;

/** Presses the button of this name the very moment it stands beside `text`, once, as a second press of an earlier button would. */
async function pressAsSoonAsThere(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    `new MutationObserver((_, observer) => {
      if (!document.body.textContent.includes(${JSON.stringify(text)})) return;
      const button = [...document.querySelectorAll("button")].find((one) => one.textContent === ${
      JSON.stringify(name)
    });
      if (button === undefined) return;
      observer.disconnect();
      button.click();
      document.documentElement.dataset.pressed = "";
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`,
  );
}

const wasPressed = (page: Page) => page.locator("html[data-pressed]").waitFor();

consoleTest("a second press that lands on the fresh card approves nothing, on its page", async () => {
  system.rate = "1.08";
  const id = await propose("order", { number: "EUR 1" });
  await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
    const approve = page.getByRole("button", { name: "Approve", exact: true });
    await approve.waitFor();
    const decided: string[] = [];
    page.on("request", (one) => one.url().endsWith("/decision") && decided.push(one.url()));
    await pressAsSoonAsThere(page, "Approve", "Nothing was sent: what you looked at has changed.");
    system.rate = "1.31";
    await approve.click();
    await wasPressed(page);
    const before = ordersSent();
    // Playwright waits until it can be pressed.
    await approve.click({ trial: true });
    assertEquals(decided, [`${stack.api}/approvals/${id}/decision`]);
    await approve.click();
    await page.getByText("Sent, and taken").waitFor();
    assertEquals(ordersSent(), before + 1);
  }, REFUSED);
});

consoleTest("nor in the list", async () => {
  system.rate = "1.08";
  const id = await propose("order", { number: "EUR 2" });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const card = page.getByRole("article").filter({ hasText: "EUR 2" });
    const approve = card.getByRole("button", { name: "Approve", exact: true });
    await approve.waitFor();
    const decided: string[] = [];
    page.on("request", (one) => one.url().endsWith("/decision") && decided.push(one.url()));
    await pressAsSoonAsThere(page, "Approve", "This changed since you looked: nothing was sent");
    system.rate = "1.31";
    await approve.click();
    await wasPressed(page);
    await approve.click({ trial: true });
    assertEquals(decided, [`${stack.api}/approvals/${id}/decision`]);
    await approve.click();
    await card.getByText("Approved by you").waitFor();
  }, REFUSED);
});

consoleTest("the question about several says of each what it does and which rule asks for whom", async () => {
  await propose("pay", { number: "2026-0901", amount: 20_000 });
  await visit(stack.admin, "/tasks", async ({ page }) => {
    await page.getByRole("article").filter({ hasText: "2026-0901" }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Approve 1" }).click();
    const row = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "2026-0901" });
    await row.getByText("Above 10,000 an administrator decides.").first().waitFor();
    await row.getByText("Changes something").waitFor();
  });
});

consoleTest("a key that is shown once outlives a second press of what issued it", async () => {
  await visit(stack.admin, "/people?tab=keys", async ({ page }) => {
    await page.getByRole("button", { name: "Issue a key" }).click();
    const form = page.getByRole("dialog", { name: "Issue a key" });
    await form.getByLabel("Name").fill("Pressed twice");
    await pressAsSoonAsThere(page, "I have kept it", "This is shown now and never again");
    await form.getByRole("button", { name: "Issue" }).click();
    await wasPressed(page);
    const once = page.getByRole("dialog", { name: "The key Pressed twice" });
    assert((await once.getByLabel("Key").inputValue()).length > 20);
    await once.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText("The key Pressed twice is issued.").waitFor();
  });
});

consoleTest("what one person sent and was refused is not sent again as the next one", async () => {
  await visit(null, "/people?tab=keys", async ({ page, context }) => {
    await signIn(page, stack.admin);
    await page.getByRole("button", { name: "Issue a key" }).click();
    const form = page.getByRole("dialog", { name: "Issue a key" });
    await form.getByLabel("Name").fill("Of the first");
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let sent = 0;
    await page.route(/\/keys$/, async (route, request) => {
      if (request.method() !== "POST") return await route.continue();
      sent++;
      arrived.resolve();
      await answered.promise;
      // The API refuses it: the token has run out on the way.
      await route.continue({ headers: { ...request.headers(), authorization: "Bearer e30.e30.e30" } });
    });
    await form.getByRole("button", { name: "Issue" }).click();
    await arrived.promise;
    const other = await context.newPage();
    await other.goto(`${stack.console}/people`);
    await other.getByRole("button", { name: "Account" }).click();
    await other.getByRole("button", { name: "Sign out" }).click();
    await signIn(other, stack.member);
    await other.getByText("Noor").waitFor();
    await page.getByText("Demo key").waitFor();
    const refused = page.waitForResponse((response) =>
      response.url().endsWith("/keys") && response.request().method() === "POST"
    );
    answered.resolve();
    assertEquals((await refused).status(), 401);
    await page.getByRole("link", { name: "Log" }).click();
    await page.getByRole("heading", { level: 1, name: "Log" }).waitFor();
    assertEquals(sent, 1);
  }, { maySay: /40[13]/ });
});

consoleTest("the log shows arguments line by line, and marks only what a stranger wrote", async () => {
  await visit(stack.admin, "/log?tool=pay", async ({ page }) => {
    const row = page.getByRole("region", { name: "Rows" }).getByRole("listitem").first();
    await row.locator("summary").click();
    const shown = await row.locator("pre").innerText();
    assert(shown.split("\n").length > 2, shown);
    assert(!shown.includes("LINE FEED"), shown);
  });
});

globalThis.addEventListener("unload", () => void system.close());
consoleTest("the browser and the stack end", stop);
