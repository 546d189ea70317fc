import { assert, assertEquals } from "@std/assert";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import fc from "fast-check";
import { readCsv } from "./read-csv.ts";

function rows(text: string, options?: Parameters<typeof readCsv>[1]) {
  const read = readCsv(text, options);
  assert(read.ok, JSON.stringify(read));
  return read.rows;
}

const READS: readonly [string, string, Record<string, string>[]][] = [
  ["plain values, all as texts", "id,name\n007,Acme\n2,\n", [{ id: "007", name: "Acme" }, {
    id: "2",
    name: "",
  }]],
  ["CRLF, and no line end at the end", "a,b\r\n1,2\r\n3,4", [{ a: "1", b: "2" }, { a: "3", b: "4" }]],
  ["quotes, separators and line ends in quotes", 'a,b\n"x, ""y""\nz",2\n', [{ a: 'x, "y"\nz', b: "2" }]],
  ["a quoted empty value", 'a,b\n"",1\n', [{ a: "", b: "1" }]],
  ["a quote that does not open the value", 'a\n5" pipe\n', [{ a: '5" pipe' }]],
  ["semicolons", "a;b\n1,5;2\n", [{ a: "1,5", b: "2" }]],
  ["tabs", "a\tb\n1\t2\n", [{ a: "1", b: "2" }]],
  ["names alone", "a,b\n", []],
  ["one column", "a\n1\n2\n", [{ a: "1" }, { a: "2" }]],
  ["empty lines", "\na,b\n\n1,2\n\n", [{ a: "1", b: "2" }]],
  ["a line that stops early", "a,b,c\n1\n", [{ a: "1" }]],
  ["a separator too many at the end", "a,b\n1,2,\n", [{ a: "1", b: "2" }]],
  ["names that are empty or twice", " a ,,a,a_2\n1,2,3,4\n", [{
    a: "1",
    column_2: "2",
    a_2: "3",
    a_2_2: "4",
  }]],
];

for (const [name, text, expected] of READS) {
  Deno.test(`readCsv() reads ${name}`, () => assertEquals(rows(text), expected));
}

Deno.test("readCsv() numbers the columns where the first line holds no names", () => {
  assertEquals(rows("1,2\n3,4\n", { hasNames: false }), [
    { column_1: "1", column_2: "2" },
    { column_1: "3", column_2: "4" },
  ]);
});

Deno.test("readCsv() keeps a name that means something to JavaScript a name", () => {
  const [row] = rows("__proto__,constructor\n1,2\n");
  assertEquals(Object.entries(row!), [["__proto__", "1"], ["constructor", "2"]]);
});

const REFUSED: readonly [string, string, string][] = [
  ["more values than names", "a,b\n1,2\n1,2,3\n", "line 3 has 3 values for 2 names"],
  ["a quote that is never closed", 'a,b\n1,"half', "the quoted value on line 2 does not end"],
  ["something after a quoted value", 'a,b\n"1"x,2\n', "something stands after the quoted value on line 2"],
];

for (const [name, text, says] of REFUSED) {
  Deno.test(`readCsv() refuses ${name}, and says on which line`, () => {
    assertEquals(readCsv(text), { ok: false, why: "no_csv", says });
  });
}

Deno.test("readCsv() refuses a small text whose rows repeat a long name until nothing holds them", () => {
  const text = `${"n".repeat(1_000_000)}\n${"1\n".repeat(1_000)}`;
  assertEquals(readCsv(text), { ok: false, why: "too_large" });
  assertEquals(rows(`n\n${"1\n".repeat(200_000)}`).length, 200_000);
  assertEquals(readCsv(`n\n${"1\n".repeat(200_001)}`), { ok: false, why: "too_large" });
});

Deno.test("readCsv() takes 200,000 values, however many of them are in a row, and no more names", () => {
  const names = Array.from({ length: 100 }, (_, at) => `n${at}`).join(",");
  const row = `${"1,".repeat(99)}1\n`;
  assertEquals(rows(`${names}\n${row.repeat(2_000)}`).length, 2_000);
  assertEquals(readCsv(`${names}\n${row.repeat(2_000)}1\n`), { ok: false, why: "too_large" });
  assertEquals(readCsv(",".repeat(200_000)), { ok: false, why: "too_large" });
  assertEquals(readCsv(`a\n1${",".repeat(200_000)}`), { ok: false, why: "too_large" });
});

Deno.test("readCsv() takes linear time for 200,000 names that are all the same", () => {
  assertLinear("names", 200_000, (count) => {
    const text = `${"a,".repeat(count - 1)}a\n1\n`;
    return () => assertEquals(rows(text), [{ a: "1" }]);
  });
});

Deno.test("readCsv() reads back what is written by the rules of RFC 4180", () => {
  const value = fc.string({ unit: fc.constantFrom("a", ",", ";", '"', "\n", "\r", "\t", " ", "é") });
  const table = fc.integer({ min: 2, max: 4 }).chain((width) =>
    fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 })
  );
  fc.assert(fc.property(table, (lines) => {
    const names = lines[0]!.map((_, at) => `n${at}`);
    const quoted = lines.map((line) => line.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
    assertEquals(
      rows([names.join(","), ...quoted].join("\r\n")),
      lines.map((line) => Object.fromEntries(line.map((text, at) => [`n${at}`, text]))),
    );
  }));
});
