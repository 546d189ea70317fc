import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { canonicalJson } from "../definition/canonical-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import { type CardLine, cardOf, notesOn } from "./card.ts";
import { isHidden } from "./visible.ts";

function brief({ path, kind, text }: CardLine): string {
  return `${path} | ${kind} | ${text}`;
}

Deno.test("cardOf() shows every argument on a line of its own, in order, with its kind", () => {
  const args = {
    supplier: "Harbour Bakery",
    amount: 12.5,
    paid: false,
    note: null,
    lines: [{ id: 1, tags: [] }, "x"],
    more: {},
    "X-Trace": "",
    "a\"]['": { "0": "1" },
    "⟨": "\u202e",
  };
  assertEquals(cardOf(args).map(brief), [
    "supplier | text | Harbour Bakery",
    "amount | number | 12.5",
    "paid | boolean | false",
    "note | null | null",
    "lines[0].id | number | 1",
    "lines[0].tags | empty list | ",
    "lines[1] | text | x",
    "more | empty object | ",
    '["X-Trace"] | text | ',
    '["a\\"][\'"]["0"] | text | 1',
    '["⟨U+27E8 MATHEMATICAL LEFT ANGLE BRACKET⟩"] | text | ⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩',
  ]);
  assertEquals(cardOf({}), []);
});

Deno.test("cardOf() notes what a value and the names above it do not show by themselves", () => {
  const [name, value, plain, empty, long] = cardOf({
    "to\u202e": { a: "x", b: " p\u0430y\nnow\t" },
    plain: "PI-2041",
    empty: "",
    long: "x".repeat(10_240),
  });
  assertEquals(name!.notes, [
    "a name in its path: holds 1 hidden character, each marked",
    "a name in its path: ends with a blank",
  ]);
  assertEquals(value!.notes, [
    "one word mixes Latin and Cyrillic letters",
    "holds 2 hidden characters, each marked",
    "holds 1 line break",
    "begins with a blank",
    "ends with a blank",
  ]);
  assertEquals([plain!.notes, empty!.notes], [[], ["empty text"]]);
  assertEquals([long!.notes, long!.text.length], [["is long: 10,240 characters"], 10_240]);
});

Deno.test("cardOf() tells which texts come later and from where, for a call of a chain only", () => {
  const args = {
    id: "{{calls.0.result.data.id}}",
    note: "Of {{calls.0.result.n\u202e}} and {{calls.1.result.m}}",
    a: "b",
  };
  const late = [{ path: "id", call: 0, result_path: "data.id" }];
  assertEquals(cardOf(args, late).map(({ kind }) => kind), ["later", "later", "text"]);
  assertEquals(cardOf(args, late).map(({ notes }) => notes.slice(0, 2)), [
    ["comes from call 0 of this chain when it has run: data.id"],
    [
      "comes from call 0 of this chain when it has run: n⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩",
      "comes from call 1 of this chain when it has run: m",
    ],
    [],
  ]);
  assertEquals(cardOf(args).map(({ kind }) => kind), ["text", "text", "text"]);
  assertEquals(cardOf(args)[0]!.notes, []);
});

Deno.test("cardOf() shows 500 arguments and values of 10 kB whole", () => {
  const value = `${"é\u200b".repeat(2_000)}end`;
  const args = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`a${at}`, at === 250 ? value : `v${at}`]),
  );
  const card = cardOf(args);
  assertEquals(card.length, 500);
  assertEquals(card[499]!.text, "v499");
  assertEquals(card[250]!.text, `${"é⟨U+200B ZERO WIDTH SPACE⟩".repeat(2_000)}end`);
});

