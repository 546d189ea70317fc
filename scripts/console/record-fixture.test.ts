/** Recording a fixture in a real browser: a live read, what is replaced in it, and the file it becomes. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFramedTool } from "../../supabase/functions/_shared/framed-tool.ts";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";
import { toolsOn } from "../testing/console-tools.ts";
import { textOf } from "../testing/file-editor.ts";
import { bookingFile, openFile } from "../testing/files.ts";
import { startUpstream } from "../testing/upstream.ts";

const PERSON = { name: "Ada Quist", email: "ada@quist.example", phone: "+31 6 1234 5678" };
const row = (id: number) => ({
  id,
  currency: "EUR",
  rate: "1.00",
  dealer: PERSON.name,
  contact: { email: PERSON.email, phone: PERSON.phone },
  desk: "Corner desk",
  remark: `${PERSON.name} answers at ${PERSON.email}`,
  iban: "NL91ABNA0417164300",
  api_key: "5f2a-not-for-a-file",
});
const LONG = Array.from({ length: 400 }, (_, index) => row(index + 1));
const rates = startUpstream(({ target }) =>
  Response.json({ as_of: "2026-12-01", rows: target.includes("ALL") ? LONG : [row(1), row(2)] })
);
const { stack, visit, stop } = await openConsole({
  env: { FRAMED_LOCAL_UPSTREAMS: `rates.example=${rates.url.origin}` },
});
const { define } = toolsOn(stack);
await define(openFile());
await define(bookingFile());

consoleTest(
  "a fixture is recorded from a live read, with everybody in it replaced, and becomes part of the tool",
  async () => {
    await visit(stack.admin, "/connections/new?replace=rates&record=1", async ({ page }) => {
      const dialog = page.getByRole("dialog", { name: "Record a fixture" });
      await dialog.getByLabel("currency").fill("EUR");
      await lookAt(page, "record-ask");
      await dialog.getByRole("button", { name: "Read it now" }).click();
      await dialog.getByRole("heading", { name: /values were replaced/ }).waitFor();
      assertEquals(rates.requests.at(-1)?.target, "/v1/rates?currency=EUR");
      const replaced = dialog.getByRole("group", { name: "What was replaced" });
      const line = replaced.getByRole("row").filter({ hasText: PERSON.email });
      await line.getByText("person1@people.example").waitFor();
      // What no program knows is ticked by a person.
      const desk = dialog.getByRole("checkbox", { name: "response.rows[].desk" });
      assertEquals(await desk.isChecked(), false);
      await desk.check();
      await replaced.getByText("Corner desk").waitFor();
      assertEquals(
        await dialog.getByRole("checkbox", { name: "response.rows[].api_key" }).isDisabled(),
        true,
      );
      await dialog.getByLabel("What this fixture shows").fill("two euro rates");
      await lookAt(page, "record-look");
      assertEquals(await dialog.getByText("5f2a-not-for-a-file").count(), 0, "a credential is not shown");
      const download = page.waitForEvent("download");
      await dialog.getByRole("button", { name: "Download the file" }).click();
      const saved = await download;
      assertEquals(saved.suggestedFilename(), "framed-tool.json");
      const text = await Deno.readTextFile((await saved.path())!);
      await dialog.getByRole("button", { name: "Put it into the editor" }).click();
      await page.getByText("The recorded fixture is in the file").waitFor();
      assertEquals(await textOf(page), text);
      for (const gone of [...Object.values(PERSON), "Corner desk", "NL91ABNA0417164300", "5f2a"]) {
        assert(!text.includes(gone), `${gone} is not in the file`);
      }
      const read = readFramedTool(text);
      assert(read.ok);
      const recorded = read.tool.fixtures!.find(({ label }) => label === "two euro rates")!;
      assertEquals(recorded.example, { currency: "EUR" });
      assertEquals(recorded.response, {
        as_of: "2026-12-01",
        rows: [1, 2].map((id) => ({
          id,
          currency: "EUR",
          rate: "1.00",
          dealer: "Person1",
          contact: { email: "person1@people.example", phone: "+00 000 000 0001" },
          desk: "Text1",
          remark: "Person1 answers at person1@people.example",
          iban: "NL00TEST0000000001",
          api_key: "Removed1",
        })),
      });
      const kept = await page.evaluate<string>(
        "JSON.stringify([{ ...sessionStorage }, { ...localStorage }]) + location.href",
      );
      assert(!kept.includes(PERSON.name), "nothing of the answer is kept in the browser");
      await page.getByRole("button", { name: "Replace the tool" }).click();
      await page.getByText(/Rates is on .*, version 2\./).waitFor();
    });
  },
);

consoleTest("of a long answer the first rows are taken, in the shape that it has", async () => {
  await visit(stack.admin, "/connections/new?replace=rates", async ({ page }) => {
    await page.getByRole("button", { name: "Record a fixture" }).click();
    const dialog = page.getByRole("dialog", { name: "Record a fixture" });
    await dialog.getByLabel("currency").fill("ALL");
    await dialog.getByRole("button", { name: "Read it now" }).click();
    await dialog.getByRole("heading", { name: /values were replaced/ }).waitFor();
    await dialog.getByText("The fixture as it goes into the file").click();
    const fixture = JSON.parse(await dialog.getByRole("region", { name: "The fixture" }).innerText());
    assertEquals(fixture.response.as_of, "2026-12-01");
    assertEquals(fixture.response.rows.map(({ id }: { id: number }) => id), [1, 2, 3, 4, 5]);
  });
});

consoleTest("what waits for a person is not called to be recorded, and the page says why", async () => {
  const before = rates.requests.length;
  await visit(stack.admin, "/connections/new?replace=ledger_book_invoice&record=1", async ({ page }) => {
    await page.getByText("Only a read that runs on the call can be recorded.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    assertStringIncludes(await textOf(page), "ledger_book_invoice");
  });
  assertEquals(rates.requests.length, before);
});

consoleTest("a wrong argument and a system that fails are told, and what was typed stays", async () => {
  await visit(stack.admin, "/connections/new?replace=rates&record=1", async ({ page }) => {
    const dialog = page.getByRole("dialog", { name: "Record a fixture" });
    await dialog.getByLabel("currency").fill("EURO");
    await dialog.getByRole("button", { name: "Read it now" }).click();
    await dialog.getByRole("alert").waitFor();
    assertEquals(await dialog.getByLabel("currency").inputValue(), "EURO");
  }, { maySay: /400/ });
});

consoleTest("the stack ends", async () => {
  await stop();
  await rates.close();
});
