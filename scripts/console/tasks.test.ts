/** The list of tasks in a real browser: what programs ask for comes by itself, is looked at, and decided. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { consoleTest, lookAt, openConsole, waitUntil } from "../testing/console.ts";
import { openHost } from "../testing/mcp-host.ts";
import { callStack } from "../testing/stack-caller.ts";
import { goThrough, startTaskSystem, TASK_TOOLS, upstreamsOf } from "../testing/task-tools.ts";

const system = startTaskSystem();
const { stack, visit, stop } = await openConsole({ env: { FRAMED_LOCAL_UPSTREAMS: upstreamsOf(system) } });
const { ask, define, propose } = callStack(stack);
for (const tool of TASK_TOOLS) await define(tool);

/** Of requests that are refused, as the browser tells of them. */
const REFUSED = { maySay: /Failed to load resource: .* 4\d\d/ };
/** The card that shows `text`. */
const card = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const approve = (where: Locator) => where.getByRole("button", { name: "Approve", exact: true });
const reject = (where: Locator) => where.getByRole("button", { name: "Reject", exact: true });
const lastSent = () => JSON.parse(system.requests.at(-1)!.body);
const sentWith = (number: string) =>
  system.requests.filter(({ method, body }) => method === "POST" && body.includes(number)).length;

consoleTest(
  "while nothing waits, the page says how something would, and what comes then comes by itself",
  async () => {
    await visit(stack.member, "/tasks", async ({ page }) => {
      await page.getByRole("heading", { name: "Nothing waits for a decision" }).waitFor();
      await page.getByText(`${stack.api}/connect/mcp`).waitFor();
      await lookAt(page, "tasks-empty");
      const args = { number: "2026-0001", amount: 412.5, supplier: "Bakkerij Zonneveld", urgent: true };
      await propose("pay", args);
      const first = card(page, "2026-0001");
      await first.getByRole("heading", { name: "Pay an invoice" }).waitFor();
      await first.getByText("ledger.example").waitFor();
      assertEquals(sentWith("2026-0001"), 0, "looking sends nothing");

      const host = await openHost(new URL(`${stack.api}/connect/mcp`), {
        era: "2026-07-28",
        headers: { "x-framed-api-key": stack.api_key },
      });
      const { isError, text } = await host.call("framed_tool", {
        tool: "pay",
        args: { number: "2026-0002", amount: 12 },
      });
      assert(!isError, text);
      await host.close();
      const before = await first.boundingBox();
      await page.getByRole("button", { name: "Show 1 new" }).waitFor();
      assertEquals(await first.boundingBox(), before, "what is read stays where it is");
      await page.getByRole("button", { name: "Show 1 new" }).click();
      await card(page, "2026-0002").waitFor();
      assertEquals(
        await page.getByRole("article").first().innerText().then((text) => /2026-0002/.test(text)),
        true,
      );
      await lookAt(page, "tasks-waiting");

      await approve(first).click();
      await first.getByText("Approved by you").waitFor();
      assertEquals(lastSent(), args, "the other system got exactly what was shown");
      assertEquals(
        await page.evaluate("document.activeElement.closest('article')?.textContent.includes('2026-0001')"),
        true,
        "the focus stays with what was decided",
      );
      await first.waitFor({ state: "detached", timeout: 12_000 });
    });
  },
);

consoleTest("a rejection tells whoever asked why, and nothing is sent", async () => {
  const id = await propose("pay", { number: "2026-0010", amount: 3 });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const one = card(page, "2026-0010");
    await reject(one).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Why, if you like").fill("It was paid by hand.");
    await lookAt(page, "tasks-reject");
    await dialog.getByRole("button", { name: "Reject", exact: true }).click();
    await one.getByText("Rejected by you").waitFor();
    await one.getByText("It was paid by hand.").waitFor();
    await waitUntil(page, "document.activeElement.closest('article')?.textContent.includes('2026-0010')");
  });
  const { status, reject_reason } = await ask(`/approvals/${id}`);
  assertEquals([status, reject_reason], ["rejected", "It was paid by hand."]);
  assertEquals(sentWith("2026-0010"), 0);
});

