import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { JsonValue } from "../../../../supabase/functions/_shared/definition/json.ts";
import { findCredential } from "../../../../supabase/functions/_shared/definition/credentials.ts";
import { keysOf, leavesOf } from "./fields.ts";
import { MIN_DIGITS, MIN_TEXT, replaceValues } from "./replace-values.ts";
import { isStandIn, isStandInNumber } from "./stand-ins.ts";

const ANSWER: JsonValue = {
  rows: [
    {
      id: 1,
      customer: "Ada Quist",
      email: "ada@quist.example",
      phone: "+31 6 1234 5678",
      iban: "NL91 ABNA 0417 1643 00",
      born: "1980-03-04",
      note: "Ada Quist called from 06-12345678, write to ada@quist.example",
      amount: "412.50",
      due: "2026-12-04",
      number: "2026-0117",
      paid: true,
      address: { street: "Kerkstraat 12", postcode: "1017 GC" },
    },
    {
      id: 2,
      customer: "Bo Ferro",
      email: null,
      phone: "",
      iban: "DE89370400440532013000",
      born: "1991-12-31",
      note: "nothing",
      amount: "96.00",
      due: "2026-12-18",
      number: "2026-0121",
      paid: false,
      address: { street: "Elm Road 3", postcode: "SW1A 1AA" },
    },
  ],
  by_mail: { "ada@quist.example": 1, total: 2 },
};

Deno.test("replaceValues() takes people out of an answer and leaves the rest of it", () => {
  const { value } = replaceValues(ANSWER);
  assertEquals(value, {
    rows: [
      {
        id: 1,
        customer: "Person1",
        email: "person1@people.example",
        phone: "+00 000 000 0001",
        iban: "NL00TEST0000000001",
        born: "1900-01-01",
        note: "Person1 called from +00 000 000 0002, write to person1@people.example",
        amount: "412.50",
        due: "2026-12-04",
        number: "2026-0117",
        paid: true,
        address: { street: "Place1", postcode: "Place2" },
      },
      {
        id: 2,
        customer: "Person2",
        email: null,
        phone: "",
        iban: "DE00TEST0000000002",
        born: "1900-01-02",
        note: "nothing",
        amount: "96.00",
        due: "2026-12-18",
        number: "2026-0121",
        paid: false,
        address: { street: "Place3", postcode: "Place4" },
      },
    ],
    by_mail: { "person1@people.example": 1, total: 2 },
  });
});

Deno.test("replaceValues() finds values by their shape in any field", () => {
  const cases: [string, RegExp][] = [
    ["mail jan.de-vries+x@post.example now", /^mail person1@people\.example now$/],
    ["call +44 (0)20 7946 0958", /^call \+00 000 000 0001$/],
    ["call 0031612345678.", /^call \+00 000 000 0001\.$/],
    ["(555) 010-1234", /^\+00 000 000 0001$/],
    ["to GB29NWBK60161331926819 please", /^to GB00TEST0000000001 please$/],
    ["card 4111 1111 1111 1111", /^card 10+1$/],
    ["bsn 123456782", /^bsn 100000001$/],
    ["ssn 078-05-1120", /^ssn 100000001$/],
    ["at 221B Baker Street", /^at Place1$/],
    ["Dorpsstraat 7a", /^Place1$/],
    ["from 203.0.113.77", /^from Place1$/],
    ["born on 04/03/1980", /^born on 1900-01-01$/],
    ["for Mrs. Ada van der Quist.", /^for Mrs\. Person1\.$/],
    ["use sk_live_abcdef123456", /^Removed1$/],
    ["https://jan:hunter2@host.example/", /^Removed1$/],
  ];
  for (const [text, wanted] of cases) {
    const { value } = replaceValues({ remark: text });
    assert(
      wanted.test(String((value as { remark: string }).remark)),
      `${text} became ${JSON.stringify(value)}`,
    );
  }
});

Deno.test("replaceValues() leaves dates, amounts, short numbers and words", () => {
  const value = {
    remark: "Due 2026-12-04, 1,234.50 EUR, order 2026-0117 of 12345678",
    at: "2026-12-04T09:30:00Z",
    id: "f3b0c442-98fc-4c14-9afb-f4c8996fb924",
    count: 12,
    price: 1234.5,
    version: "10.4.2",
    code: "ABC-12",
  };
  assertEquals(replaceValues(value).value, value);
});

Deno.test("replaceValues() replaces what a person ticks and leaves what they untick, but no credential", () => {
  const choices = new Map([["rows[].city", false], ["rows[].grade", true], ["rows[].token", false], [
    "rows[].score",
    true,
  ]]);
  const rows = [{ city: "Delft", grade: "alpha", token: "5f2a", score: 7 }, {
    city: "Gouda",
    grade: "alpha",
    token: "9c",
    score: 8.5,
  }];
  assertEquals(replaceValues({ rows, total: 7 }, choices).value, {
    rows: [
      { city: "Delft", grade: "Text1", token: "Removed1", score: 10_000_001 },
      { city: "Gouda", grade: "Text1", token: "Removed2", score: 10_000_002.25 },
    ],
    total: 7,
  });
});

Deno.test("replaceValues() tells what it replaced and which fields there are", () => {
  const { replacements, fields } = replaceValues({
    rows: [{ name: "Ada Quist", remark: "ada@quist.example", n: 1 }],
  });
  assertEquals(replacements, [
    { kind: "name", was: "Ada Quist", is: "Person1", field: "rows[].name" },
    { kind: "e-mail", was: "ada@quist.example", is: "person1@people.example", field: "rows[].remark" },
  ]);
  assertEquals(fields, [
    { field: "rows[].name", sample: "Ada Quist", holdsFound: false, isReplaced: true },
    { field: "rows[].remark", sample: "ada@quist.example", holdsFound: true, isReplaced: false },
    { field: "rows[].n", sample: 1, holdsFound: false, isReplaced: false },
  ]);
});

