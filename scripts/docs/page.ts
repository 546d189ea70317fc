/** Runs a page of the docs from top to bottom: what it shows, a reader gets. */

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { type Example, readExamples } from "./examples.ts";
import { assertAsDocumented } from "./expected.ts";
import { assertCallRefused, assertRefused, assertSends, readTool, startsWithCall } from "./file-examples.ts";
import type { FramedTool } from "../../supabase/functions/_shared/framed-tool.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Every example of `markdown` in its order, a step each.
 *
 * - `json` is a file, or with `part` some keys of one; it passes the check. `save <name>` also puts it into the
 *   terminal's folder. With `refused` the check refuses it in the lines of the `text` block that follows.
 * - `http` and `text` that begin with `# {…}` are what the last file makes of that call: a request, or a refusal.
 * - `sh` runs in `terminal`. What it prints is its standard output, or where that is empty its standard error.
 * - `json` or `text` with `answer` is what the commands before it printed, `…` for what differs from run to run.
 */
export async function runPage(t: Deno.TestContext, markdown: string, terminal: Terminal): Promise<void> {
  const page = new Page(terminal);
  for (const example of readExamples(markdown)) {
    const { line, language, marker } = example;
    const name = `line ${line}: ${language}${marker === null ? "" : ` (${marker})`}`;
    await t.step({
      name,
      fn: () => page.show(example),
      sanitizeOps: false,
      sanitizeResources: false,
    });
  }
  page.end();
}

class Page {
  #tool: FramedTool | null = null;
  #refused: Example | null = null;
  #printed: string | null = null;

  constructor(readonly terminal: Terminal) {}

  async show(example: Example): Promise<void> {
    const { language, marker, text } = example;
    if (this.#refused !== null) {
      assertEquals([language, marker], ["text", null], "the lines of the refused file are wanted here");
      const refused = this.#refused;
      this.#refused = null;
      return assertRefused(refused, text);
    }
    if (marker === "answer") return this.#answer(example);
    switch (language) {
      case "json":
        return await this.#file(example);
      case "sh":
        return await this.#run(example);
      case "http":
        return assertSends(this.#lastTool(), example);
      case "text":
        assert(startsWithCall(example), "is neither a call nor marked as an answer");
        return assertCallRefused(this.#lastTool(), example);
      default:
        throw new Error(`nothing runs an example in "${language}"`);
    }
  }

  /** Fails when something that was shown was never followed by what it answers. */
  end(): void {
    assertEquals(this.#refused, null, "a refused file without its lines");
  }

  async #file(example: Example): Promise<void> {
    if (example.marker === "refused") {
      this.#refused = example;
      return;
    }
    this.#tool = readTool(example);
    const name = /^save (\S+)$/.exec(example.marker ?? "")?.[1];
    assert(name !== undefined || example.marker === null || example.marker === "part");
    if (name !== undefined) await Deno.writeTextFile(join(this.terminal.folder, name), `${example.text}\n`);
  }

  async #run({ text }: Example): Promise<void> {
    const { code, stdout, stderr } = await this.terminal.run(text);
    assertEquals(code, 0, `${stdout}\n${stderr}`);
    this.#printed = stdout === "" ? stderr : stdout;
  }

  #answer({ language, text }: Example): void {
    assert(this.#printed !== null, "answers no command");
    const printed = this.#printed;
    if (language === "json") assertAsDocumented(JSON.parse(printed), JSON.parse(text), printed);
    else assertAsDocumented(printed.trimEnd().split("\n"), text.split("\n"), printed);
  }

  #lastTool(): FramedTool {
    assert(this.#tool !== null, "no file comes before it");
    return this.#tool;
  }
}
