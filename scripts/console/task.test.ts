/** One approval in a real browser: what it shows is what is sent, and who decides it. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";
import { fixtureFile } from "../testing/files.ts";
import { callStack } from "../testing/stack-caller.ts";
import { startTaskSystem, TASK_TOOLS, upstreamsOf } from "../testing/task-tools.ts";

const system = startTaskSystem();
const { stack, visit, stop } = await openConsole({
  env: { FRAMED_LOCAL_UPSTREAMS: upstreamsOf(system) },
});
const { ask, define, propose, tick } = callStack(stack);
for (const tool of TASK_TOOLS) await define(tool);

/** Of requests that are refused, as the browser tells of them. */
const REFUSED = { maySay: /Failed to load resource: .* 4\d\d/ };
const approveButton = (page: Page) => page.getByRole("button", { name: "Approve", exact: true });
const sentTo = (path: string) =>
  system.requests.filter(({ method, target }) => method === "POST" && target === path);
const lastSentTo = (path: string) => JSON.parse(sentTo(path).at(-1)!.body);

consoleTest("what is approved is what was shown and what the other system got", async () => {
  const args = {
    number: "2026-0117",
    supplier: "Bakkerij Zonneveld",
    amount: 412.5,
    note: "As agreed\nby telephone",
    urgent: true,
  };
  const id = await propose("pay", args);
  await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
    await page.getByRole("heading", { name: "Pay an invoice", level: 1 }).waitFor();
    await page.getByText("POST", { exact: true }).waitFor();
    await page.getByText("ledger.example", { exact: true }).waitFor();
    const shown = await page.locator("dl.lines").first().locator(":scope > div").evaluateAll((lines) =>
      lines.map((
        line,
      ) => [line.querySelector("dt code")!.textContent, line.querySelector("dd code")!.textContent])
    );
    assertEquals(shown, [
      ["number", "2026-0117"],
      ["supplier", "Bakkerij Zonneveld"],
      ["amount", "412.5"],
      ["note", "As agreed⟨U+000A LINE FEED⟩\nby telephone"],
      ["urgent", "true"],
    ]);
    await lookAt(page, "task-waiting");
    assertEquals(sentTo("/payments").length, 0, "looking sends nothing");
    await approveButton(page).click();
    await page.getByText("Sent, and taken").waitFor();
    assertEquals(sentTo("/payments").length, 1);
    assertEquals(lastSentTo("/payments"), args);
    await page.getByText("Sam Member").first().waitFor();
    assertEquals(await page.getByRole("group", { name: "Decide" }).count(), 0);
    assertEquals(
      await page.evaluate("document.activeElement.getAttribute('aria-label')"),
      "Where it stands",
      "the focus goes to what came of it",
    );
    const top = (await page.getByRole("heading", { level: 1 }).boundingBox())!.y;
    assert(top > 56, `the page has not moved away under the head: its title stands at ${top}`);
    await lookAt(page, "task-applied");
  });
});

consoleTest("a chain shows which values come later, and then what went out", async () => {
  const { approval_id: id } = await ask("/tools/calls", {
    body: {
      workspace_id: stack.workspace_id,
      calls: [
        { tool: "open_invoices", args: { supplier: "Birch & Sons" } },
        { tool: "book", args: { number: "{{calls.0.result.rows.0.number}}", ledger: "purchases" } },
      ],
    },
    wanted: 202,
  });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    const calls = page.getByRole("list", { name: "The calls, in their order" }).locator(":scope > li");
    await calls.nth(1).getByText("Filled in with what call 1 answers, when that has run: rows.0.number")
      .waitFor();
    await calls.nth(0).getByText("Call 1 of 2").waitFor();
    await lookAt(page, "task-chain");
    await approveButton(page).click();
    await page.getByText("All calls were sent, and taken").waitFor();
    await calls.nth(1).getByText("What went out, with the values of earlier calls filled in").waitFor();
    assertEquals(lastSentTo("/bookings"), { number: "2026-0117", ledger: "purchases" });
    await lookAt(page, "task-chain-applied");
  });
});

