/** One approval in a real browser: what became of it, and what follows. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";
import { callStack } from "../testing/stack-caller.ts";
import { startTaskSystem, TASK_TOOLS, upstreamsOf } from "../testing/task-tools.ts";

const system = startTaskSystem();
const { stack, visit, stop } = await openConsole({
  env: { FRAMED_LOCAL_UPSTREAMS: upstreamsOf(system) },
});
const { ask, define, propose, tick } = callStack(stack);
for (const tool of TASK_TOOLS) await define(tool);

const approveButton = (page: Page) => page.getByRole("button", { name: "Approve", exact: true });
const sentTo = (path: string) =>
  system.requests.filter(({ method, target }) => method === "POST" && target === path);

consoleTest("what nobody can tell the end of is not sent again, and is settled by a person", async () => {
  const id = await propose("pay_broken", { number: "2026-0120" });
  await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).click();
    await page.getByText("Nobody can tell whether it was done").waitFor();
    await page.getByText("It was sent once and is not sent again.").waitFor();
    await lookAt(page, "task-unknown");
    await page.getByRole("button", { name: "It was not done" }).click();
    await page.getByRole("button", { name: "Settle" }).click();
    await page.getByText("Say where you looked, or who told you.").waitFor();
    await page.getByLabel("How you know").fill("The ledger does not have it.");
    await lookAt(page, "task-settle");
    await page.getByRole("button", { name: "Settle" }).click();
    await page.getByText("It failed", { exact: true }).waitFor();
    await page.getByText("The ledger does not have it.").first().waitFor();
    assertEquals(sentTo("/broken").length, 1);
  });
});

consoleTest("what was sent and refused says why", async () => {
  const id = await propose("pay_refused", { number: "2026-0123" });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).click();
    await page.getByText("It failed", { exact: true }).waitFor();
    await page.getByText("this invoice is booked already").first().waitFor();
    await lookAt(page, "task-failed");
  });
});

consoleTest("a follow-up tells its story, and is stopped", async () => {
  const id = await propose("stage", { number: "2026-0130" });
  await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).click();
    const card = page.getByRole("region", { name: "Follow-up" });
    await card.getByText("Concept invoice 2026-0130").waitFor();
    await card.getByText("Not checked yet").waitFor();
    const { follow_up } = await ask(`/approvals/${id}`);
    const wroteAt = Date.parse(follow_up.next_check_at) - 2 * 3_600_000;
    const at = (hours: number) => new Date(wroteAt + hours * 3_600_000);
    await tick(at(2));
    await page.reload();
    await card.getByText("Checked once: it still waits").waitFor();
    for (const hours of [4, 8, 12, 36, 168]) await tick(at(hours));
    await page.reload();
    await card.getByText(/had waited so long that Catch up says so/).waitFor();
    await card.getByText(/^Checked \d times, the last one: it still waits/).waitFor();
    await lookAt(page, "task-follow-up");
    await card.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Stop it" }).click();
    await card.getByText("Stopped by").waitFor();
    await lookAt(page, "task-follow-up-stopped");
  });
  assertEquals((await ask(`/approvals/${id}`)).follow_up.stopped_by.name, "Sam Member");
});

consoleTest("a follow-up that finds it done says so", async () => {
  const id = await propose("stage", { number: "2026-0131" });
  const { digest } = await ask(`/approvals/${id}`, { as: "admin" });
  const { follow_up } = await ask(`/approvals/${id}/decision`, {
    as: "admin",
    body: { decision: "approve", digest },
  });
  system.booked.add("2026-0131");
  await tick(new Date(follow_up.next_check_at));
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await page.getByRole("region", { name: "Follow-up" }).getByText("Checked once: it is done").waitFor();
    assertEquals(await page.getByRole("button", { name: "Stop" }).count(), 0);
  });
});

consoleTest("an answer that is long is read in pages", async () => {
  const id = await propose("export_lines", { number: "2026-0160" });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).click();
    await page.getByText("This is the beginning of a long answer.").waitFor();
    await page.getByRole("button", { name: "Read the whole answer" }).click();
    await page.getByText("50 of 900 are read").waitFor();
    await page.getByRole("button", { name: "Read the next page" }).click();
    await page.getByText("100 of 900 are read").waitFor();
    await lookAt(page, "task-long-answer");
  });
});

consoleTest("it prints on a clean sheet, with everything that says what was decided", async () => {
  const id = await propose("pay", { number: "2026-0190", amount: 77, note: "line\nbreak", urgent: false });
  await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).click();
    await page.getByText("Sent, and taken").waitFor();
    await page.evaluate("globalThis.print = () => { document.title = 'printed'; }");
    await page.getByRole("button", { name: "Print" }).click();
    assertEquals(await page.title(), "printed");
    await page.setViewportSize({ width: 794, height: 1_123 });
    await page.emulateMedia({ media: "print" });
    const { digest } = await ask(`/approvals/${id}`, { as: "admin" });
    const sheet = await page.locator("body").innerText();
    for (
      const told of [id, digest, "Noor Admin", "Sam Member", "2026-0190", "77", "false", "ledger.example"]
    ) {
      assert(sheet.includes(told), `${told} is on the sheet`);
    }
    assertMatch(sheet, /Printed \w+ \d+, 20\d\d/);
    for (const gone of ["All tasks", "Connections", "Catch up", "just now"]) {
      assert(!sheet.includes(gone), `${gone} is not on the sheet`);
    }
    assertEquals(await page.getByRole("button").count(), 0, "nothing to press on paper");
    await page.screenshot({
      path: join(import.meta.dirname!, "..", "..", "screenshots", "task-print.png"),
      fullPage: true,
    });
    const pdf = await page.pdf({ format: "A4" });
    assertEquals(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length, 1, "it fits on one page");
  });
});

consoleTest("what nobody decided in time says so", async () => {
  const id = await propose("pay", { number: "2026-0195", amount: 1 });
  const { expires_at } = await ask(`/approvals/${id}`);
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).waitFor();
    await tick(new Date(Date.parse(expires_at) + 1_000));
    // Seen without a reload.
    await page.getByText("Nobody decided in time. Nothing was sent.").waitFor();
    assertEquals(await approveButton(page).count(), 0);
    await lookAt(page, "task-expired");
  });
});

consoleTest("the stack ends", async () => {
  await stop();
  await system.close();
});
