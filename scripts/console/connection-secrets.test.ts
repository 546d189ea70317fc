/** The secrets of a tool in a real browser: pasted, replaced, allowed, removed, and never seen again. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";
import { toolsOn } from "../testing/console-tools.ts";
import { ledgerFile } from "../testing/files.ts";
import { startUpstream } from "../testing/upstream.ts";

const SECRET = "ledger-token-of-a-test-1";
const OTHER_SECRET = "ledger-token-of-a-test-2";

const INVOICES = [
  { id: 1, supplier: "Acme", number: "2026-0117", amount: "412.50", lines: [{ text: "Paper", pieces: 3 }] },
  { id: 2, supplier: "Acme", number: "2026-0121", amount: "96.00", lines: [] },
];

const WRONG_SECRET = "ledger-token-of-somebody-else";

const ledger = startUpstream(({ headers }) =>
  headers.get("authorization") === `Bearer ${WRONG_SECRET}`
    ? Response.json({ error: "unknown token" }, { status: 401 })
    : Response.json({ rows: INVOICES })
);
const { stack, visit, stop } = await openConsole({
  env: { FRAMED_LOCAL_UPSTREAMS: `ledger.example=${ledger.url.origin}` },
});
const { define, call, log } = toolsOn(stack);

const manage = (slug: string, part: string) => `/connections/${slug}?part=${part}`;

/** The bearer that the ledger was sent last. */
const lastBearer = () => ledger.requests.at(-1)?.headers.get("authorization");

/** Everything the browser holds of a page: what it shows, what it keeps, where it is. */
async function everythingOf(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `document.documentElement.outerHTML + [...document.querySelectorAll("input,textarea")].map((f) => f.value)
      + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + location.href + document.cookie`,
  );
}

consoleTest("a pasted secret makes a tool live, its rows are a table, and the value is nowhere", async () => {
  await define(ledgerFile());
  await visit(stack.admin, "/connections", async ({ page }) => {
    await page.getByText("Waits for CONNECTOR_LEDGER").waitFor();
    await page.getByRole("link", { name: "Manage Open invoices" }).click();
    await page.getByRole("tab", { name: "Secrets", selected: true }).waitFor();
    const card = page.getByRole("article", { name: "CONNECTOR_LEDGER" });
    await card.getByText("No value yet").waitFor();
    await card.getByText("ledger.example only").waitFor();
    await card.getByRole("button", { name: "Paste the value" }).click();
    const field = card.getByLabel("Value of CONNECTOR_LEDGER");
    assertEquals(await field.getAttribute("type"), "password");
    await card.getByRole("button", { name: "Store it" }).click();
    await card.getByText("Paste the value first.").waitFor();
    await field.fill("short");
    await card.getByRole("button", { name: "Store it" }).click();
    await card.getByText("value: has 5 bytes; from 8 to 16384 are wanted").waitFor();
    assertEquals(await field.inputValue(), "short");
    await lookAt(page, "connection-secrets-paste");
    await field.fill(SECRET);
    await card.getByLabel("Show what I paste").check();
    assertEquals(await field.getAttribute("type"), "text");
    await card.getByRole("button", { name: "Store it" }).click();
    await card.getByText("The value is stored, and this tool may use it.").waitFor();
    await card.getByText("Stored and allowed").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await lookAt(page, "connection-secrets");

    await page.getByRole("tab", { name: "Last read" }).click();
    await page.getByText("Nothing yet.").waitFor();
    await page.getByLabel("supplier").fill("Acme");
    await page.getByRole("button", { name: "Read now" }).click();
    await page.getByText("The other system answered").waitFor();
    const answer = page.getByRole("group", { name: "Rows" }).first();
    await answer.getByRole("cell", { name: "2026-0117" }).waitFor();
    assertEquals(await answer.getByRole("columnheader").allTextContents(), [
      "id",
      "supplier",
      "number",
      "amount",
      "lines",
    ]);
    await answer.getByRole("cell", { name: '[{"text":"Paper","pieces":3}]' }).waitFor();
    assertEquals(
      await page.evaluate(
        `getComputedStyle([...document.querySelectorAll("td")].find((cell) => cell.textContent === "412.50")).textAlign`,
      ),
      "right",
    );
    await page.getByRole("button", { name: "supplier Acme 2 rows, just now" }).waitFor();
    await page.getByRole("region", { name: "What is kept" }).getByRole("cell", { name: "2026-0117" })
      .waitFor();
    await lookAt(page, "connection-reads");
    assertEquals(lastBearer(), `Bearer ${SECRET}`);

    const everything = await everythingOf(page);
    assertStringIncludes(everything, "2026-0117");
    assert(!everything.includes(SECRET), "the browser holds nothing of the value");
  }, { maySay: /400/ });
  assert(!(await log()).includes(SECRET), "the log holds nothing of the value");
});

