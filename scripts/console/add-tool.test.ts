/** Adding a tool in a real browser: dropped, pasted, written, checked as it is typed, then put on the workspace. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { FILES } from "../../supabase/functions/_shared/definition/testdata/files.ts";
import { consoleTest, lookAt, openConsole, signIn } from "../testing/console.ts";
import { toolsOn } from "../testing/console-tools.ts";
import { drop, editorOf, fillEditor, paste, textOf } from "../testing/file-editor.ts";
import { endSessionsOf, letTokenRunOut } from "../testing/sign-in-people.ts";
import { bookingFile, fixtureFile, ledgerFile } from "../testing/files.ts";
import { reportsAsJson, reportSource } from "../runner/report.ts";

const { stack, visit, stop } = await openConsole();
const { define } = toolsOn(stack);
const sql = postgres(stack.database, { max: 1, onnotice: () => {} });

const laidOut = (file: unknown) => `${JSON.stringify(file, null, 2)}\n`;
const problemsOf = (page: Page) => page.getByRole("button", { name: /^Line \d+/ });

consoleTest(
  "a file that is dropped anywhere is checked, shown as a host sees it, and becomes a tool",
  async () => {
    await visit(stack.admin, "/connections/new", async ({ page }) => {
      await page.getByText("Nothing here yet.").waitFor();
      await drop(page, {
        name: "open-invoices.json",
        bytes: new TextEncoder().encode(laidOut(ledgerFile())),
      });
      await page.getByText("open-invoices.json is here").waitFor();
      await page.getByText("The file is fine.").waitFor();
      await page.getByRole("heading", { name: "Example 1 of 2: two open" }).waitFor();
      await page.getByText("Whether the secret's name belongs to another host is for the workspace to say.")
        .waitFor();
      await lookAt(page, "add-tool-fine");
      await page.getByRole("button", { name: "Add the tool" }).click();
      const title = page.getByRole("heading", { name: "It is a tool of the workspace now" });
      await title.waitFor();
      await page.locator("h2:focus", { hasText: "It is a tool of the workspace now" }).waitFor();
      await page.getByText("It waits for CONNECTOR_LEDGER").waitFor();
      await lookAt(page, "add-tool-defined");
      await page.getByRole("link", { name: "Paste the value" }).click();
      await page.waitForURL(/\/connections\/ledger_open_invoices\?workspace_id=/);
    });
  },
);

consoleTest("what a host sees is what the runner prints", async () => {
  const files = [ledgerFile({ slug: "one" }), bookingFile({ slug: "two" }), fixtureFile({ slug: "three" })];
  await visit(stack.admin, "/connections/new", async ({ page }) => {
    for (const file of files) {
      const runner = reportsAsJson([reportSource("-", new TextEncoder().encode(laidOut(file)))]) as {
        host_sees: unknown[];
        notes: string[];
      };
      await fillEditor(page, laidOut(file));
      await page.getByText(String(file.slug), { exact: true }).waitFor();
      await page.getByRole("heading", {
        name: `Example ${runner.host_sees.length} of ${runner.host_sees.length}`,
      }).waitFor();
      const seen: unknown[] = [];
      for (const card of await page.getByRole("article").all()) {
        // One that was opened stays open while the file changes.
        if (await card.locator("pre").count() === 0) await card.getByText(/^The answer a host gets/).click();
        seen.push(JSON.parse(await card.locator("pre").innerText()));
      }
      assertEquals(seen, runner.host_sees);
      for (const note of runner.notes) {
        await page.getByText(note.replace(/^fixtures\[\d+\]: /, ""), { exact: true }).first().waitFor();
      }
    }
  });
});

consoleTest("problems appear as one types, beside their lines, and lead there", async () => {
  const names = ["access-unknown", "auth-value", "fixture-behind-empty-example", "arguments-word-misspelt"];
  await visit(stack.admin, "/connections/new", async ({ page }) => {
    await editorOf(page).waitFor();
    for (const name of names) {
      const file = FILES.invalid.find((bad) => bad.name === name)!;
      const text = new TextDecoder().decode(file.bytes);
      await fillEditor(page, text);
      await page.getByRole("heading", {
        name: file.lines.length === 1 ? "1 problem" : `${file.lines.length} problems`,
      })
        .waitFor();
      await page.getByText(file.lines[0]!.slice(file.lines[0]!.indexOf(": ") + 2)).first().waitFor();
      const told = await problemsOf(page).allInnerTexts();
      assertEquals(told.map((line) => line.replace(/^Line \d+\s*/, "")), [...file.lines], name);
      for (const [at, line] of file.lines.entries()) {
        const key = /([A-Za-z_$-]+)(?:"\])?: /.exec(line)![1]!;
        const row = Number(/^Line (\d+)/.exec(told[at]!)![1]);
        // It is told where its key stands, or at what lacks it.
        const lines = text.split("\n");
        if (lines.some((said) => said.includes(`"${key}":`))) {
          assertMatch(lines[row - 1]!, new RegExp(`"${key}"`), line);
        }
      }
    }
    await fillEditor(page, '{\n  "slug": "rooms",\n  oops\n}');
    await page.getByText(/where a key in double quotes is wanted/).waitFor();
    await problemsOf(page).first().click();
    await page.keyboard.type("!");
    assertEquals(await textOf(page), '{\n  "slug": "rooms",\n  !oops\n}');
    await page.getByText("found `!` at line 3, column 3")
      .waitFor();
    await fillEditor(
      page,
      laidOut(ledgerFile({ acces: "read", access: "reed", auth: { secret: "connector_ledger" } })),
    );
    await page.getByText("is not a key").or(page.getByText("not a known key")).first().waitFor();
    assertEquals(await page.locator(".cm-lint-marker-error").count() > 0, true);
    await lookAt(page, "add-tool-problems");
    await page.getByRole("button", { name: "Add the tool" }).click();
    await page.locator("h2:focus", { hasText: "problems" }).waitFor();
  });
});