consoleTest("of two browsers that decide at once, one is told who was first and when", async () => {
  await propose("pay", { number: "2026-0020", amount: 3 });
  await visit(stack.admin, "/tasks", async ({ page: mine }) => {
    await visit(stack.member, "/tasks", async ({ page: theirs }) => {
      const [here, there] = [card(mine, "2026-0020"), card(theirs, "2026-0020")];
      await Promise.all([approve(here).waitFor(), approve(there).waitFor()]);
      await Promise.all([approve(here).click(), approve(there).click()]);
      await Promise.all([here.getByText("Approved by").waitFor(), there.getByText("Approved by").waitFor()]);
      const told = await Promise.all([here.innerText(), there.innerText()]);
      const [winner, loser] = /Approved by you/.test(told[0]!) ? told : told.toReversed();
      assertMatch(winner!, /Approved by you just now/);
      assertMatch(loser!, /Your decision was not taken: this had ended before\./);
      assertMatch(loser!, /Approved by (?:Noor Admin|Sam Member) just now/);
    }, REFUSED);
  }, REFUSED);
  assertEquals(sentWith("2026-0020"), 1);
});

consoleTest("what somebody else decided says who, and goes", async () => {
  const id = await propose("pay", { number: "2026-0030", amount: 3 });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const one = card(page, "2026-0030");
    await approve(one).waitFor();
    const { digest } = await ask(`/approvals/${id}`);
    await ask(`/approvals/${id}/decision`, {
      as: "admin",
      body: { decision: "reject", digest, reason: "No." },
    });
    await one.getByText("Rejected by Noor Admin").waitFor();
    assertEquals(await approve(one).count(), 0);
    await one.waitFor({ state: "detached" });
  });
});

consoleTest("several are decided at once, as they were shown, and each says what became of it", async () => {
  const numbers = ["2026-0041", "2026-0042", "2026-0043", "2026-0044"];
  const ids: string[] = [];
  for (const number of numbers) ids.push(await propose("pay", { number, amount: 7 }));
  const order = await propose("order", { number: "O-1" });
  await visit(stack.member, "/tasks", async ({ page }) => {
    for (const number of [...numbers.slice(0, 3), "O-1"]) {
      await card(page, number).getByRole("checkbox").check();
    }
    await page.getByRole("button", { name: "Approve 4" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Approve these 4?" }).waitFor();
    for (const number of [...numbers.slice(0, 3), "O-1"]) {
      await dialog.getByText(number, { exact: true }).waitFor();
    }
    assertEquals(await dialog.getByText("2026-0044").count(), 0, "what was not selected is not in it");
    await lookAt(page, "tasks-several");
    // In the meantime one is decided by somebody else, and what another one showed has changed.
    const { digest } = await ask(`/approvals/${ids[1]}`);
    await ask(`/approvals/${ids[1]}/decision`, { as: "admin", body: { decision: "reject", digest } });
    system.rate = "1.31";
    assert(await dialog.getByRole("button", { name: "Approve 4" }).isDisabled(), "not all were in sight");
    await goThrough(dialog);
    await dialog.getByRole("button", { name: "Approve 4" }).click();
    await page.getByRole("heading", { name: "2 of 4 were approved" }).waitFor();
    const row = (text: string) => dialog.getByRole("listitem").filter({ hasText: text });
    await row("2026-0041").getByText("Approved by you").waitFor();
    await row("2026-0042").getByText(/Noor Admin rejected this at [A-Z][a-z]{2} \d/).waitFor();
    await row("2026-0043").getByText("Approved by you").waitFor();
    await row("O-1").getByText("What you saw has changed since").waitFor();
    await lookAt(page, "tasks-several-results");
    const { superseded_by: fresh } = await ask(`/approvals/${order}`);
    assertMatch(
      await row("O-1").getByRole("link", { name: "Look at the fresh one" }).getAttribute("href") ?? "",
      new RegExp(`^/tasks/${fresh}\\?`),
    );
    await page.getByRole("button", { name: "Done" }).click();
    const anew = page.locator(`article[data-id="${fresh}"]`);
    await anew.getByText("This changed since you looked: nothing was sent").waitFor();
    await lookAt(page, "tasks-changed");
    await approve(anew).click();
    await anew.getByText("Approved by you").waitFor();
  }, REFUSED);
  assertEquals(numbers.map(sentWith), [1, 0, 1, 0]);
  assertEquals(sentWith("O-1"), 1);
});

consoleTest("a long one is decided after all of it was shown, also among several", async () => {
  const lines = Array.from({ length: 40 }, (_, n) => ({ account: `${4_000 + n}`, text: `Line ${n + 1}` }));
  await propose("import_lines", { number: "L-1", lines });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const one = card(page, "L-1");
    await one.getByText("You decide once all of it was shown.").waitFor();
    assertEquals([await approve(one).count(), await reject(one).count()], [0, 0]);
    assertEquals(await one.getByText("Line 40").count(), 0);
    await one.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Approve 1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 of them is longer than what is shown").waitFor();
    assert(await dialog.getByRole("button", { name: "Approve 1" }).isDisabled());
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await one.getByRole("button", { name: /^Show all: 69 more values/ }).click();
    await one.getByText("Line 40").waitFor();
    await lookAt(page, "tasks-long");
    await approve(one).click();
    await one.getByText("Approved by you").waitFor();
    assertEquals(lastSent(), { number: "L-1", lines });
  });
});

