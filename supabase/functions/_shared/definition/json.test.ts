import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type JsonResult, parseJson } from "./json.ts";
import { formatProblem } from "./problem.ts";

const LIMIT = { maxBytes: 256 * 1024 };

function lines(result: JsonResult): string[] {
  return result.ok ? [] : result.problems.map(formatProblem);
}

const UNSAFE = "the integer is beyond ±9007199254740991 and would lose digits; write it as a text";

const BAD: readonly (readonly [what: string, text: string, problems: readonly string[]])[] = [
  ["an empty text", "", ["file: the text is empty; JSON is wanted"]],
  ["blanks only", " \n ", ["file: the text is empty; JSON is wanted"]],
  ["a text that ends early", '{"a": ', ["file: the text ends at line 1, column 7, where a value is wanted"]],
  ["a comma before the end of an object", '{"a":1,\n}', [
    "file: found `}` at line 2, column 1, where another key after the comma is wanted",
  ]],
  ["a comma before the end of a list", "[1,]", [
    "file: found `]` at line 1, column 4, where another value after the comma is wanted",
  ]],
  ["a missing comma", '{"a":1 "b":2}', [
    'file: found `"` at line 1, column 8, where a comma or the end of the object is wanted',
  ]],
  ["a missing colon", '{"a" 1}', ["file: found `1` at line 1, column 6, where a colon is wanted"]],
  ["a comment", "// x\n{}", ["file: found `/` at line 1, column 1, where a value is wanted"]],
  ["single quotes", "{'a':1}", [
    "file: found `'` at line 1, column 2, where a key in double quotes is wanted",
  ]],
  ["a bare word", "[sk_live_abcdefgh]", ["file: found `s` at line 1, column 2, where a value is wanted"]],
  ["NaN", "NaN", ["file: found `N` at line 1, column 1, where a value is wanted"]],
  ["a leading zero", "[01]", ["file: the number at line 1, column 2 is not written as JSON writes numbers"]],
  ["a bare point", "1.", ["file: the number at line 1, column 1 is not written as JSON writes numbers"]],
  ["a lone minus", "-", ["file: the text ends at line 1, column 2, where a digit is wanted"]],
  ["a plus", "+1", ["file: found `+` at line 1, column 1, where a value is wanted"]],
  ["more than one value", "{} {}", [
    "file: found `{` at line 1, column 4, where the end of the text is wanted",
  ]],
  ["a second byte order mark", "\uFEFF\uFEFF{}", [
    "file: found U+FEFF at line 1, column 1, where a value is wanted",
  ]],
  ["a no-break space", "\u00a0{}", ["file: found U+00A0 at line 1, column 1, where a value is wanted"]],
  ["an open text", '{"a":"b', ["file: a text opened at line 1, column 6 is never closed"]],
  ["a raw line break in a text", '["a\nb"]', [
    "file: a raw line break or control character stands inside a text at line 1, column 4; escape it",
  ]],
  ["an unknown escape", String.raw`["\x41"]`, [
    "file: the backslash at line 1, column 3 begins no escape that JSON knows; double it",
  ]],
  ["a short \\u", String.raw`["\u12"]`, [
    "file: the backslash at line 1, column 3 begins no escape that JSON knows; double it",
  ]],
  ["a raw NUL", '["\0"]', ["file: found U+0000 at line 1, column 3, where no NUL is wanted"]],
  ["an escaped NUL", String.raw`{"a":["x\u0000"]}`, ["a[0]: a text holds a NUL character; leave it out"]],
  ["half a pair", String.raw`{"a":"\ud800"}`, [
    "a: a text holds half of a surrogate pair; write the whole character",
  ]],
  ["half a pair in a key", String.raw`{"\udc00":1}`, [
    "file: a key holds half of a surrogate pair; write the whole character",
  ]],
  ["an unsafe integer", '{"a":9007199254740992}', [`a: ${UNSAFE}`]],
  ["an unsafe negative integer", "[-9007199254740992]", [`[0]: ${UNSAFE}`]],
  ["an unsafe integer in the form of a fraction", "[9007199254740993.0]", [`[0]: ${UNSAFE}`]],
  ["an unsafe integer with an exponent", "[1e20]", [`[0]: ${UNSAFE}`]],
  ["an overflow", "[1e400,-1e400]", [
    "[0]: the number is too large to be kept; write it as a text",
    "[1]: the number is too large to be kept; write it as a text",
  ]],
  ["a key given twice", '{"a":{"b":1,"b":2}}', [
    "a.b: the key is given more than once (again at line 1, column 13); keep one of them",
  ]],
  ["a key given twice under another spelling", String.raw`{"a":1,"\u0061":2,"a":3}`, [
    "a: the key is given more than once (again at line 1, column 8); keep one of them",
  ]],
  ["__proto__ given twice", '{"__proto__":1,"__proto__":2}', [
    "__proto__: the key is given more than once (again at line 1, column 16); keep one of them",
  ]],
  ["several at once, then a syntax error", '{"a":1e400,"a":1,"b":"\\u0000","c":}', [
    "a: the number is too large to be kept; write it as a text",
    "a: the key is given more than once (again at line 1, column 12); keep one of them",
    "b: a text holds a NUL character; leave it out",
    "file: found `}` at line 1, column 35, where a value is wanted",
  ]],
  ["201 levels", "[".repeat(201), ["file: objects and lists stand in each other more than 200 levels deep"]],
];