consoleTest("the bundled check says of every file of the test data what the runner says", async () => {
  await visit(stack.admin, "/connections/new", async ({ page }) => {
    await editorOf(page).waitFor();
    const [worker] = page.workers();
    const files = [...FILES.valid, ...FILES.invalid].map(({ name, bytes }) => ({
      name,
      text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
      isText: isUtf8(bytes),
    })).filter(({ isText }) => isText);
    assert(files.length > 480, `${files.length}`);
    const said = await page.evaluate<{ name: string; lines: string[] }[]>(
      `(${ASK_WORKER})(${JSON.stringify({ url: worker!.url(), files })})`,
    );
    const lines = new Map(FILES.invalid.map(({ name, lines }) => [name, lines]));
    for (const { name, lines: found } of said) assertEquals(found, [...lines.get(name) ?? []], name);
    assertEquals(said.length, files.length);
  });
});

/** Takes what is offered first. For 75 ms after a list came the editor takes no Enter, so that nobody picks by accident. */
async function pick(page: Page): Promise<void> {
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
  await page.keyboard.press("Enter");
}

/** Asks the page's own worker about each file. */
const ASK_WORKER = `async ({ url, files }) => {
  const worker = new Worker(url, { type: "module" });
  const said = [];
  for (const [id, { name, text }] of files.entries()) {
    const answer = new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
    worker.postMessage({ asks: "check", id, text, told: [] });
    said.push({ name, lines: (await answer).checked.problems.map(({ line }) => line) });
  }
  worker.terminate();
  return said;
}`;

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

consoleTest(
  "keys and values are offered at the cursor with what they are for, by keyboard alone",
  async () => {
    await visit(stack.admin, "/connections/new", async ({ page }) => {
      await editorOf(page).click();
      await page.keyboard.type("{");
      await page.keyboard.press("Control+Space");
      await page.getByRole("option", { name: /^slug/ }).waitFor();
      await page.keyboard.type("ki");
      await page.getByRole("option", { name: /^kind/ }).waitFor();
      await page.getByText(/What the tool is\. request: One HTTP call/).waitFor();
      await lookAt(page, "add-tool-completion");
      await pick(page);
      await page.keyboard.press("Control+Space");
      await page.getByRole("option", { name: "fixture" }).waitFor();
      assertEquals((await page.getByRole("option").allInnerTexts()).map((text) => text.trim()), [
        "request",
        "fixture",
        "mcp",
      ]);
      await page.keyboard.type("fix");
      await page.getByRole("option", { name: "fixture" }).waitFor();
      await pick(page);
      await page.keyboard.type(", ac");
      await page.getByRole("option", { name: /^access/ }).waitFor();
      await pick(page);
      assertEquals(await textOf(page), '{"kind": "fixture", "access": ""}');
      // Tab is never taken: it leaves.
      await page.keyboard.press("Tab");
      assertEquals(await page.evaluate("document.activeElement.shadowRoot?.activeElement ?? null"), null);
    });
  },
);

