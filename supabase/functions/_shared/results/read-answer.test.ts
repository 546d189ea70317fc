import { assert, assertEquals } from "@std/assert";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import type { JsonValue } from "../definition/json.ts";
import { readAnswer, readFailure } from "./read-answer.ts";

/** For answers to calls without credentials. */
const NOTHING_TO_REDACT = { text: (text: string) => text, json: (value: JsonValue) => value };
const JSON_TYPE = "application/json";

function read(body: string | Uint8Array<ArrayBuffer>, contentType: string | null = JSON_TYPE) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const result = readAnswer(bytes, { contentType, redact: NOTHING_TO_REDACT });
  return result.ok ? { value: result.value } : { refused: result.refusal.reason };
}

const VALUES: readonly [string, string, string | null, JsonValue][] = [
  ["JSON", '{"a":[1,"é",null]}', JSON_TYPE, { a: [1, "é", null] }],
  ["JSON with a charset", "[1]", "application/json; charset=utf-8", [1]],
  ["JSON with a charset in quotes, in capitals", "[1]", 'Application/JSON; Charset="UTF-8"', [1]],
  ["JSON of a vendor", "[1]", "application/vnd.ledger.v2+json", [1]],
  ["problem details", "{}", "application/problem+json", {}],
  ["JSON after a byte order mark", "\ufeff[1]", JSON_TYPE, [1]],
  ["JSON that is called text", ' {"a":1}', "text/plain", { a: 1 }],
  ["JSON that is called HTML", "[1]", "text/html", [1]],
  ["JSON that is called nothing", "[1]", null, [1]],
  ["JSON that is called something that is no type", "[1]", "json", [1]],
  ["a bare value that says it is JSON", "12", JSON_TYPE, 12],
  ["text", "12", "text/plain", "12"],
  ["text that begins like JSON", "[see below]", "text/plain", "[see below]"],
  ["CSV", "id,name\n1,Acme\n", "text/csv", [{ id: "1", name: "Acme" }]],
  ["CSV without names", "1;Acme\n", "text/csv; header=absent", [{ column_1: "1", column_2: "Acme" }]],
  ["tab-separated values", "id\tname\n1\tA,B\n", "text/tab-separated-values", [{ id: "1", name: "A,B" }]],
  ["a JSON value a line", '{"id":1}\r\n\n{"id":123456789012345678}\n', "application/x-ndjson", [
    { id: 1 },
    { id: "123456789012345678" },
  ]],
  ["a JSON sequence", "\u001e[1]\n\u001e2\n", "application/json-seq", [[1], 2]],
  ["lines of JSON that are called text", '{"a":1}\n{"a":2}\n', "text/plain", '{"a":1}\n{"a":2}\n'],
  ["YAML", "a: 1\n", "application/yaml", "a: 1\n"],
  ["XML", "<a/>", "application/xml", "<a/>"],
  ["XML of a vendor", "<a/>", "application/atom+xml", "<a/>"],
  ["nothing", "", JSON_TYPE, null],
  ["nothing that is called a picture", "", "image/png", null],
];

for (const [name, body, contentType, expected] of VALUES) {
  Deno.test(`readAnswer() of ${name}`, () => assertEquals(read(body, contentType), { value: expected }));
}

Deno.test("readAnswer() decodes the charset that is named", () => {
  assertEquals(read(new Uint8Array([0x63, 0x61, 0x66, 0xe9]), "text/plain; charset=iso-8859-1"), {
    value: "café",
  });
});

Deno.test("readAnswer() decodes what a byte order mark says, whatever the header says", () => {
  const utf16 = new Uint8Array([0xff, 0xfe, ...[..."[1]"].flatMap((char) => [char.charCodeAt(0), 0])]);
  assertEquals(read(utf16, "application/json; charset=utf-8"), { value: [1] });
});

