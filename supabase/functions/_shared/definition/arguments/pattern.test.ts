import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from "./limits.ts";
import { compilePattern, measurePattern, Pattern } from "./pattern.ts";

/** Measures and compiles, as a schema is read. */
function readPattern(source: string): Pattern | { readonly refused: string } {
  const measured = measurePattern(source);
  return "refused" in measured ? measured : compilePattern(measured);
}

function accepted(source: string): Pattern {
  const pattern = readPattern(source);
  assert(pattern instanceof Pattern, `${source}: ${"refused" in pattern ? pattern.refused : ""}`);
  return pattern;
}

const REFUSED: readonly (readonly [source: string, says: string])[] = [
  ["(?=a)", "look-around"],
  ["(?!a)b", "look-around"],
  ["(?<=a)b", "look-around"],
  ["(?<!a)b", "look-around"],
  ["(a)\\1", "back-reference"],
  ["(?<n>a)\\k<n>", "back-reference"],
  ["(?i)a", "flags"],
  ["(?i:a)", "flags"],
  ["(?P<n>a)", "begins no group"],
  ["(?<1>a)", "without a name"],
  ["(a", "nothing closes"],
  ["a)", "nothing opens"],
  ["[a", "nothing closes"],
  ["]", "by itself"],
  ["a}", "by itself"],
  ["a{x}", "no repetition"],
  ["a{2,1}", "out of order"],
  ["*a", "nothing to repeat"],
  ["a**", "nothing to repeat"],
  ["a{2}{3}", "by itself"],
  ["^*", "no width"],
  ["\\b+", "no width"],
  ["a\\", "ends in a backslash"],
  ["\\Aa\\z", "write `^` for the start"],
  ["\\Qa", "no escape of ECMAScript"],
  ["\\é", "an escape of no use"],
  ["\\01", "octal"],
  ["\\c1", "without a letter"],
  ["\\xg1", "hexadecimal"],
  ["\\u12", "hexadecimal"],
  ["\\u{110000}", "no character"],
  ["\\pL", "without `{…}`"],
  ["\\p{Greek}", "not taken"],
  ["\\p{Emoji}", "not taken"],
  ["\\P{Any}", "not taken"],
  ["\\p{Script=Klingon}", "linear-time engine"],
  ["[\\d-x]", "range"],
  ["[z-a]", "out of order"],
  ["(a{1000}){1000}", "more than 1,000 times"],
  ["((a{100}){100}){100}", "more than 1,000 times"],
  ["a{99999999999999999999}", "more than 1,000 times"],
  ["(?:abcde){900}", "too large"],
  ["(?:a?b?c?d?e?f?){900}", "too large"],
  ["x".repeat(MAX_PATTERN_LENGTH + 1), "513 characters long"],
];

Deno.test("readPattern() refuses in words what is no expression, or none a linear-time engine takes", () => {
  for (const [source, says] of REFUSED) {
    const pattern = readPattern(source);
    assert("refused" in pattern, source);
    assertStringIncludes(pattern.refused, says, source);
  }
});

const TAKEN: readonly (readonly [source: string, matches: readonly string[], misses: readonly string[]])[] = [
  ["^[A-Z]{2}\\d+$", ["NL12"], ["NL", "nl12", "NL12\n"]],
  ["b", ["abc"], ["ac"]],
  ["a$", ["ba"], ["a\n", "ab"]],
  ["^.$", ["a", "😀"], ["\n", "\r", "\u2028", "ab"]],
  ["^\\s$", [" ", "\u00a0", "\ufeff", "\v", "\u2003"], ["a", "\u200b"]],
  ["^\\S$", ["a", "é", "\u200b"], ["\u3000", "\n"]],
  ["^\\w+$", ["a_1"], ["é"]],
  ["^\\d$", ["7"], ["٣"]],
  ["^\\p{L}+$", ["Müller", "Жук"], ["a1"]],
  ["^\\p{Uppercase_Letter}$", ["Ä"], ["ä"]],
  ["^\\p{Script=Greek}+$", ["αβ"], ["ab"]],
  ["^[^]$", ["\n", "a"], [""]],
  ["[]", [], ["", "a"]],
  ["\\u00e9\\/\\u{1F600}\\ud83d\\ude00", ["é/😀😀"], ["e/"]],
  ["^[\\w.-]+@[\\w-]+\\.\\w{2,}$", ["a.b@c-d.nl"], ["a@b"]],
  ["^(?<year>\\d{4})-(?:0[1-9]|1[0-2])$", ["2026-01"], ["2026-13"]],
  ["^a\\-b\\ c\\@$", ["a-b c@"], []],
  ["\\bcat\\b", ["a cat."], ["cats"]],
  ["^[\\b]$", ["\b"], ["b"]],
  ["", ["", "anything"], []],
];