Deno.test("cardOf() grows in proportion to the arguments, however long and deep their names", () => {
  const many = Array.from({ length: 15_000 }, () => 1);
  let deep: JsonObject = { many };
  for (let level = 0; level < 55; level++) deep = { [`${level} ${"n".repeat(90)}`]: deep };
  for (const args of [{ ["k\u202e".repeat(10_000)]: many }, deep]) {
    const card = cardOf(args);
    const size = JSON.stringify(card).length;
    assert(size < 60 * JSON.stringify(args).length, `${size}`);
    assertEquals(card.filter(({ kind }) => kind === "number").length, 15_000);
  }
  const [place, first] = cardOf({ ["k".repeat(300)]: [7] });
  assertEquals([brief(place!), brief(first!)], [
    `place 1 | place | ${"k".repeat(300)}`,
    "[place 1][0] | number | 7",
  ]);
});

const piece = fc.constantFrom(
  "a",
  "b",
  "0",
  "1",
  ".",
  "[",
  "]",
  '"',
  "\\",
  "⟨",
  "⟩",
  "U+202E ",
  "RIGHT-TO-LEFT OVERRIDE",
  "\u202e",
  "\u200b",
  "\n",
  "\r",
  " ",
  "\u00a0",
  "\u0301",
  "\ud800",
  "\udc00",
  "\u{e0041}",
  "\ufe0f",
  "{{calls.0.result.id}}",
  "place 1",
  "null",
  "true",
  "\uffff",
  "k".repeat(210),
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    text,
    fc.constantFrom<JsonValue>(0, 1, -1, 1.5, true, false, null, [], {}),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
}));
const args = fc.dictionary(text, value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

/** Values that hold no others, in order. */
function leaves(value: JsonValue): JsonValue[] {
  const members = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return members.length === 0 ? [value] : members.flatMap(leaves);
}

Deno.test("cardOf() shows every argument, and no hidden character, whatever the arguments", () => {
  fc.assert(
    fc.property(args, fc.boolean(), (args, isLate) => {
      const card = cardOf(args, isLate ? [{ path: "a", call: 0, result_path: "id" }] : []);
      const shown = card.filter(({ kind }) => kind !== "place");
      const all = Object.values(args).flatMap(leaves);
      assertEquals(shown.length, all.length);
      all.forEach((leaf, at) => {
        const { text } = shown[at]!;
        if (typeof leaf === "string") assertEquals(unmarked(text), leaf);
        else assertEquals(text, typeof leaf === "object" && leaf !== null ? "" : JSON.stringify(leaf));
      });
      for (const { path, text, notes } of card) {
        for (const told of [path, text.replaceAll("⟩\n", "⟩"), ...notes]) {
          assert([...told].every((character) => !isHidden(character)), JSON.stringify(told));
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

function unmarked(shown: string): string {
  return shown.replace(
    /⟨U\+([0-9A-F]{4,6}) [^⟩]*⟩\n?/g,
    (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)),
  );
}

Deno.test("cardOf() never gives equal lines for arguments that differ", () => {
  const seen = new Map<string, string>();
  const told = ({ path, text, kind }: CardLine) => [path, text, kind];
  fc.assert(
    fc.property(args, (args) => {
      const card = JSON.stringify(cardOf(args).map(told));
      const form = canonicalJson(args);
      assertEquals(seen.get(card) ?? form, form);
      seen.set(card, form);
    }),
    { numRuns: 5_000 },
  );
  const small = fc.dictionary(
    fc.constantFrom("a", "a.b", 'a"]["b', "[0]", "0", "a[0]"),
    fc.oneof(
      fc.constantFrom<JsonValue>("1", 1, [1], { b: 1 }, { "0": 1 }, [], {}, "", "null", null),
      fc.dictionary(fc.constantFrom("b", "0", "b.c"), fc.constantFrom<JsonValue>(1, "1", [], {})),
    ),
    { maxKeys: 2 },
  ) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(small, small, (one, other) => {
      if (canonicalJson(one) === canonicalJson(other)) return;
      assertNotEquals(cardOf(one).map(told), cardOf(other).map(told));
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("notesOn() says nothing of plain text", () => {
  assertEquals(notesOn("PI-2041"), []);
});