consoleTest("a preview that changed in between sends nothing and brings the fresh card", async () => {
  const id = await propose("order", { number: "EUR 100" });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    const preview = page.getByRole("group", { name: "What it looks like now", exact: true });
    await preview.getByRole("cell", { name: "1.08" }).waitFor();
    await preview.getByText("rows.rate").waitFor();
    await lookAt(page, "task-preview");
    system.rate = "1.31";
    await approveButton(page).click();
    await page.getByText("Nothing was sent: what you looked at has changed.").waitFor();
    assert(!page.url().includes(`/tasks/${id}`), page.url());
    await preview.getByRole("cell", { name: "1.31" }).waitFor();
    assertEquals(sentTo("/orders").length, 0);
    await lookAt(page, "task-fresh");
    await approveButton(page).click();
    await page.getByText("Sent, and taken").waitFor();
    assertEquals(sentTo("/orders").length, 1);
    await page.goto(`${stack.console}/tasks/${id}`);
    await page.getByText("This is not how it stands any more. Nothing was sent.").waitFor();
    await lookAt(page, "task-superseded");
  }, REFUSED);
});

consoleTest("an example beside what waits is not shown as what it looks like now", async () => {
  const ORDER = TASK_TOOLS.find((tool) => "slug" in tool && tool.slug === "order")!;
  await define({
    ...fixtureFile(),
    slug: "example_rates",
    arguments: { type: "object", properties: {} },
    fixtures: [{ response: { rows: [{ currency: "EUR", rate: "0.91" }], booked: true } }],
  });
  await define({
    ...ORDER,
    slug: "order_by_example",
    preview: { tool: "example_rates", args: {} },
    follow_up: {
      what: "Order {{args.number}}",
      until: "The bank has it",
      check: { tool: "example_rates", args: {} },
      done_when: { all: [{ path: "booked", op: "equals", value: true }] },
    },
  });
  const id = await propose("order_by_example", { number: "EUR 200" });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    const example = page.getByRole("group", { name: "A configured example", exact: true });
    await example.getByRole("cell", { name: "0.91" }).waitFor();
    await example.getByText(
      "It says nothing of what the other system holds now. Look there before you decide.",
    )
      .waitFor();
    assertEquals(await page.getByText("What it looks like now").count(), 0);
    assertEquals(await page.getByText(/read again right before sending/).count(), 0);
    await lookAt(page, "task-example");
    await approveButton(page).click();
    await page.getByText("Sent, and taken").waitFor();
    await tick(new Date(Date.parse((await ask(`/approvals/${id}`)).follow_up.next_check_at)));
    await page.reload();
    const card = page.getByRole("region", { name: "Follow-up" });
    await card.getByText("Checked once: it still waits").waitFor();
    await card.getByText(/no check can find it done/).waitFor();
    assertEquals(await page.getByText("What it looked like").count(), 0);
    await lookAt(page, "task-example-followed");
  });
});

consoleTest("a rejection is told with its reason, and nothing is sent", async () => {
  const id = await propose("pay", { number: "2026-0122", amount: 9 });
  const before = sentTo("/payments").length;
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await page.getByRole("button", { name: "Reject" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Why/).fill("Birch sent it twice.");
    await lookAt(page, "task-reject");
    await dialog.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Rejected. Nothing was sent.").first().waitFor();
    await lookAt(page, "task-rejected");
  });
  assertEquals((await ask(`/approvals/${id}`)).reject_reason, "Birch sent it twice.");
  assertEquals(sentTo("/payments").length, before);
});

consoleTest("while it is sent the page says so, also to who comes in meanwhile", async () => {
  const id = await propose("pay_slow", { number: "2026-0124" });
  await visit(stack.member, `/tasks/${id}`, async ({ page, context }) => {
    await approveButton(page).click();
    await page.getByText(/^It is approved and being sent to ledger.example/).waitFor();
    const other = await context.newPage();
    await other.goto(`${stack.console}/tasks/${id}`);
    await other.getByText("It is being sent", { exact: true }).waitFor();
    // One picture and no more: the other system has 30 s to answer, on a slow machine too.
    await other.screenshot({
      path: join(import.meta.dirname!, "..", "..", "screenshots", "task-running.png"),
    });
    system.release();
    await page.getByText("Sent, and taken").waitFor();
    await other.getByText("Sent, and taken").waitFor();
  });
  assertEquals(sentTo("/slow").length, 1);
});