Deno.test("Pattern.matches() means what ECMA-262 means with the flag u", () => {
  for (const [source, matches, misses] of TAKEN) {
    const pattern = accepted(source);
    for (const text of matches) assert(pattern.matches(text), `${source} on ${JSON.stringify(text)}`);
    for (const text of misses) assert(!pattern.matches(text), `${source} on ${JSON.stringify(text)}`);
  }
});

Deno.test("Pattern.matches() agrees with RegExp on each character for every set that has no Unicode version", () => {
  for (
    const source of [
      "\\s",
      "\\S",
      "\\w",
      "\\W",
      "\\d",
      "\\D",
      ".",
      "[^\\s]",
      "[^\\S]",
      "\\p{ASCII}",
      "\\P{ASCII}",
    ]
  ) {
    const pattern = accepted(source);
    const native = new RegExp(source, "u");
    // The planes above the first hold no exception of any of these sets.
    for (let code = 0; code < 0x10100; code++) {
      const text = String.fromCodePoint(code);
      if (pattern.matches(text) !== native.test(text)) throw new Error(`${source} on U+${code.toString(16)}`);
    }
  }
});

const ATOMS = [
  ...[
    "a",
    "b",
    "é",
    "😀",
    "-",
    "\\d",
    "\\w",
    "\\s",
    "\\S",
    "\\W",
    "\\D",
    ".",
    "[^]",
    "[]",
    "[a-c]",
    "[^\\s]",
    "[\\S\\n]",
  ],
  ...[
    "[\\w-]",
    "\\p{L}",
    "\\P{Lu}",
    "[\\p{N}_]",
    "\\b",
    "\\B",
    "^",
    "$",
    "\\u00e9",
    "\\u{1F600}",
    "\\ud83d\\ude00",
    "\\/",
  ],
  ...[
    "\\n",
    "\\cA",
    "\\0",
    "\\x41",
    "[😀-😂]",
    "\\p{Script=Greek}",
    "[\\b]",
    "[.]",
    "[^\\W]",
    "[^\\S]",
    "]",
    "{",
    "[\\d-x]",
  ],
];
const QUANTIFIERS = ["*", "+", "?", "{0}", "{1}", "{2}", "{0,2}", "{1,}", "{2,}", "*?", "{2,3}?"];

const expressions: fc.Arbitrary<string> = fc.letrec<{ each: string }>((tie) => ({
  each: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...ATOMS),
    fc.tuple(tie("each"), tie("each")).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie("each"), tie("each")).map(([left, right]) => `(?:${left}|${right})`),
    fc.tuple(tie("each"), fc.constantFrom(...QUANTIFIERS)).map(([inner, times]) => `(${inner})${times}`),
    fc.tuple(tie("each"), fc.constantFrom("*", "+", "?")).map(([inner, times]) => `${inner}${times}`),
  ),
})).each;

const texts = fc.array(
  fc.constantFrom(
    "a",
    "b",
    "c",
    "A",
    "1",
    "_",
    " ",
    "\n",
    "\r",
    "\u2028",
    "\u00a0",
    "é",
    "😀",
    "😁",
    "-",
    "α",
    "\0",
    "\b",
  ),
  { maxLength: 8 },
).map((characters) => characters.join(""));

Deno.test("readPattern() takes nothing RegExp refuses, and matches what RegExp matches", () => {
  fc.assert(
    fc.property(expressions, fc.array(texts, { minLength: 3, maxLength: 5 }), (source, samples) => {
      const pattern = readPattern(source);
      if ("refused" in pattern) return;
      const native = new RegExp(source, "u");
      for (const text of samples) {
        // V8 lets \B match between the halves of a pair, which the standard does not.
        if (source.includes("\\B") && /[\ud800-\udfff]/.test(text)) continue;
        assertEquals(pattern.matches(text), native.test(text), `${source} on ${JSON.stringify(text)}`);
      }
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("readPattern() never throws and bounds the size of what it takes", () => {
  const soup = fc.array(fc.constantFrom(..."\\()[]{}?*+|^$.-,:=!<>kpPuxcdb019az\u{1F600}"), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), soup.map((all) => all.join(""))), (source) => {
      const pattern = readPattern(source);
      if (!("refused" in pattern)) assert(pattern.size <= MAX_PATTERN_SIZE);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("Pattern.stepsFor() grows with the program and the text", () => {
  const small = accepted("^a+$");
  const large = accepted("^(?:a?b?){300}$");
  assert(large.stepsFor("ab") > small.stepsFor("ab"));
  assert(small.stepsFor("a".repeat(800)) >= 100 * small.stepsFor(""));
});
