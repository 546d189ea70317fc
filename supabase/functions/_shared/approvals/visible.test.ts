import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isHidden, shownLines, shownText } from "./visible.ts";

Deno.test("shownText() shows every class of what does not show by its code point and name", () => {
  const cases: [string, string][] = [
    ["plain text, ~!\"'<>[]", "plain text, ~!\"'<>[]"],
    ["Müller 日本 Привет 🥖", "Müller 日本 Привет 🥖"],
    ["a\u202eb", "a⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩b"],
    ["a\u2066b\u2069", "a⟨U+2066 LEFT-TO-RIGHT ISOLATE⟩b⟨U+2069 POP DIRECTIONAL ISOLATE⟩"],
    ["a\u200bb\ufeff", "a⟨U+200B ZERO WIDTH SPACE⟩b⟨U+FEFF ZERO WIDTH NO-BREAK SPACE⟩"],
    ["a\u00a0b\u3000", "a⟨U+00A0 NO-BREAK SPACE⟩b⟨U+3000 IDEOGRAPHIC SPACE⟩"],
    [
      "a\u0000\u001b\u0001\u009f",
      "a⟨U+0000 NULL⟩⟨U+001B ESCAPE⟩⟨U+0001 CONTROL CHARACTER⟩⟨U+009F CONTROL CHARACTER⟩",
    ],
    ["a\nb\r\n", "a⟨U+000A LINE FEED⟩b⟨U+000D CARRIAGE RETURN⟩⟨U+000A LINE FEED⟩"],
    ["❤\ufe0f", "❤⟨U+FE0F VARIATION SELECTOR-16⟩"],
    ["a\u{e0100}\u{e01ef}", "a⟨U+E0100 VARIATION SELECTOR-17⟩⟨U+E01EF VARIATION SELECTOR-256⟩"],
    [
      "a\u{e0041}\u{e0020}\u{e0001}\u{e007f}",
      "a⟨U+E0041 TAG A⟩⟨U+E0020 TAG SPACE⟩⟨U+E0001 LANGUAGE TAG⟩⟨U+E007F CANCEL TAG⟩",
    ],
    ["a\ufff9b", "a⟨U+FFF9 INTERLINEAR ANNOTATION ANCHOR⟩b"],
    ["\ue000\u{f0000}", "⟨U+E000 PRIVATE USE⟩⟨U+F0000 PRIVATE USE⟩"],
    ["\u0378\uffff", "⟨U+0378 UNASSIGNED⟩⟨U+FFFF UNASSIGNED⟩"],
    ["\ud83e!\udd56", "⟨U+D83E UNPAIRED SURROGATE⟩!⟨U+DD56 UNPAIRED SURROGATE⟩"],
    [
      "\u3164\u2800\u115f",
      "⟨U+3164 HANGUL FILLER⟩⟨U+2800 BRAILLE PATTERN BLANK⟩⟨U+115F HANGUL CHOSEONG FILLER⟩",
    ],
    [
      "\u0301a\u0301 \u0338\u0338b",
      "⟨U+0301 COMBINING MARK⟩a\u0301 ⟨U+0338 COMBINING MARK⟩⟨U+0338 COMBINING MARK⟩b",
    ],
    ["\u200b\u0301", "⟨U+200B ZERO WIDTH SPACE⟩⟨U+0301 COMBINING MARK⟩"],
    [
      "⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩",
      "⟨U+27E8 MATHEMATICAL LEFT ANGLE BRACKET⟩U+202E RIGHT-TO-LEFT OVERRIDE⟨U+27E9 MATHEMATICAL RIGHT ANGLE BRACKET⟩",
    ],
    ["〈U+202E〉", "⟨U+3008 LEFT ANGLE BRACKET⟩U+202E⟨U+3009 RIGHT ANGLE BRACKET⟩"],
  ];
  for (const [text, shown] of cases) assertEquals(shownText(text), shown);
});

Deno.test("shownLines() breaks the line behind the mark of a line break, once for a pair", () => {
  const lf = "⟨U+000A LINE FEED⟩";
  const cr = "⟨U+000D CARRIAGE RETURN⟩";
  assertEquals(shownLines("a\nb"), `a${lf}\nb`);
  assertEquals(shownLines("a\r\nb\rc\n\n"), `a${cr}${lf}\nb${cr}\nc${lf}\n${lf}\n`);
  assertEquals(
    shownLines("a\u2028b\u0085c\td"),
    "a⟨U+2028 LINE SEPARATOR⟩\nb⟨U+0085 NEXT LINE⟩\nc⟨U+0009 TAB⟩d",
  );
});

/** Reads marks back into what they stand for. */
function unmarked(shown: string): string {
  return shown.replace(
    /⟨U\+([0-9A-F]{4,6}) [^⟩]*⟩\n?/g,
    (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)),
  );
}

Deno.test("shownText() and shownLines() hide nothing and can be read back, whatever the text", () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
    fc.integer({ min: 0, max: 0x2fff }).map((point) => String.fromCodePoint(point)),
    fc.constantFrom(
      "⟨",
      "⟩",
      "U+202E",
      "\u202e",
      "\n",
      "\r",
      " ",
      "\u0301",
      "\ud800",
      "\udc00",
      "a",
      "\u{e0041}",
    ),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }).map((units) => units.join("")), (text) => {
      const shown = shownText(text);
      assert([...shown].every((character) => !isHidden(character)), JSON.stringify(text));
      assert([...shownLines(text).replaceAll("⟩\n", "⟩")].every((character) => !isHidden(character)));
      assertEquals(unmarked(shown), text);
      assertEquals(unmarked(shownLines(text)), text);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("isHidden() knows every character that a browser draws as nothing or as a blank", () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    if (/[\p{C}\p{Z}\p{DI}]/u.test(character)) {
      assertEquals(isHidden(character), character !== " ", point.toString(16));
    }
  }
  for (const shown of "aZ09é日א🥖.,-_\u0301") assert(!isHidden(shown), shown);
});