consoleTest("a replaced value is used from the next call on", async () => {
  await visit(stack.admin, manage("ledger_open_invoices", "secrets"), async ({ page }) => {
    const card = page.getByRole("article", { name: "CONNECTOR_LEDGER" });
    await card.getByRole("button", { name: "Replace the value" }).click();
    const field = card.getByLabel("Value of CONNECTOR_LEDGER");
    assertEquals(await field.inputValue(), "", "the stored value is never filled in");
    await field.fill(OTHER_SECRET);
    await field.press("Enter");
    await card.getByText("The new value is stored.").waitFor();
    assert(!(await everythingOf(page)).includes(OTHER_SECRET));
  });
  assertEquals((await call("ledger_open_invoices", { supplier: "Acme" })).status, 200);
  assertEquals(lastBearer(), `Bearer ${OTHER_SECRET}`);
});

consoleTest("a value of several lines keeps them, and says that it is shown", async () => {
  await visit(stack.admin, manage("ledger_open_invoices", "secrets"), async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Replace the value" }).click();
    await page.evaluate("navigator.clipboard.writeText('first line\\nsecond line\\n')");
    await page.getByLabel("Value of CONNECTOR_LEDGER").press("ControlOrMeta+v");
    await page.getByText("It has several lines, so it is shown.").waitFor();
    assertEquals(await page.getByLabel("Value of CONNECTOR_LEDGER").inputValue(), "first line\nsecond line");
    await page.getByRole("button", { name: "Store in place of the old one" }).click();
    await page.getByText("holds a line end, a tab or a letter outside ASCII").waitFor();
  }, { maySay: /400/ });
});

consoleTest(
  "a partner's tool is looked at before it may use a value, and a member is told who can",
  async () => {
    await define(ledgerFile({ slug: "ledger_suppliers", name: "Suppliers" }), { asPartner: true });
    await visit(stack.member, "/connections/ledger_suppliers", async ({ page }) => {
      await page.getByText("An administrator of this workspace pastes and allows values").waitFor();
      await page.getByText("Stored, not allowed to this tool").waitFor();
      for (const name of ["Look at it, then allow", "Replace the value", "Remove the value"]) {
        assertEquals(await page.getByRole("button", { name }).count(), 0);
      }
      await lookAt(page, "connection-secrets-member");
      await page.getByRole("tab", { name: "Overview" }).click();
      await page.getByText("An administrator can remove it, or whoever defined it.").waitFor();
      // This one a person defined, and another one than they.
      await page.goto(stack.console + manage(ledgerFile().slug as string, "overview"));
      await page.getByText("An administrator can remove it, or whoever defined it.").waitFor();
      assertEquals(await page.getByRole("button", { name: "Remove…" }).count(), 0);
    });
    await visit(stack.admin, "/connections/ledger_suppliers", async ({ page }) => {
      await page.getByRole("button", { name: "Look at it, then allow" }).click();
      const dialog = page.getByRole("dialog", { name: "May this tool use CONNECTOR_LEDGER?" });
      await dialog.getByText("A partner, with a key").waitFor();
      await dialog.getByText("GET https://ledger.example/api/invoices?supplier={supplier}").waitFor();
      await dialog.getByText("secret, in a header").waitFor();
      await lookAt(page, "connection-allow");
      await dialog.getByRole("button", { name: "Allow it" }).click();
      await page.getByText("This tool may use the value now.").waitFor();
      await page.getByText("Stored and allowed").waitFor();
    });
    assertEquals((await call("ledger_suppliers", {})).status, 200);
  },
);