const REFUSED: readonly [string, string | Uint8Array<ArrayBuffer>, string | null][] = [
  ["JSON that does not parse", '{"a":', JSON_TYPE],
  ["half a CSV", 'id,name\n1,"Ac', "text/csv"],
  ["half a line of JSON", '{"id":1}\n{"id":', "application/x-ndjson"],
  ["JSON of more levels than can be taken", `${"[".repeat(201)}${"]".repeat(201)}`, JSON_TYPE],
  ["levels without an end that are called text", "[".repeat(5_000_000), "text/plain"],
  ["a web page", "<!doctype html><title>Sign in</title>", "text/html; charset=utf-8"],
  ["a web page that is called XHTML", "<html/>", "application/xhtml+xml"],
  ["a number as the name of a key", "{12345678901234567890:1}", JSON_TYPE],
  ["a charset that is too long to repeat", "a", `text/plain; charset=${"x".repeat(60_000)}`],
  ["a picture", "PNG", "image/png"],
  ["bytes", "bytes", "application/octet-stream"],
  ["a form", "a=1", "application/x-www-form-urlencoded"],
  ["JSON that is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), JSON_TYPE],
  ["text that is not UTF-8", new Uint8Array([0xff, 0xfe, 0xfd]), "text/plain"],
  ["text in a charset nobody knows", "a", "text/plain; charset=klingon"],
];

for (const [name, body, contentType] of REFUSED) {
  Deno.test(`readAnswer() refuses ${name}`, () => {
    assertEquals(read(body, contentType), { refused: "upstream_bad_answer" });
  });
}

Deno.test("readAnswer() keeps every digit of an integer, and lets other numbers be numbers", () => {
  const numbers: readonly [string, JsonValue][] = [
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["123456789012345678", "123456789012345678"],
    ["-123456789012345678", "-123456789012345678"],
    ["1234567890123456.5", 1234567890123456.5],
    ["1e400", "1e400"],
    ["-1E+400", "-1E+400"],
    ["1e300", 1e300],
    ["1e-400", 0],
    ['"1234567890123456789"', "1234567890123456789"],
  ];
  for (const [written, expected] of numbers) {
    assertEquals(read(`{"id":${written}}`), { value: { id: expected } }, written);
    assertEquals(read(`[[${written}],"1234567890123456789"]`), {
      value: [[expected], "1234567890123456789"],
    });
  }
});

Deno.test("readAnswer() keeps a name that means something to JavaScript a name", () => {
  const text = '{"__proto__":{"polluted":true},"id":123456789012345678}';
  const { value } = read(text) as { value: Record<string, unknown> };
  assert(Object.hasOwn(value, "__proto__"));
  assertEquals(({} as Record<string, unknown>).polluted, undefined);
});

Deno.test("readAnswer() refuses as too large what unfolds to more than can be held", () => {
  assertEquals(read("1\n".repeat(200_001), "application/x-ndjson"), { refused: "upstream_too_large" });
  assertEquals(read(`${"n".repeat(500_000)}\n${"1\n".repeat(100)}`, "text/csv"), {
    refused: "upstream_too_large",
  });
});

Deno.test("readAnswer() counts values before it makes them: 200,000 of an answer, in whatever form, and no more", () => {
  // A list is a value too, but for that of the lines; what stands in a text is none.
  const table: readonly [body: (values: number) => string, contentType: string | null][] = [
    [(values) => `[${"1,".repeat(values - 2)}1]`, JSON_TYPE],
    [(values) => `[${"{},".repeat(values - 2)}{ }]`, JSON_TYPE],
    [(values) => `[ ${"[\n],\n".repeat(values - 2)}[]]`, null],
    [(values) => `{"k":["a,[{\\",",${"null,".repeat(values - 4)}""]}`, "text/html"],
    [(values) => `[${'{"a":1},'.repeat(values / 2 - 1)}${values % 2 ? "1,1" : "1"}]`, "text/plain"],
    [(values) => "1\n".repeat(values), "application/x-ndjson"],
    [(values) => `${'[1,{"a":2}]\n'.repeat(values / 4)}${"1\n".repeat(values % 4)}`, "application/x-ndjson"],
    [(values) => `a,b\n${"1,2\n".repeat(values / 2)}${values % 2 ? "1\n" : ""}`, "text/csv"],
  ];
  for (const [at, [body, contentType]] of table.entries()) {
    assertEquals("value" in read(body(200_000), contentType), true, `body ${at}`);
    assertEquals(read(body(200_001), contentType), { refused: "upstream_too_large" }, `body ${at}`);
  }
  const text = `see, ${"a,".repeat(300_000)}`;
  assertEquals(read(text, "text/plain"), { value: text });
  assertEquals("value" in read(JSON.stringify([text]), JSON_TYPE), true);
});

Deno.test("readAnswer() says what to do about an answer of too many values", () => {
  const body = new TextEncoder().encode(`[${"{},".repeat(200_000)}{}]`);
  const refused = readAnswer(body, { contentType: JSON_TYPE, redact: NOTHING_TO_REDACT });
  assertEquals(!refused.ok && [refused.refusal.detail, refused.refusal.hint], [
    "Its answer is JSON of more than 200,000 values.",
    "Ask for fewer rows or fields at once.",
  ]);
});

Deno.test("readAnswer() takes linear time, whatever five megabytes hold", () => {
  const bodies: ((bytes: number) => string)[] = [
    (bytes) => `[${"1,".repeat(bytes / 2)}12345678901234567890]`,
    (bytes) => `[${`"${"1".repeat(50)}",1e999,`.repeat(bytes / 59)}1]`,
    (bytes) => `["${'\\"'.repeat(bytes / 2)}`,
    (bytes) => '"'.repeat(bytes),
    (bytes) => `[${'"1",'.repeat(bytes / 4)}12345678901234567890]`,
  ];
  for (const [at, bodyOf] of bodies.entries()) {
    assertLinear(`body ${at}`, 5_000_000, (bytes) => {
      const body = bodyOf(bytes);
      return () => read(body);
    });
  }
});

function failure(body: string, contentType: string | null, redact = (text: string) => text) {
  return readFailure(new TextEncoder().encode(body), { contentType, redact });
}

Deno.test("readFailure() tells the beginning of what a failing answer says", () => {
  const page = `<html><head><title>x</title><style>b{}</style></head><body><h1>Too many\n requests</h1>
    <script>track("a<b")</script><p>Try&nbsp;later</p></body></html>`;
  const table: readonly [string, string | null, string | null][] = [
    ['{"error":"no such\\nsupplier"}', JSON_TYPE, '{"error":"no such\\nsupplier"}'],
    ['{"half":', JSON_TYPE, '{"half":'],
    [page, "text/html", "Too many requests Try later"],
    ["  busy  ", "text/plain", "busy"],
    ["", JSON_TYPE, null],
    ["  ", "text/plain", null],
    ["PNG", "image/png", null],
    ["a", "text/plain; charset=klingon", null],
    ["<".repeat(100_000), "text/html", `${"<".repeat(500)}…`],
    ["é".repeat(600), "text/plain", `${"é".repeat(500)}…`],
  ];
  for (const [body, type, expected] of table) assertEquals(failure(body, type), expected, body.slice(0, 40));
});

Deno.test("readFailure() redacts the whole before it cuts: half a credential would not be known as one", () => {
  const credential = "k".repeat(400);
  const told = failure(
    `${"x".repeat(9_800)}${credential}`,
    "text/plain",
    (text) => text.replaceAll(credential, "•"),
  );
  assertEquals(told!.includes("k"), false);
  const near = failure(
    `${"x".repeat(300)}${credential}`,
    "text/plain",
    (text) => text.replaceAll(credential, "•"),
  );
  assertEquals(near, `${"x".repeat(300)}•`);
});
