import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { wrap } from "./layout.ts";
import { makePaint } from "./paint.ts";

const CASES: [name: string, text: string, wrapped: string][] = [
  ["a text that fits", "one two three four", "one two three four"],
  ["at blanks", "one two three four five", "one two three four\n  five"],
  ["blanks in a row", "one  two   three", "one  two   three"],
  ["inside a long word", "x".repeat(45), `${"x".repeat(20)}\n  ${"x".repeat(18)}\n  ${"x".repeat(7)}`],
  ["before a long word", `a ${"x".repeat(20)}`, `a\n  ${"x".repeat(18)}\n  xx`],
  [
    "never inside an address",
    `at https://console.example/connections`,
    "at\n  https://console.example/connections",
  ],
  ["no half of a pair", "🧾".repeat(21), `${"🧾".repeat(20)}\n  🧾`],
];

for (const [name, text, wrapped] of CASES) {
  Deno.test(`wrap() breaks ${name}`, () => {
    assertEquals(wrap(text, { at: 0, hang: 2, columns: 20 }), wrapped);
    assertEquals(wrap(text, { at: 0, hang: 2, columns: null }), text);
  });
}

Deno.test("wrap() loses nothing, passes no edge and takes a style for no column", () => {
  const bold = makePaint(true);
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "東", '"') }), { maxLength: 12 });
  fc.assert(fc.property(texts, fc.integer({ min: 18, max: 60 }), (words, columns) => {
    const text = words.join(" ");
    const plain = wrap(text, { at: 2, hang: 2, columns });
    // Each break stands for a blank, or for nothing inside a long word.
    assertEquals(plain.replace(/\n {2}/g, "").replaceAll(" ", ""), text.replaceAll(" ", ""));
    for (const line of `  ${plain}`.split("\n")) assert([...line].length <= columns, line);
    const painted = wrap(bold("bold", text), { at: 2, hang: 2, columns });
    // deno-lint-ignore no-control-regex
    assertEquals(painted.replace(/\x1b\[\d+m/g, ""), plain);
  }));
});
