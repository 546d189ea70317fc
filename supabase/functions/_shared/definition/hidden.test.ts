import { assertEquals } from "@std/assert";
import { isAllVisible, revealHidden } from "./hidden.ts";

/** By what it does where it is seen: nothing, or another thing than it says. */
const HIDDEN: Readonly<Record<string, string>> = {
  "a control": "\u0007",
  "a control of C1": "\u0085",
  "a soft hyphen": "\u00ad",
  "a mark that turns text around": "\u202e",
  "a zero-width space": "\u200b",
  "a tag": "\u{e0041}",
  "a variation selector": "\ufe0f",
  "a variation selector that can carry a byte": "\u{e0141}",
  "a filler of Hangul": "\u3164",
  "a joiner of graphemes": "\u034f",
  "a blank of Braille": "\u2800",
  "a no-break space": "\u00a0",
  "a line separator": "\u2028",
  "private use": "\ue000",
  "half of a pair": "\ud800",
};

for (const [what, character] of Object.entries(HIDDEN)) {
  Deno.test(`isAllVisible() sees ${what}, and revealHidden() shows it`, () => {
    assertEquals(isAllVisible(`pay${character}me`), false);
    assertEquals(
      revealHidden(`pay${character}me`),
      `pay\\u{${character.codePointAt(0)!.toString(16)}}me`,
    );
  });
}

Deno.test("isAllVisible() takes what shows, with spaces in it and none at its ends", () => {
  for (const text of ["search_issues", "Zoek naar één", "検索", "a b"]) {
    assertEquals([isAllVisible(text), revealHidden(text)], [true, text]);
  }
  for (const text of [" a", "a ", "\n"]) assertEquals(isAllVisible(text), false, JSON.stringify(text));
});