for (const [what, text, problems] of BAD) {
  Deno.test(`parseJson() refuses ${what}`, () => assertEquals(lines(parseJson(text, LIMIT)), [...problems]));
}

Deno.test("parseJson() takes one leading byte order mark, as text and as bytes", () => {
  assertEquals(parseJson("\uFEFF[1]", LIMIT), { ok: true, value: [1] });
  assertEquals(parseJson(new TextEncoder().encode("\uFEFF[1]"), LIMIT), { ok: true, value: [1] });
});

Deno.test("parseJson() says where bytes stop being UTF-8 and goes on looking", () => {
  const bytes = new Uint8Array([
    ...new TextEncoder().encode('{"a":"é'),
    0xff,
    ...new TextEncoder().encode('","b":1e400}'),
  ]);
  assertEquals(lines(parseJson(bytes, LIMIT)), [
    "file: byte 9 does not belong to UTF-8 text; save the file as UTF-8",
    "b: the number is too large to be kept; write it as a text",
  ]);
  const surrogate = new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]);
  assertEquals(lines(parseJson(surrogate, LIMIT)), [
    "file: byte 2 does not belong to UTF-8 text; save the file as UTF-8",
  ]);
});

Deno.test("parseJson() counts bytes, not characters, and says size and limit", () => {
  const text = JSON.stringify("é😀a");
  assertEquals(parseJson(text, { maxBytes: 9 }).ok, true);
  assertEquals(lines(parseJson(text, { maxBytes: 8 })), [
    "file: the text is 9 bytes; at most 8 bytes are taken",
  ]);
  assertEquals(lines(parseJson(new TextEncoder().encode(text), { maxBytes: 8 })), [
    "file: the text is 9 bytes; at most 8 bytes are taken",
  ]);
});

Deno.test("parseJson() keeps __proto__ as a key", () => {
  const result = parseJson('{"__proto__":{"admin":true},"constructor":1,"toString":2}', LIMIT);
  assert(result.ok);
  assertEquals(Object.keys(result.value as object), ["__proto__", "constructor", "toString"]);
  assertEquals((result.value as { admin?: boolean }).admin, undefined);
});

Deno.test("parseJson() takes safe integers in every spelling", () => {
  assertEquals(parseJson("[9007199254740991,-9007199254740991,1.0,1e2,0.1,-0,1E-400]", LIMIT), {
    ok: true,
    value: [9007199254740991, -9007199254740991, 1, 100, 0.1, -0, 0],
  });
});

Deno.test("parseJson() tells the first thousand problems", () => {
  const told = lines(parseJson(`[${"1e400,".repeat(2_000)}1]`, LIMIT));
  assertEquals(told.length, 1_001);
  assertEquals(told.at(-1), "file: there are more problems; these are the first");
});

Deno.test("parseJson() takes 200 levels", () => {
  assertEquals(parseJson("[".repeat(200) + "]".repeat(200), LIMIT).ok, true);
});

Deno.test("parseJson() agrees with JSON.parse on every value JSON.stringify writes", () => {
  const value = fc.jsonValue({ maxDepth: 6 }).filter((value) => !JSON.stringify(value).includes("\\u0000"));
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const result = parseJson(text, LIMIT);
      assertEquals(result.ok, !holdsUnsafeInteger(value), lines(result).join("\n"));
      if (result.ok) assertEquals(result.value, JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

Deno.test("parseJson() takes no text that JSON.parse refuses, and never throws", () => {
  const pieces = fc.constantFrom(
    ...'{}[]:,"\\ \n\t0123456789-+.eEtrufalsn/bx\uFEFF\0\ud800',
    "true",
    "null",
    '"a":',
    "\\u0041",
    "1e9",
  );
  const text = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "binary" })), (text) => {
      const result = parseJson(text, LIMIT);
      if (result.ok) assertEquals(result.value, JSON.parse(text.replace(/^\uFEFF/, "")));
      else assert(result.problems.length > 0);
    }),
    { numRuns: 3_000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void parseJson(bytes, LIMIT)));
});

function holdsUnsafeInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnsafeInteger);
}
