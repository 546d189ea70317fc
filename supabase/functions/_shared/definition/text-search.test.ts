import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { includesText } from "./text-search.ts";

Deno.test("includesText() says what String.includes() says, on texts full of near matches", () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "a", "a", "b"), maxLength });
  const part = fc.tuple(letters(3), fc.nat(90)).map(([tail, length]) => "ab".repeat(length) + tail);
  fc.assert(
    fc.property(letters(200), part, letters(200), fc.boolean(), (before, part, after, put) => {
      const text = before + (put ? part : part.slice(1)) + after;
      assertEquals(includesText(text, part), text.includes(part));
    }),
    { numRuns: 3_000 },
  );
  assertEquals(includesText("a".repeat(100), ""), true);
  assertEquals(includesText("a".repeat(100), "a".repeat(101)), false);
});
