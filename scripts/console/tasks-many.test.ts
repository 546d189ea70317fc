/** A thousand approvals that wait, in a real browser: all of them are reached, few stand in the page, and it never stalls. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { traceMainThread } from "../testing/browser-trace.ts";
import { consoleTest, openConsole, waitUntil } from "../testing/console.ts";
import { goThrough } from "../testing/task-tools.ts";
import { callStack } from "../testing/stack-caller.ts";
import { startTaskSystem, upstreamsOf } from "../testing/task-tools.ts";
import { seedWaitingApprovals } from "../testing/waiting-approvals.ts";

const COUNT = 1_000;
/**
 * The longest a task of the page's main thread may be at work. What other programs take from it is not the page's: on a
 * busy machine a task of 10 ms may wait half a second for its turn.
 */
const MOST_MS = 100;
/** Cards that may stand in the page at once. */
const MOST_CARDS = 40;

const system = startTaskSystem();
const { stack, visit, stop } = await openConsole({ env: { FRAMED_LOCAL_UPSTREAMS: upstreamsOf(system) } });
await seedWaitingApprovals(stack, { count: COUNT });

const cards = (page: Page) => page.getByRole("article");
const sent = () => system.requests.filter(({ method }) => method === "POST").length;

/** Scrolls to the end as with a wheel, whatever is still to be read on the way. Gives the most cards there were at once. */
async function scrollToEnd(page: Page): Promise<number> {
  let most = 0;
  const seen = new Set<number>();
  for (;;) {
    const places = await page.evaluate<[number, number][]>(
      `[...document.querySelectorAll("article")].map((card) => [+card.ariaPosInSet, +card.ariaSetSize])`,
    );
    most = Math.max(most, places.length);
    for (const [place] of places) seen.add(place);
    if (places.some(([place, of]) => place === of)) break;
    await page.mouse.wheel(0, 1_600);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }
  const last = Math.max(...seen);
  assertEquals(seen.size, last, "no card was left out on the way");
  return most;
}

/** Approves one, rejects one and approves three at once, all at the end of the list. */
async function decideSome(page: Page): Promise<void> {
  const decidable = cards(page).filter({ has: page.getByRole("button", { name: "Approve", exact: true }) });
  const before = sent();
  const one = decidable.nth(-5);
  const id = await one.getAttribute("data-id");
  await one.getByRole("button", { name: "Approve", exact: true }).click();
  await page.locator(`article[data-id="${id}"]`).getByText("Approved by you").waitFor();

  const other = decidable.last();
  const otherId = await other.getAttribute("data-id");
  await other.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reject", exact: true }).click();
  await page.locator(`article[data-id="${otherId}"]`).getByText("Rejected by you").waitFor();

  for (let n = 1; n <= 3; n++) await decidable.nth(-n).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Approve 3" }).click();
  await goThrough(page.getByRole("dialog"));
  await page.getByRole("dialog").getByRole("button", { name: "Approve 3" }).click();
  await page.getByRole("heading", { name: "All 3 were approved" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  assertEquals(sent(), before + 4);
}

consoleTest(
  `${COUNT} that wait are scrolled and decided with no task of the page over ${MOST_MS} ms`,
  async () => {
    await visit(stack.admin, "/tasks", async ({ page }) => {
      await cards(page).first().waitFor();
      await page.mouse.move(640, 500);
      let most = 0;
      const tasks = await traceMainThread(page, async () => {
        most = await scrollToEnd(page);
        await decideSome(page);
      });
      const longest = tasks.toSorted((a, b) => b.busyMs - a.busyMs)[0]!;
      console.log(
        `${tasks.length} tasks, the longest at work for ${longest.busyMs.toFixed(1)} ms (${
          longest.ms.toFixed(1)
        } ms from begin to end; of all ${tasks[0]!.ms.toFixed(1)} ms), at most ${most} cards in the page`,
      );
      assert(most <= MOST_CARDS, `${most} cards stood in the page at once`);
      assert(longest.busyMs <= MOST_MS, `a task was at work for ${longest.busyMs.toFixed(1)} ms`);
    });
  },
);

consoleTest(
  "every one of them is reached by keyboard, and what has the focus stays in the page",
  async () => {
    await visit(stack.member, "/tasks", async ({ page }) => {
      await cards(page).first().waitFor();
      await cards(page).first().focus();
      for (const place of [2, 3, 4]) {
        await page.keyboard.press("PageDown");
        await waitUntil(page, `document.activeElement.ariaPosInSet === "${place}"`);
      }
      await page.keyboard.press("PageUp");
      await waitUntil(page, `document.activeElement.ariaPosInSet === "3"`);
      const id = await page.evaluate<string>("document.activeElement.dataset.id");
      await page.mouse.move(640, 500);
      await page.mouse.wheel(0, 12_000);
      await waitUntil(
        page,
        `[...document.querySelectorAll("article")].some((card) => card.ariaPosInSet > 18)`,
      );
      assertEquals(await page.evaluate("document.activeElement.dataset.id"), id);
      // From card to card with Tab: what comes next is there before one gets to it.
      await page.keyboard.press("PageDown");
      await waitUntil(page, `document.activeElement.ariaPosInSet === "4"`);
      await page.keyboard.press("Control+End");
      await waitUntil(page, `+document.activeElement.ariaPosInSet >= 25`);
    });
  },
);

consoleTest("what is read stays where it is when a card above it goes", async () => {
  const { ask } = callStack(stack);
  await visit(stack.member, "/tasks", async ({ page }) => {
    await cards(page).first().waitFor();
    await page.mouse.move(640, 500);
    await page.mouse.wheel(0, 4_000);
    await page.locator('article[aria-posinset="8"]').waitFor();
    const under = "document.elementFromPoint(640, 500).closest('article')";
    await waitUntil(page, `${under}?.previousElementSibling`);
    const [id, above] = await page.evaluate<[string, string]>(
      `[${under}.dataset.id, ${under}.previousElementSibling.dataset.id]`,
    );
    const topOf = () =>
      page.evaluate<number>(`document.querySelector('article[data-id="${id}"]').getBoundingClientRect().top`);
    const before = await topOf();
    const { digest } = await ask(`/approvals/${above}`);
    await ask(`/approvals/${above}/decision`, { as: "admin", body: { decision: "reject", digest } });
    const gone = page.locator(`article[data-id="${above}"]`);
    await gone.getByText("Rejected by Noor Admin").waitFor({ state: "attached" });
    const told = await topOf();
    await gone.waitFor({ state: "detached" });
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const after = await topOf();
    assert(Math.abs(after - told) <= 2, `it moved from ${told} to ${after} when the card above went`);
    assert(
      Math.abs(told - before) <= 2,
      `it moved from ${before} to ${told} when the card above told who decided`,
    );
  });
});

consoleTest("the stack and the browser end", async () => {
  await stop();
  await system.close();
});