consoleTest("what only the workspace knows is told beside its line too", async () => {
  const file = bookingFile({
    slug: "books_blindly",
    preview: { tool: "no_such_tool", args: {} },
  });
  await visit(stack.admin, "/connections/new", async ({ page }) => {
    await fillEditor(page, laidOut(file));
    await page.getByText(
      "Whether no_such_tool is a tool that reads, for preview, is for the workspace to say.",
    ).waitFor();
    await page.getByRole("button", { name: "Add the tool" }).click();
    await page.getByText("The workspace does not take this file").waitFor();
    await page.getByRole("heading", { name: "The workspace says" }).waitFor();
    const told = problemsOf(page);
    await told.waitFor();
    const line = laidOut(file).split("\n").findIndex((text) => text.includes("no_such_tool")) + 1;
    assertMatch(await told.innerText(), new RegExp(`^Line ${line}\\s*preview\\.tool: `));
    await lookAt(page, "add-tool-workspace-says");
    const { preview: _preview, ...mended } = file;
    await fillEditor(page, laidOut(mended));
    await page.getByRole("button", { name: "Add the tool" }).click();
    await page.getByRole("heading", { name: "It is a tool of the workspace now" }).waitFor();
    assertEquals(await page.getByRole("heading", { name: "The workspace says" }).count(), 0);
  }, { maySay: /400/ });
});

consoleTest(
  "a tool is replaced by its own file, an equal one changes nothing, and a rule against it is told in words",
  async () => {
    await define(fixtureFile({ slug: "replaced_rooms" }));
    await visit(stack.admin, "/connections/new?replace=replaced_rooms", async ({ page }) => {
      await page.getByText("It takes the place of Rooms, version 1.").waitFor();
      await page.getByRole("button", { name: "Replace the tool" }).click();
      await page.getByRole("heading", { name: "Nothing changed" }).waitFor();
      await page.getByText("keeps version 1").waitFor();
      await fillEditor(page, laidOut(fixtureFile({ slug: "replaced_rooms", name: "Rooms and halls" })));
      await page.getByRole("button", { name: "Replace the tool" }).click();
      await page.getByRole("heading", { name: "Replaced" }).waitFor();
      await page.getByText(/Rooms and halls is on .*, version 2\./).waitFor();
      // A write that would run from now on, or a fixture that would be live: the file of another kind is refused.
      await fillEditor(page, laidOut(ledgerFile({ slug: "replaced_rooms" })));
      await page.getByRole("button", { name: "Replace the tool" }).click();
      const refusal = page.getByRole("alert");
      await refusal.waitFor();
      assertMatch(await refusal.innerText(), /[Rr]emove/);
      await page.getByRole("link", { name: "Look at the tool that stands there" }).waitFor();
      assertMatch(await textOf(page), /CONNECTOR_LEDGER/);
      await lookAt(page, "add-tool-refused");
      await fillEditor(page, laidOut(fixtureFile({ slug: "other_rooms" })));
      await page.getByText(/The slug is another one/).waitFor();
    }, { maySay: /409/ });
  },
);

consoleTest(
  "what is written survives a reload and a session that ends, but nothing that may be a credential is kept",
  async () => {
    const file = laidOut(fixtureFile({ slug: "kept_rooms" }));
    await visit(null, "/connections/new", async ({ page }) => {
      // With a session of its own, which ends.
      await signIn(page, stack.member);
      await editorOf(page).waitFor();
      await fillEditor(page, file);
      await page.getByText("The file is fine.").waitFor();
      await page.reload();
      await page.getByText("What you were writing is here again").waitFor();
      assertEquals(await textOf(page), file);
      const pasted = file.replace('"The rooms of the house."', '"sk_live_abcdef123456"');
      await fillEditor(page, pasted);
      await page.getByText(/does not keep the text while something in it may be a credential/).waitFor();
      assertEquals(
        await page.evaluate("JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage })")
          .then((kept) => String(kept).includes("sk_live_")),
        false,
      );
      await fillEditor(page, file);
      await page.getByText("The file is fine.").waitFor();
      await endSessionsOf(sql, stack.member);
      await letTokenRunOut(page);
      await page.getByRole("button", { name: "Add the tool" }).click();
      await page.getByText("Your session has ended").waitFor();
      await page.getByLabel("Password").fill(stack.member.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "It is a tool of the workspace now" }).waitFor();
      assertEquals(await page.evaluate("sessionStorage.length"), 0);
    }, { maySay: /40[01]/ });
  },
);

