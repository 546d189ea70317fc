import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { cardOf } from "../../../../supabase/functions/_shared/approvals/card.ts";
import { beginningOf, moreInWords } from "./beginning.ts";

const begin = (...args: Parameters<typeof cardOf>[0][]) =>
  beginningOf(args.map((args) => ({ call: {}, lines: cardOf(args) })));

Deno.test("beginningOf() shows a short call whole", () => {
  const { calls, isWhole } = begin({ number: "2026-1", amount: 12, note: "x".repeat(280) });
  assert(isWhole);
  assertEquals(calls[0]!.lines, cardOf({ number: "2026-1", amount: 12, note: "x".repeat(280) }));
});

Deno.test("beginningOf() says how many values, calls and characters are not shown", () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, n]));
  assertEquals(moreInWords(begin(many).more), "8 more values");
  assertEquals(moreInWords(begin(many, { a: 1, b: 2 }, { c: 3 }).more), "2 more calls, 11 more values");
  const { more, calls } = begin({ text: "x".repeat(5_280) });
  assertEquals(moreInWords(more), "5,000 more characters");
  assertEquals(calls[0]!.lines![0]!.notes.at(-1), "this is its beginning: 5,000 more characters");
});

Deno.test("beginningOf() leaves out a long preview, and says so", () => {
  const call = { preview: { result: "x".repeat(1_000) } };
  const { more, isWhole, calls } = beginningOf([{ call, lines: [] }]);
  assertEquals([moreInWords(more), isWhole, calls[0]!.preview], ["what it looks like now", false, null]);
});

Deno.test("beginningOf() cuts a text neither within a mark nor within a pair, and never shows more than there is", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("a", "\u202e", "\u200b", "⟨", "😀", "\n"),
    minLength: 200,
    maxLength: 400,
  });
  fc.assert(fc.property(hostile, (text) => {
    const [whole] = cardOf({ text });
    const shown = begin({ text }).calls[0]!.lines![0]!;
    assert(whole!.text.startsWith(shown.text));
    assert(shown.text.isWellFormed());
    assertEquals(shown.text.match(/⟨/g)?.length, shown.text.match(/⟩/g)?.length);
  }));
});
