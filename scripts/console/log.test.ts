/** The log and Catch up in a real browser: found, opened, checked against the seals, saved. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import postgres from "postgres";
import { addFinding, addSentApproval } from "../testing/follow-ups.ts";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";

const { stack, visit, stop } = await openConsole();
const sql = postgres(stack.database, { max: 1, onnotice: () => {} });

const headers = { "x-framed-api-key": stack.api_key, "content-type": "application/json" };
const TOOL = "opening_hours";

async function post(path: string, body: unknown): Promise<Response> {
  return await fetch(stack.api + path, { method: "POST", headers, body: JSON.stringify(body) });
}

const call = (args: unknown) => post(`/tools/${TOOL}/call`, { workspace_id: stack.workspace_id, args });

async function tick() {
  const response = await fetch(`${stack.api}/cron/tick`, {
    method: "POST",
    headers: { authorization: `Bearer ${stack.cron_secret}` },
  });
  assertEquals(response.status, 200, await response.text());
}

await post("/tools/define", {
  workspace_id: stack.workspace_id,
  tool: {
    format: "framed-tool/1",
    slug: TOOL,
    name: "Opening hours",
    description: "When the shop is open.",
    kind: "fixture",
    access: "read",
    arguments: { type: "object", properties: { day: { type: "string" }, note: { type: "string" } } },
    fixtures: [{ response: { rows: [{ day: "monday", opens: "07:00" }] } }],
  },
});
assertEquals((await call({ day: "monday" })).status, 200);
assertEquals((await call({ when: "monday" })).status, 400);
await tick();

consoleTest("the log shows who did what, opens to the detail, and is checked against its seals", async () => {
  await visit(stack.admin, "/log", async ({ page }) => {
    await page.getByText(/sealed rows shown are unchanged and follow each other/).waitFor();
    const refused = page.getByRole("listitem").filter({ hasText: "bad_arguments" }).first();
    await refused.locator("summary").click();
    await refused.getByText('"when": "monday"').waitFor();
    await refused.getByText(/^req_/).waitFor();
    await refused.getByText(/in seal \d+/).waitFor();
    await lookAt(page, "log");
    await refused.getByRole("link", { name: TOOL }).click();
    await page.waitForURL(/\/connections\/opening_hours\?workspace_id=/);
  });
});

consoleTest("the log is filtered by tool, person, outcome and time, and the address keeps it", async () => {
  await visit(stack.admin, "/log", async ({ page }) => {
    const rows = page.getByRole("region", { name: "Rows" }).getByRole("listitem");
    await rows.first().waitFor();
    await page.getByLabel("Outcome").selectOption("not_ok");
    await page.getByText("bad_arguments").waitFor();
    assertEquals(await rows.count(), 1);
    await page.getByText(/^Each of the 1 sealed rows? shown is unchanged/).waitFor();
    await page.getByLabel("Tool").fill("no_such_tool");
    await page.getByLabel("Tool").press("Enter");
    await page.getByRole("heading", { name: "Nothing in the log is so" }).waitFor();
    assertMatch(page.url(), /outcome=not_ok/);
    assertMatch(page.url(), /tool=no_such_tool/);
    await lookAt(page, "log-nothing-found");
    await page.reload();
    await page.getByRole("heading", { name: "Nothing in the log is so" }).waitFor();
    await page.getByRole("button", { name: "Take the filters off" }).last().click();
    await page.getByLabel("Who").selectOption({ label: "Follow-ups" });
    await page.getByRole("heading", { name: "Nothing in the log is so" }).waitFor();
    await page.getByLabel("Who").selectOption({ label: "Keys" });
    await rows.first().waitFor();
    await page.getByLabel("When").selectOption({ label: "From and until" });
    await page.getByLabel("Until").fill("2020-01-01T00:00");
    await page.getByRole("heading", { name: "Nothing in the log is so" }).waitFor();
  });
});

consoleTest("rows that come are offered, and move nothing by themselves", async () => {
  await visit(stack.admin, `/log?tool=${TOOL}`, async ({ page }) => {
    const rows = page.getByRole("region", { name: "Rows" }).getByRole("listitem");
    await rows.first().waitFor();
    const before = await rows.count();
    await call({ day: "sunday" });
    const offer = page.getByRole("button", { name: "Show newer rows" });
    await offer.waitFor();
    assertEquals(await rows.count(), before);
    await offer.click();
    await rows.nth(before).waitFor();
    await page.getByText(/is sealed within a minute or two/).waitFor();
  });
});

consoleTest("a row that was changed in the store is named", async () => {
  // As who owns the database could: the log's own guard is taken away first.
  const [row] = await sql`
    select id::text from framed.log_events where tool = ${TOOL} and outcome = 'bad_arguments' limit 1`;
  await sql`alter table framed.log_events disable trigger user`;
  await sql`update framed.log_events set outcome = 'ok' where id = ${row!.id}`;
  try {
    await visit(stack.admin, "/log", async ({ page }) => {
      const alert = page.getByRole("alert").filter({ hasText: "Not as sealed" });
      await alert.waitFor();
      assert((await alert.innerText()).includes(`Row ${row!.id} is not what was sealed`));
      await lookAt(page, "log-broken");
    });
  } finally {
    await sql`update framed.log_events set outcome = 'bad_arguments' where id = ${row!.id}`;
    await sql`alter table framed.log_events enable trigger user`;
  }
});

consoleTest("the export is a file with a row a line, of the same filters", async () => {
  await visit(stack.admin, `/log?tool=${TOOL}&outcome=not_ok`, async ({ page }) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const file = await (await download).path();
    const lines = (await Deno.readTextFile(file)).trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.map(({ tool, outcome }) => [tool, outcome]), [[TOOL, "bad_arguments"]]);
  });
});

consoleTest("Catch up says what would come, then links each finding to its approval", async () => {
  await visit(stack.member, "/catch-up", async ({ page }) => {
    await page.getByRole("heading", { name: "Nothing has waited too long" }).waitFor();
    await lookAt(page, "catch-up-empty");
  });
  const workspaceId = stack.workspace_id;
  const [waits, isDone] = [
    await addSentApproval(sql, { workspaceId }),
    await addSentApproval(sql, { workspaceId, followUp: { what: "Invoice 2026-8 at Birch & Sons" } }),
  ];
  for (const approvalId of [waits, isDone]) await addFinding(sql, { workspaceId, approvalId });
  await sql`update framed.v2_follow_ups set status = 'done', ended_at = now(), next_check_at = null, due_at = null
    where approval_id = ${isDone}`;
  await visit(stack.admin, "/catch-up", async ({ page }) => {
    await page.getByRole("heading", { name: "2 approved calls waited too long" }).waitFor();
    await page.getByText("Week of Dec 7 to Dec 13, 2026").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Birch & Sons" }).getByText("done since").waitFor();
    await lookAt(page, "catch-up");
    await page.getByRole("link", { name: "Invoice 2026-7" }).click();
    await page.waitForURL(new RegExp(`/tasks/${waits}`));
  });
});

consoleTest("the stack ends", async () => {
  await sql.end();
  await stop();
});