consoleTest("text that is pasted beside the editor goes into it, and hostile text stays text", async () => {
  const hostile = '<img src=x onerror="document.title=1">\u202e';
  const file = fixtureFile({
    slug: "hostile_rooms",
    name: hostile,
    fixtures: [{ label: hostile, response: { rooms: [{ name: hostile, [hostile]: 1 }] } }],
  });
  await visit(stack.admin, "/connections/new", async ({ page }) => {
    await page.getByRole("heading", { name: "Add a tool" }).click();
    await paste(page, laidOut(file));
    await page.getByText("What you pasted is here").waitFor();
    await page.getByText("The file is fine.").waitFor();
    await page.getByText(/The answer a host gets/).click();
    await page.getByText(/U\+202E RIGHT-TO-LEFT OVERRIDE/).first().waitFor();
    assertEquals(await page.locator("img[src=x]").count(), 0);
    await fillEditor(page, laidOut({ ...file, access: hostile, [hostile]: 1 }));
    await problemsOf(page).filter({ hasText: "access" }).waitFor();
    assertEquals(await page.locator("img[src=x]").count(), 0);
    await page.getByRole("button", { name: "Begin with nothing" }).waitFor({ state: "detached" });
    await fillEditor(page, laidOut(file));
    await page.getByRole("button", { name: "Add the tool" }).click();
    await page.getByRole("heading", { name: "It is a tool of the workspace now" }).waitFor();
    assertEquals(await page.title(), "Add a tool · Framed");
  });
});

consoleTest(
  "files that are no text, too large, or of 256 KiB are told or taken, and typing goes on",
  async () => {
    await visit(stack.admin, "/connections/new", async ({ page }) => {
      await editorOf(page).waitFor();
      await drop(page, { name: "picture.json", bytes: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]) });
      await page.getByText("It is not UTF-8 text. Save it as UTF-8, then drop it again.").waitFor();
      await drop(page, { name: "large.json", bytes: new Uint8Array(1_100_000) });
      await page.getByText("It has 1,100,000 bytes; a file has at most 262,144.").waitFor();
      const rooms = Array.from(
        { length: 2_600 },
        (_, index) => ({ id: index, name: `Room ${index} of the house` }),
      );
      const large = laidOut(
        fixtureFile({ slug: "many_rooms", fixtures: [{ response: { rooms } }] }),
      );
      assert(large.length > 200_000 && large.length < 262_144, `${large.length}`);
      await drop(page, { name: "many.json", bytes: new TextEncoder().encode(large) });
      await page.getByText("The file is fine.").waitFor();
      await page.getByText("2600", { exact: true }).waitFor();
      await editorOf(page).click();
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.press("ArrowRight");
      await page.evaluate(WATCH);
      await page.keyboard.type('"a": 1,');
      await page.getByText("not a known key").first().waitFor();
    });
  },
);

/** Counts for how long nothing else could run, until it is asked. */
const WATCH = `{
  let [last, longest] = [performance.now(), 0];
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 10);
  globalThis.watched = () => {
    look();
    clearInterval(timer);
    return longest;
  };
}`;

consoleTest(
  "every file to begin with is fine, and a member without the grant may check but not add",
  async () => {
    await sql`
      update framed.members set grants = '{}' where workspace_id = ${stack.workspace_id} and role = 'member'`;
    await visit(stack.member, "/connections/new", async ({ page }) => {
      for (const name of ["A read", "A write", "Fixtures only", "An MCP server"]) {
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByText("The file is fine.").waitFor();
      }
      await page.getByText("The file has no fixture. What its calls do is for the server to say.").waitFor();
      await page.getByText("You can write and check a file here.").waitFor();
      assertEquals(await page.getByRole("button", { name: "Add the tool" }).count(), 0);
      await lookAt(page, "add-tool-mcp");
    });
  },
);

consoleTest("the stack ends", async () => {
  await sql.end();
  await stop();
});
