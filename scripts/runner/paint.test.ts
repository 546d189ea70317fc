import { assertEquals } from "@std/assert";
import { makePaint, printable, printableJson, wantsColour } from "./paint.ts";

Deno.test("wantsColour() is for a terminal that shows it and for nobody who refused it", () => {
  assertEquals(wantsColour({ isTerminal: true, env: {} }), true);
  assertEquals(wantsColour({ isTerminal: true, env: { NO_COLOR: "" } }), true);
  assertEquals(wantsColour({ isTerminal: false, env: {} }), false);
  assertEquals(wantsColour({ isTerminal: true, env: { NO_COLOR: "1" } }), false);
  assertEquals(wantsColour({ isTerminal: true, env: { TERM: "dumb" } }), false);
});

Deno.test("makePaint() styles with colour and leaves the text alone without", () => {
  assertEquals(makePaint(true)("red", "no"), "\x1b[31mno\x1b[39m");
  assertEquals(makePaint(false)("red", "no"), "no");
});

Deno.test("printable() writes out what a terminal would obey or a reader would not see", () => {
  assertEquals(printable("Büro 東京 🧾"), "Büro 東京 🧾");
  assertEquals(
    printable("a\x1b[2Jb\r\n\x9bc\u202ed\u200be\u2028"),
    "a\\u{1b}[2Jb\\u{d}\\u{a}\\u{9b}c\\u{202e}d\\u{200b}e\\u{2028}",
  );
  assertEquals(printable("\ud800"), "\\u{d800}");
});

Deno.test("printableJson() is JSON that reads back equal and shows every character", () => {
  const value = { "a\u202e": ["\x9b2J", "\u{e0041}", "\u{1f9fe}", { deep: "line\nbreak" }] };
  for (const indent of [0, 2]) {
    const text = printableJson(value, { indent });
    assertEquals(JSON.parse(text), value);
    assertEquals(/[\x9b\u202e]|\u{e0041}/u.test(text), false);
    assertEquals(text.includes("\u{1f9fe}"), true);
  }
});