/** Answers of which much is personal, and of which parts come back elsewhere. */
const word = fc.constantFrom(
  "Ada",
  "Quist",
  "Ada Quist",
  "ada quist",
  "Person1",
  "Person",
  "people",
  "example",
  "Mail1",
  "born",
  "Text1",
  "1000001",
  "ada@quist.example",
  "person1@people.example",
  "+31612345678",
  "+00 000 000 0001",
  "06-12345678",
  "12345",
  "123456789",
  "NL91ABNA0417164300",
  "NL00TEST0000000001",
  "Kerkstraat 12",
  "1017 GC",
  "1980-03-04",
  "1900-01-02",
  "sk_live_abcdef123456",
  "Mr",
  "12",
  "a",
  "x.y",
  "(",
  "$&",
  "é",
  "İ",
  "ſtraat",
);
const text = fc.oneof(
  word,
  fc.array(word, { maxLength: 4 }).map((words) => words.join(" ")),
  fc.array(word, { maxLength: 3 }).map((words) => words.join("")),
  fc.string({ maxLength: 12 }),
);
const key = fc.oneof(
  fc.constantFrom("name", "email", "note", "phone", "iban", "born", "token", "value", "street", "id"),
  text,
)
  .filter((name) => name !== "__proto__");
const { answer } = fc.letrec<{ answer: JsonValue }>((tie) => ({
  answer: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.oneof(
      fc.integer(),
      fc.constantFrom(10_000_001, 10_000_002, 12345, 123456789, 0, 1.5),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie("answer"), { maxLength: 4 }),
    fc.dictionary(key, tie("answer"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const choices = fc.array(
  fc.tuple(fc.constantFrom("value", "note", "[].value", "[].id", "id", "", "[]"), fc.boolean()),
)
  .map((pairs) => new Map(pairs));

Deno.test("replaceValues() leaves nothing that it was told to replace, in texts, numbers and keys", () => {
  fc.assert(
    fc.property(answer, choices, (given, chosen) => {
      const { value, replacements } = replaceValues(given, chosen);
      const texts = [
        ...keysOf(value),
        ...leavesOf(value).flatMap(({ value }) => typeof value === "string" ? [value] : []),
      ];
      const numbers = leavesOf(value).flatMap(({ value }) => typeof value === "number" ? [value] : []);
      for (const { was } of replacements) {
        if (typeof was === "number") {
          if (String(Math.abs(was)).replace(/\D/g, "").length >= MIN_DIGITS) {
            assert(!numbers.includes(was), `${was}`);
          }
        } else if ([...was].length >= MIN_TEXT) {
          for (const said of texts) {
            assert(!holds(said, was), `${JSON.stringify(said)} holds ${JSON.stringify(was)}`);
          }
        }
      }
      for (const said of texts) {
        assertEquals(findCredential(said), null, said);
      }
    }),
    { numRuns: 1_000 },
  );
});

/** Whether `part` stands in `text` as words of their own. */
function holds(text: string, part: string): boolean {
  const [whole, wanted] = [text.toLowerCase(), part.toLowerCase()];
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + 1)) {
    const before = [...whole.slice(0, at)].at(-1) ?? " ";
    const after = [...whole.slice(at + wanted.length)][0] ?? " ";
    if (!/[\p{L}\p{M}\p{N}]/u.test(before) && !/[\p{L}\p{M}\p{N}]/u.test(after)) return true;
  }
  return false;
}

Deno.test("replaceValues() keeps the shape and every type", () => {
  fc.assert(
    fc.property(answer, choices, (given, chosen) => {
      assertEquals(shapeOf(replaceValues(given, chosen).value), shapeOf(given));
    }),
    { numRuns: 1_000 },
  );
});

function shapeOf(value: JsonValue): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isInteger(value) ? "whole" : "number";
  if (typeof value === "string") return value === "" ? "" : "text";
  if (Array.isArray(value)) return value.map(shapeOf);
  // A key that is a whole number stands first in an object, whatever its place was.
  return Object.values(value).map((member) => JSON.stringify(shapeOf(member))).sort();
}

Deno.test("replaceValues() changes nothing of what it made", () => {
  fc.assert(
    fc.property(answer, choices, (given, chosen) => {
      const once = replaceValues(given, chosen).value;
      assertEquals(replaceValues(once, chosen).value, once);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("replaceValues() changes nothing of what it made of a stand-in that held what was told", () => {
  const answers: JsonValue[] = [
    { name: "+00 000 000 00011000001" },
    { phone: "people", name: "person1@people.example" },
  ];
  for (const given of answers) {
    const once = replaceValues(given).value;
    assertEquals(replaceValues(once).value, once);
  }
});

Deno.test("replaceValues() gives the same value the same stand-in, and another one another", () => {
  fc.assert(
    fc.property(answer, choices, (given, chosen) => {
      const { replacements } = replaceValues(given, chosen);
      assertEquals(new Set(replacements.map(({ is }) => is)).size, replacements.length);
      for (const { is } of replacements) {
        assert(typeof is === "number" ? isStandInNumber(is) : isStandIn(is), `${is} is not known again`);
      }
    }),
    { numRuns: 1_000 },
  );
});
