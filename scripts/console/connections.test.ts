/** Connections in a real browser: the list of tools, found and opened. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import postgres from "postgres";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";
import { toolsOn } from "../testing/console-tools.ts";
import { fixtureFile, ledgerFile, mcpFile, openFile } from "../testing/files.ts";
import { addManyTools } from "../testing/many-tools.ts";

const { stack, visit, stop } = await openConsole();
const sql = postgres(stack.database, { max: 1, onnotice: () => {} });
const { define } = toolsOn(stack);

consoleTest("an empty workspace says how its first tool comes", async () => {
  await visit(stack.admin, "/connections", async ({ page }) => {
    await page.getByRole("heading", { name: "No system is connected yet" }).waitFor();
    await page.getByText(`--push --workspace ${stack.workspace_id}`).waitFor();
    assertEquals(await page.getByRole("link", { name: "Add a tool" }).count(), 2);
    await lookAt(page, "connections-empty");
  });
});

consoleTest("a row a tool says what it is, where it goes, what a call does and how it stands", async () => {
  await define(ledgerFile());
  await define(openFile());
  await define(fixtureFile());
  await define(mcpFile({ mcp: { url: "https://mcp.tracker.example/mcp" } }));
  await visit(stack.member, "/connections", async ({ page }) => {
    const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await row("ledger_open_invoices").getByText("Waits for CONNECTOR_LEDGER").waitFor();
    await row("ledger_open_invoices").getByText("ledger.example").waitFor();
    await row("rates").getByText("Live", { exact: true }).waitFor();
    await row("rates").getByText("Runs on the call").waitFor();
    await row("rooms").getByText("Fixture", { exact: true }).waitFor();
    await row("issue_tracker").getByText("Reads run, the rest waits").waitFor();
    await row("issue_tracker").getByText("mcp.tracker.example").waitFor();
    await lookAt(page, "connections");
  });
});

consoleTest("among hundreds of tools one is searched for, and the rest come page by page", async () => {
  await addManyTools({ database: { sql }, id: stack.workspace_id }, 120);
  await visit(stack.member, "/connections", async ({ page }) => {
    const rows = page.getByRole("link", { name: /^Manage / });
    await page.getByText("50 tools so far").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("100 tools so far").waitFor();
    await page.getByLabel("Search the tools").fill("nr 77.");
    await page.getByRole("link", { name: "Manage Tool 77" }).waitFor();
    await page.getByText("1 tool found").waitFor();
    assertEquals(await rows.count(), 1);
    assertMatch(page.url(), /query=nr\+77\./);
    await page.getByLabel("Search the tools").fill("no such thing");
    await page.getByRole("heading", { name: "No tool is called that" }).waitFor();
    await page.getByLabel("Search the tools").fill("o");
    await page.getByRole("link", { name: "Manage Rooms" }).waitFor({ state: "attached" });
    await lookAt(page, "connections-search");
  });
});

consoleTest("what strangers write stays text, wherever it stands", async () => {
  const evil =
    `<img src=x onerror="document.title='run'"><script>document.title='run'</script>\u202e{{secret}}`;
  await define(fixtureFile({
    slug: "hostile",
    name: `Evil ${evil}`.slice(0, 80),
    description: evil,
    arguments: { type: "object", properties: { [evil]: { type: "string", description: evil } } },
    fixtures: [{
      response: {
        rows: [{ [evil]: evil, long: "x".repeat(10_000), link: "javascript:document.title='run'" }],
      },
    }],
  }));
  await visit(stack.admin, "/connections?query=hostile", async ({ page }) => {
    const link = page.getByRole("link", { name: /^Manage Evil <img/ });
    await link.waitFor();
    await lookAt(page, "connections-hostile");
    await link.click();
    for (const part of ["Overview", "What it does", "Versions", "Last read"]) {
      await page.getByRole("tab", { name: part }).click();
      await page.getByRole("tab", { name: part, selected: true }).waitFor();
    }
    await page.getByRole("button", { name: "Read now" }).click();
    await page.getByText("Its file answered").waitFor();
    const rows = page.getByRole("group", { name: "Rows of the answer" });
    await rows.getByText("⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩").first().waitFor();
    await rows.getByRole("button", { name: "… 9,840 more" }).waitFor();
    await lookAt(page, "connection-hostile");
    assertEquals(await page.locator("main img, main script").count(), 0);
    assert(!(await page.title()).startsWith("run"));
  });
});

consoleTest("what is not there says so", async () => {
  await visit(stack.member, "/connections/no_such_tool", async ({ page }) => {
    await page.getByRole("heading", { name: "There is no such tool" }).waitFor();
    await lookAt(page, "connection-none");
  }, { maySay: /404/ });
});

consoleTest("stop", async () => {
  await sql.end();
  await stop();
});