consoleTest("of two who decide at once one is told that the other was first", async () => {
  const id = await propose("pay", { number: "2026-0125", amount: 12 });
  const before = sentTo("/payments").length;
  await visit(stack.admin, `/tasks/${id}`, async ({ page: first }) => {
    await visit(stack.member, `/tasks/${id}`, async ({ page: second }) => {
      await Promise.all([approveButton(first).waitFor(), approveButton(second).waitFor()]);
      await Promise.all([approveButton(first).click(), approveButton(second).click()]);
      await Promise.all([first, second].map((page) => page.getByText("Sent, and taken").waitFor()));
      const told = await Promise.all(
        [first, second].map((page) => page.getByText("Somebody was first").count()),
      );
      assertEquals(told.toSorted(), [0, 1]);
      const loser = told[0] === 1 ? first : second;
      await loser.getByText(/approved this .*What you pressed changed nothing\./).waitFor();
      await lookAt(loser, "task-second");
    }, REFUSED);
  }, REFUSED);
  assertEquals(sentTo("/payments").length, before + 1);
});

consoleTest(
  "what waits for a value says where it is pasted, and can be approved once it is there",
  async () => {
    const id = await propose("pay_secretly", { number: "2026-0140" });
    await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
      await page.getByText("It waits for a value that nobody has pasted yet").waitFor();
      assertEquals(await approveButton(page).isDisabled(), true);
      const link = page.getByRole("link", { name: "Pay from the vault" }).first();
      assertMatch((await link.getAttribute("href"))!, /^\/connections\/pay_secretly\?workspace_id=/);
      await lookAt(page, "task-waits-for-secret");
      await ask("/tools/pay_secretly/secrets/CONNECTOR_VAULT", {
        as: "admin",
        method: "PUT",
        body: { workspace_id: stack.workspace_id, value: "vault-token-of-a-test" },
        wanted: 204,
      });
      await page.getByText("It waits for a value that nobody has pasted yet").waitFor({ state: "detached" });
      await approveButton(page).click();
      await page.getByText("Sent, and taken").waitFor();
      assertEquals((await page.content()).includes("vault-token"), false);
    });
  },
);

consoleTest("what an administrator decides tells a member so, and why", async () => {
  const id = await propose("pay", { number: "2026-0150", amount: 12_000 });
  await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
    await page.getByText("An administrator of this workspace decides about this.").waitFor();
    await page.getByText("Above 10,000 an administrator decides.").first().waitFor();
    assertEquals(await approveButton(page).count(), 0);
    await lookAt(page, "task-needs-admin");
  });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).click();
    await page.getByText("Sent, and taken").waitFor();
  });
});

consoleTest("no argument hides or turns what stands beside it", async () => {
  const id = await propose("import_lines", {
    "<img src=x onerror=alert(1)>": "<script>document.title='owned'</script>",
    account: "NL91\u202e0340\u202c 12\u200b",
    bank: "p\u0430ypal.example",
    empty: "",
    nothing: null,
    list: [],
    text_true: "true",
    is_true: true,
    ["a very long name that goes on ".repeat(5)]: {
      ["and another long name below it ".repeat(4)]: { inner: [1, "2"] },
    },
    unbroken: "x".repeat(600),
  });
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await page.getByText("⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩").waitFor();
    await page.getByText(/Below, this path is written/).waitFor();
    await page.getByText("<script>document.title='owned'</script>", { exact: true }).waitFor();
    assertMatch(await page.title(), /^Import lines/);
    assertEquals(/[\u202e\u200b]/.test(await page.locator("main").innerText()), false);
    await lookAt(page, "task-hostile");
    await approveButton(page).click();
    await page.getByText("Sent, and taken").waitFor();
    assertEquals(lastSentTo("/lines").account, "NL91\u202e0340\u202c 12\u200b");
  });
});