consoleTest(
  "a tool that changes under an administrator's eyes gets nothing until they have looked again",
  async () => {
    await visit(stack.admin, manage("ledger_open_invoices", "secrets"), async ({ page }) => {
      await page.getByRole("button", { name: "Replace the value" }).click();
      await page.getByLabel("Value of CONNECTOR_LEDGER").fill(SECRET);
      await define(ledgerFile({
        access: "sensitive",
        request: {
          method: "GET",
          url: "https://ledger.example/api/all?supplier={supplier}",
          headers: { Authorization: "Bearer {{secret}}" },
        },
      }));
      await page.getByRole("button", { name: "Store in place of the old one" }).click();
      await page.getByText("ledger_open_invoices is at version 2; version 1 is what you saw.").waitFor();
      const changed = page.getByText("This tool changed while you looked: it is at version 2 now");
      await changed.waitFor();
      await page.getByText("https://ledger.example/api/all?supplier={supplier}").waitFor();
      await lookAt(page, "connection-changed");
      assertEquals(await page.getByLabel("Value of CONNECTOR_LEDGER").inputValue(), SECRET, "it stays");
      await page.getByRole("button", { name: "Compare line by line" }).click();
      await page.getByRole("region", { name: "From version 1 to version 2" }).waitFor();
      await page.getByRole("tab", { name: "Secrets" }).click();
      assertEquals(
        await page.getByLabel("Value of CONNECTOR_LEDGER").inputValue(),
        SECRET,
        "it stays here too",
      );
      await page.getByRole("button", { name: "I have looked at version 2" }).click();
      await changed.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Store in place of the old one" }).click();
      await page.getByText("The new value is stored.").waitFor();
    }, { maySay: /409/ });
  },
);

consoleTest("any two versions are compared, at a glance and line by line", async () => {
  await define(ledgerFile({ name: "All invoices", access: "sensitive" }));
  await visit(stack.member, manage("ledger_open_invoices", "versions"), async ({ page }) => {
    const difference = page.getByRole("region", { name: "From version 2 to version 3" });
    await difference.waitFor();
    assertEquals(await difference.locator(".diff-added code").allTextContents(), [
      '  "name": "All invoices",',
      '    "url": "https://ledger.example/api/invoices?supplier={supplier}",',
    ]);
    assertEquals(await difference.locator(".diff-removed code").allTextContents(), [
      '  "name": "Open invoices",',
      '    "url": "https://ledger.example/api/all?supplier={supplier}",',
    ]);
    const lines = () => difference.locator(".diff-line").count();
    const before = await lines();
    await difference.getByRole("button", { name: /^Show \d+ lines that are the same$/ }).first().click();
    assert(await lines() > before, "what was folded shows");
    await lookAt(page, "connection-versions");
    await page.getByLabel("From", { exact: true }).selectOption({ index: 2 });
    const other = page.getByRole("region", { name: "From version 1 to version 3" });
    await other.waitFor();
    await page.getByRole("definition").filter({ hasText: "read" }).getByText("sensitive").waitFor();
  });
});

consoleTest("a value is removed from every tool that names it, after saying so", async () => {
  await visit(stack.admin, manage("ledger_suppliers", "secrets"), async ({ page }) => {
    await page.getByRole("button", { name: "Remove the value" }).click();
    const confirm = page.getByRole("alertdialog");
    await confirm.getByText("Every tool of this workspace that names it waits").waitFor();
    await lookAt(page, "connection-secret-remove");
    await confirm.getByRole("button", { name: "Remove the value" }).click();
    await page.getByText("The value was removed.").waitFor();
    await page.getByText("No value yet").waitFor();
    await page.getByRole("link", { name: "Connections" }).first().click();
    await page.getByText("Waits for CONNECTOR_LEDGER").nth(1).waitFor();
  });
});

consoleTest("a value that the other system does not take leads back to where it is replaced", async () => {
  await define(ledgerFile({ slug: "ledger_again", name: "Again" }));
  await visit(stack.admin, manage("ledger_again", "secrets"), async ({ page }) => {
    await page.getByRole("button", { name: "Paste the value" }).click();
    await page.getByLabel("Value of CONNECTOR_LEDGER").fill(WRONG_SECRET);
    await page.getByRole("button", { name: "Store it" }).click();
    await page.getByText("Stored and allowed").waitFor();
    await page.getByRole("tab", { name: "Last read" }).click();
    await page.getByRole("button", { name: "Read now" }).click();
    await page.getByText("The other system did not let the call in.").waitFor();
    await lookAt(page, "connection-turned-away");
    await page.getByRole("tabpanel").getByRole("link", { name: "Secrets" }).click();
    await page.getByRole("button", { name: "Replace the value" }).waitFor();
  }, { maySay: /502/ });
});

consoleTest("stop", async () => {
  await stop();
  await ledger.close();
});