consoleTest("what another wrote stays text, with what hides in it marked", async () => {
  const note = `<img src=x onerror="document.title='broken'"> NL91\u202e0340\u202c\u200b`;
  await define({
    ...TASK_TOOLS.find((tool) => (tool as { slug: string }).slug === "pay"),
    slug: "pay_oddly",
    name: "<b>Pay</b> <script>document.title = 'broken'</script>",
  });
  await propose("pay_oddly", { number: "2026-0050", amount: 1, note });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const one = card(page, "2026-0050");
    await one.getByRole("heading", { name: "<b>Pay</b> <script>document.title = 'broken'</script>" })
      .waitFor();
    await one.getByText("⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩").waitFor();
    await one.getByText(`<img src=x onerror="document.title='broken'"> NL91`).waitFor();
    await one.getByText(/Holds 3 hidden characters, each marked/).waitFor();
    assertEquals(await one.locator("img, b, script").count(), 0);
    assertEquals(await page.title(), "Tasks · Framed");
    await lookAt(page, "tasks-hostile");
  });
});

consoleTest("a member is told what an administrator decides, and what waits for a value", async () => {
  await propose("pay", { number: "2026-0060", amount: 20_000 });
  await propose("pay_secretly", { number: "2026-0061" });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const large = card(page, "2026-0060");
    await large.getByText("Above 10,000 an administrator decides.").waitFor();
    await large.getByText("An administrator of this workspace decides about this.").waitFor();
    assertEquals([await approve(large).count(), await large.getByRole("checkbox").count()], [0, 0]);
    const secret = card(page, "2026-0061");
    await secret.getByText("CONNECTOR_VAULT").waitFor();
    assert(await approve(secret).isDisabled());
    await lookAt(page, "tasks-conditions");
  });
  await visit(stack.admin, "/tasks", async ({ page }) => {
    const large = card(page, "2026-0060");
    await approve(large).click();
    await large.getByText("Approved by you").waitFor();
    assertEquals(sentWith("2026-0060"), 1);
  });
});

consoleTest(
  "where nobody approves what they asked for, the card says so and waits for somebody else",
  async () => {
    const workspace = `/workspaces/${stack.workspace_id}`;
    await ask(workspace, { as: "admin", method: "PATCH", body: { approver_is_not_requester: true } });
    // The key acts as the administrator.
    await propose("pay", { number: "2026-0065", amount: 3 });
    await visit(stack.admin, "/tasks", async ({ page }) => {
      const one = card(page, "2026-0065");
      await one.getByText("You asked for this yourself, and on this workspace somebody else approves it.")
        .waitFor();
      assertEquals([await approve(one).count(), await one.getByRole("checkbox").count()], [0, 0]);
      assert(await reject(one).isEnabled());
      await lookAt(page, "tasks-own-request");
    });
    assertEquals(sentWith("2026-0065"), 0);
    await visit(stack.member, "/tasks", async ({ page }) => {
      const one = card(page, "2026-0065");
      await approve(one).click();
      await one.getByText("Approved by you").waitFor();
    });
    await ask(workspace, { as: "admin", method: "PATCH", body: { approver_is_not_requester: false } });
  },
);

