import { assertEquals } from "@std/assert";
import { makePaint } from "./paint.ts";
import { listProblems } from "./problems.ts";

const PLAIN = { paint: makePaint(false), columns: null };
const COLOURED = { paint: makePaint(true), columns: null };

/** The parts are told apart by the style around the first. */
const LINES: [line: string, path: string][] = [
  ['slug: found "a: b"; another is wanted', "slug"],
  ["fixtures[0].example.supplier: wants text", "fixtures[0].example.supplier"],
  ['request.headers["X: Y"]: is no name of a header', 'request.headers["X: Y"]'],
  ['request.headers["a\\": b"].x: is no name', 'request.headers["a\\": b"].x'],
  ["file: and 3 more problems; these come first", "file"],
  ["no path: at all", ""],
  ["words", ""],
  [": nothing before it", ""],
  ['request.headers["never closed: x', ""],
];

for (const [line, path] of LINES) {
  Deno.test(`listProblems() sets off the path of ${line}`, () => {
    const painted = path === "" ? line : `\x1b[33m${path}\x1b[39m${line.slice(path.length)}`;
    assertEquals(listProblems([line], COLOURED), `  ${painted}\n`);
    assertEquals(listProblems([line], PLAIN), `  ${line}\n`);
  });
}

Deno.test("listProblems() takes its time from the length of a line alone", () => {
  const line = `${'["'.repeat(100_000)}${"a".repeat(100_000)}`;
  assertEquals(listProblems([line], COLOURED), `  ${line}\n`);
});