consoleTest(
  "five hundred arguments and a text of 10 kB are shown whole, with the buttons at hand",
  async () => {
    const text = "A word of the long text. ".repeat(400).trim();
    const id = await propose("import_lines", {
      text,
      lines: Array.from({ length: 250 }, (_, n) => ({ account: String(4_000 + n), amount: n + 0.5 })),
    });
    await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
      await page.getByText("lines[249].amount", { exact: true }).waitFor();
      assertEquals(await page.locator("dl.lines > div").count(), 501);
      await page.getByText(text, { exact: true }).waitFor();
      await page.getByText("Is long: 9,999 characters").waitFor();
      await page.setViewportSize({ width: 360, height: 800 });
      assertEquals(await page.evaluate("document.documentElement.scrollWidth"), 360);
      const box = (await approveButton(page).boundingBox())!;
      assert(box.y + box.height < 800, "the buttons stand in the window");
    });
  },
);

consoleTest("a member without the grant sees that it waits, and not what is in it", async () => {
  const id = await propose("pay", { number: "2026-SECRET", amount: 5 });
  const { members } = await ask(`/workspaces/${stack.workspace_id}/members`, { as: "admin" });
  // deno-lint-ignore no-explicit-any
  const member = members.find((one: any) => one.email === stack.member.email);
  const setGrants = (grants: string[]) =>
    ask(`/workspaces/${stack.workspace_id}/members/${member.user_id}`, {
      as: "admin",
      method: "PUT",
      body: { role: "member", name: member.name, email: member.email, grants },
    });
  await setGrants([]);
  try {
    await visit(stack.member, `/tasks/${id}`, async ({ page }) => {
      await page.getByText("You see that this call is there, and not with which arguments").waitFor();
      assertEquals((await page.content()).includes("2026-SECRET"), false);
      assertEquals(await approveButton(page).count(), 0);
      await lookAt(page, "task-no-grant");
    });
  } finally {
    await setGrants(member.grants);
  }
});

consoleTest("nobody approves what they asked for, where the workspace says so", async () => {
  const setAnother = (value: boolean) =>
    ask(`/workspaces/${stack.workspace_id}`, {
      as: "admin",
      method: "PATCH",
      body: { approver_is_not_requester: value },
    });
  // Their key asks as they do.
  const id = await propose("pay", { number: "2026-0170", amount: 3 });
  const before = sentTo("/payments").length;
  try {
    await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
      await approveButton(page).waitFor();
      await setAnother(true);
      // The page has not heard of it yet, and is told.
      await approveButton(page).click();
      const told = page.getByText(
        "You asked for this yourself, and on this workspace somebody else approves it.",
      );
      await told.waitFor();
      assertEquals(await approveButton(page).count(), 0);
      await lookAt(page, "task-own-request");
    }, REFUSED);
  } finally {
    await setAnother(false);
  }
  assertEquals(sentTo("/payments").length, before);
});

consoleTest("a tool that was defined anew brings the fresh card, and says what is another", async () => {
  const id = await propose("pay_refused", { number: "2026-0180" });
  const tool = TASK_TOOLS.find((one) => "slug" in one && one.slug === "pay_refused")!;
  await visit(stack.admin, `/tasks/${id}`, async ({ page }) => {
    await approveButton(page).waitFor();
    await define({
      ...tool,
      name: "Pay twice, now by PUT",
      request: { method: "PUT", url: "https://ledger.example/refused" },
    });
    await approveButton(page).click();
    await page.getByRole("group", { name: "What changed" }).getByRole("row", { name: "its method POST PUT" })
      .waitFor();
    await page.getByRole("heading", { name: "Pay twice, now by PUT", level: 1 }).waitFor();
    await lookAt(page, "task-redefined");
    assertEquals(sentTo("/refused").length, 0);
  }, REFUSED);
});

consoleTest("there is no task for who has none", async () => {
  await visit(stack.admin, `/tasks/${crypto.randomUUID()}`, async ({ page }) => {
    await page.getByRole("heading", { name: "There is no such task for you" }).waitFor();
    await lookAt(page, "task-not-there");
  }, REFUSED);
});

consoleTest("the stack ends", async () => {
  await stop();
  await system.close();
});
