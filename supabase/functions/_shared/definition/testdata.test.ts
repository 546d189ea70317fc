import { assert, assertEquals } from "@std/assert";
import { MAX_LINES } from "./problem.ts";
import { readFramedTool } from "../framed-tool.ts";
import { FILES, type TestFile } from "./testdata/files.ts";

Deno.test("readFramedTool() takes every good file", () => {
  for (const { name, bytes } of FILES.valid) {
    const result = readFramedTool(bytes);
    assertEquals(result.ok ? [] : result.problems, [], name);
  }
});

Deno.test("readFramedTool() tells of every bad file exactly the lines beside it", () => {
  for (const { name, bytes, lines } of FILES.invalid) {
    const result = readFramedTool(bytes);
    assertEquals(result.ok ? [] : result.problems, lines, name);
  }
});

Deno.test("readFramedTool() tells each thing once, in one line, with its place", () => {
  for (const { name, bytes } of FILES.invalid) {
    const result = readFramedTool(bytes);
    assert(!result.ok && result.problems.length > 0, name);
    assertEquals(new Set(result.problems).size, result.problems.length, name);
    assert(result.problems.length <= MAX_LINES + 1, name);
    for (const line of result.problems) {
      assert(/^[$\w]\S*(\[".*"\])?\S*: \S[^\n]*$/.test(line), `${name}: ${line}`);
    }
  }
});

Deno.test("the test data holds at least 40 good and 120 bad files, and nothing that is neither", () => {
  assert(FILES.valid.length >= 40);
  assert(FILES.invalid.length >= 120);
  assertEquals(FILES.invalid.filter(({ lines }) => lines.length === 0).map(({ name }) => name), []);
  for (const kind of ["request", "fixture", "mcp"]) {
    assert(FILES.valid.some((file) => toolOf(file).kind === kind), `no good file of kind ${kind}`);
  }
});

Deno.test("every check is hit by a bad file", async () => {
  const lines = FILES.invalid.flatMap((file) => file.lines.map((line) => line.slice(line.indexOf(": ") + 2)));
  const missed: string[] = [];
  for (const { file, words } of await saidByChecks()) {
    if (!lines.some((line) => words.test(line))) missed.push(`${file}: ${words.source}`);
  }
  assertEquals(missed, []);
});

function toolOf({ bytes }: TestFile) {
  const result = readFramedTool(bytes);
  assert(result.ok);
  return result.tool;
}

/** The files whose every sentence is about a file, and never about a call, a credential or a broken program. */
const OF_FILES_ONLY = [
  "check.ts",
  "arguments/root.ts",
  "arguments/references.ts",
  "request/query.ts",
];

/**
 * The words of every problem the checks can tell, read from their source: each text literal with two blanks or more,
 * where what is filled in stands for anything. The count notices when checks are no longer written that way.
 */
async function saidByChecks(): Promise<{ file: string; words: RegExp }[]> {
  const said: { file: string; words: RegExp }[] = [];
  const checks = [...Deno.readDirSync(new URL("./checks/", import.meta.url))].map(({ name }) =>
    `checks/${name}`
  );
  for (const file of [...checks, ...OF_FILES_ONLY]) {
    if (file.endsWith(".test.ts")) continue;
    const source = await Deno.readTextFile(new URL(file, import.meta.url));
    for (const [literal] of source.matchAll(LITERAL)) {
      const text = literal.slice(1, -1);
      if (!isSentence(text)) continue;
      const pattern = text.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/).map(escapePattern).join(".*");
      said.push({ file, words: new RegExp(pattern, "s") });
    }
  }
  assert(said.length >= 80, `only ${said.length} checks found in the source`);
  return said;
}

/** A text literal of a line that is no comment. */
const LITERAL = /(?<=^(?! *\*| *\/[/*]).*)(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/gm;

function isSentence(text: string): boolean {
  return / .* /.test(text) && !text.startsWith("file: and ");
}

function escapePattern(text: string): string {
  return text.replace(/\\(["'`\\])/g, "$1").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