consoleTest("a member without the grant sees that something waits, and not what", async () => {
  const people = `/workspaces/${stack.workspace_id}/members`;
  const { members } = await ask(people, { as: "admin" });
  const { user_id, ...member } = members.find(({ role }: { role: string }) => role === "member");
  const give = (grants: string[]) => {
    const { role, name, email } = member;
    return ask(`${people}/${user_id}`, { as: "admin", method: "PUT", body: { role, name, email, grants } });
  };
  await propose("pay", { number: "2026-0066", amount: 3 });
  await give([]);
  await visit(stack.member, "/tasks", async ({ page }) => {
    const one = page.getByRole("article").first();
    await one.getByText("Its arguments are not shown to you.").waitFor();
    await one.getByText(/An administrator gives you the grant use_connectors/).waitFor();
    assertEquals([await approve(one).count(), await page.getByText("2026-0066").count()], [0, 0]);
    await lookAt(page, "tasks-without-grant");
  });
  await give(member.grants);
});

consoleTest("what nobody can tell the end of needs a look, and what was decided is found again", async () => {
  await propose("pay_broken", { number: "2026-0070" });
  await propose("pay", { number: "2026-0071", amount: 3 });
  await visit(stack.member, "/tasks", async ({ page }) => {
    const one = card(page, "2026-0070");
    await approve(one).click();
    await one.getByText("Unknown: needs a look").waitFor();
    await one.getByText(/It is not sent again\./).waitFor();
    await page.getByRole("link", { name: "Need a look" }).click();
    await page.waitForURL(/show=look/);
    await card(page, "2026-0070").getByRole("link", { name: "Say what became of it" }).waitFor();
    await lookAt(page, "tasks-look");
    await page.getByRole("link", { name: "Waiting", exact: true }).click();
    await reject(card(page, "2026-0071")).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Why, if you like").fill("It came twice.");
    await dialog.getByRole("button", { name: "Reject", exact: true }).click();
    await card(page, "2026-0071").getByText("Rejected by you").waitFor();
    await page.getByRole("link", { name: "Decided" }).click();
    await card(page, "2026-0071").getByText("It came twice.").waitFor();
    assertEquals(await card(page, "2026-0070").count(), 0);
    await lookAt(page, "tasks-decided");
    await page.getByRole("link", { name: "All", exact: true }).click();
    await card(page, "2026-0070").waitFor();
    await page.reload();
    await card(page, "2026-0070").waitFor();
    assertMatch(page.url(), /show=all/);
  });
});

consoleTest("until the list shows, at most 200 kB come over the wire, compressed", async () => {
  await propose("pay", { number: "2026-0080", amount: 3 });
  await visit(stack.member, "/tasks", async ({ page }) => {
    await card(page, "2026-0080").waitFor();
    const urls = await page.evaluate<string[]>(
      "[location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)]",
    );
    const sizes = await Promise.all(urls.map(async (url): Promise<[string, number]> => {
      const answer = url.startsWith(stack.api)
        ? JSON.stringify(await ask(url.slice(stack.api.length), { as: "member" }))
        : new Uint8Array(await (await fetch(url)).arrayBuffer());
      return [new URL(url).pathname, gzipSync(answer).length];
    }));
    const sum = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    console.log(`${sum} bytes in ${sizes.length} answers`);
    assert(sizes.some(([path]) => path.endsWith("/approvals")), "the list itself is counted");
    assert(sum <= 200_000, sizes.toSorted(([, a], [, b]) => b - a).map((one) => one.join(" ")).join("\n"));
  });
});

globalThis.addEventListener("unload", () => void system.close());
consoleTest("the stack and the browser end", stop);
