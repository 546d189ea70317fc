// Credentials that another system repeats: whatever an answer is taken apart at, they do not come out in pieces.

import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { createRedactor } from "../secrets/redact.ts";
import type { JsonValue } from "../definition/json.ts";
import { readAnswer } from "./read-answer.ts";

function read(body: string, { contentType, credential }: { contentType: string; credential: string }) {
  const redact = createRedactor([credential]);
  const result = readAnswer(new TextEncoder().encode(body), { contentType, redact });
  return result.ok ? { value: result.value } : { refused: result.refusal };
}

const REPEATED: readonly [
  name: string,
  contentType: string,
  credential: string,
  body: string,
  value: JsonValue,
][] = [
  ["names of columns", "text/csv", "abcd,efgh,ijk", "id,abcd,efgh,ijk\n1,2\n", [{ id: "1", "***": "2" }]],
  ["values of a row", "text/csv", "abcd,efgh", "id,a,b\n1,abcd,efgh\n", [{ id: "1", a: "***" }]],
  ["tabs", "text/tab-separated-values", "abcd\tefgh", "id\ta\tb\n1\tabcd\tefgh\n", [{ id: "1", a: "***" }]],
  ["a doubled quote", "text/csv", 'ab"cd,efgh', 'id\n"ab""cd,efgh"\n', [{ id: "***" }]],
  ["a last zero", "application/json", "12345678.50", '{"a":12345678.50,"b":1}', { a: "***", b: 1 }],
  ["an exponent", "application/json", "1234567e5", "[1234567e5]", ["***"]],
  ["a part of a number", "application/json", "12345678.5", "[12345678.50,-12345678.5]", ["***", "***"]],
  ["a word", "application/json", "true,false", "[true,false]", ["***"]],
  ["a number of a line", "application/x-ndjson", "12345678.50", "1\n12345678.50\n", [1, "***"]],
  ["two lists in a line", "application/x-ndjson", "12345,67890", "[12345,67890]\n", [["***"]]],
  ["JSON called text", "text/plain", "12345678.50", '{"a":12345678.50}', { a: "***" }],
  ["an element of XML", "application/xml", "ab</a>cd", "<r>ab</a>cd</r>", "<r>***</r>"],
];

for (const [name, contentType, credential, body, expected] of REPEATED) {
  Deno.test(`readAnswer() takes a credential out that is ${name}`, () => {
    assertEquals(read(body, { contentType, credential }), { value: expected });
  });
}

Deno.test("readAnswer() refuses what is no JSON once a credential is taken out, and says so", () => {
  const { refused } = read('{"ab":"cdef","c":1}', {
    contentType: "application/json",
    credential: 'ab":"cdef',
  });
  assertEquals(refused, {
    reason: "upstream_bad_answer",
    detail: "It says its answer is JSON, but it does not parse.",
    hint: "The answer repeats a credential of this tool, which is taken out before it is read.",
  });
});

Deno.test("readAnswer() tells no credential that stands in a Content-Type", () => {
  for (const contentType of ["image/Abcd-Efgh1", "text/plain; charset=Abcd-Efgh1"]) {
    const told = JSON.stringify(read("x", { contentType, credential: "Abcd-Efgh1" }));
    assert(!told.toLowerCase().includes("abcd-efgh1"), told);
  }
});

/** Answers without a letter or digit of ASCII but JSON's own, each with the places where something may be put in. */
const ANSWERS: readonly [contentType: string, body: string][] = [
  ["application/json", '{"ключ":"слово","ряд":["о", {"е":"я"}, "", {}, [ ]],"\\"ж":"\\\\"}'],
  ["application/x-ndjson", '{"ключ":"слово"}\n["о","я"]\n\n"ж"\n'],
  ["text/csv", 'имя;"сумма";дата\n"о;""о";я;ж\nо,о;я;\n;;\n'],
  ["text/csv", "имя,сумма\nо,я\n"],
  ["text/tab-separated-values", "имя\tсумма\nо\tя\n"],
  ["text/plain", "слово и дело"],
  ["text/plain", '{"ключ": "слово" }'],
  ["application/xml", "<ключ>слово</ключ>"],
];
const credentials = fc.oneof(
  fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(..."0123456789.,e+-"), minLength: 8, maxLength: 24 }),
  fc.string({ unit: fc.constantFrom(...'aB3,;":\\[]{} '), minLength: 8, maxLength: 24 }),
).filter((credential) => lettersOf(credential).length >= 8 && credential.trim() === credential);

Deno.test("readAnswer() lets no credential's letters and digits come back in a row, wherever it was put in raw", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ANSWERS),
      fc.nat(),
      credentials,
      ([contentType, body], place, credential) => {
        const at = place % (body.length + 1);
        const repeated = body.slice(0, at) + credential + body.slice(at);
        const { value, refused } = read(repeated, { contentType, credential });
        const left = lettersOf(value === undefined ? JSON.stringify(refused) : textsOf(value).join(""));
        assert(
          !left.includes(lettersOf(credential)),
          `${repeated} became ${JSON.stringify(value ?? refused)}`,
        );
      },
    ),
    { numRuns: 3_000 },
  );
});

/** The letters and digits of ASCII alone: no separator between two fields, and no marker. */
function lettersOf(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "");
}

/** Every key, text and number, in order. */
function textsOf(value: JsonValue): string[] {
  if (value === null || typeof value !== "object") return [String(value ?? "")];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}
