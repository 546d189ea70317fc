import { assertEquals, assertThrows } from "@std/assert";
import { readExamples, readTable } from "./examples.ts";
import { assertAsDocumented } from "./expected.ts";

Deno.test("readExamples() reads each fence with its language, its marker and its line", () => {
  const page = "# Page\n\n<!-- test: save a.json -->\n\n```json\n{\n}\n```\nText\n```sh\nls\n```\n";
  assertEquals(readExamples(page), [
    { line: 5, language: "json", marker: "save a.json", text: "{\n}" },
    { line: 10, language: "sh", marker: null, text: "ls" },
  ]);
});

Deno.test("readExamples() throws where a test would be passed over", () => {
  assertThrows(
    () => readExamples("<!-- test: part -->\nText\n```json\n{}\n```"),
    Error,
    "no example follows",
  );
  assertThrows(() => readExamples("```json\n{}"), Error, "left open");
});

Deno.test("readTable() reads cells under their heads, without backquotes", () => {
  const page =
    "| key | is |\n|---|---|\n| `a` | `b\\|c` |\n| d | |\n\n# Next\n| key | is |\n|---|---|\n| e | f |";
  assertEquals(readTable(page, { columns: ["key"] }), [{ key: "a", is: "b|c" }, { key: "d", is: "" }]);
  assertEquals(readTable(page, { columns: ["key"], under: "# Next" }), [{ key: "e", is: "f" }]);
  assertThrows(() => readTable(page, { columns: ["is"] }), Error, "no table");
  assertThrows(() => readTable(page, { columns: ["key"], under: "# Other" }), Error, "no table");
});

Deno.test("assertAsDocumented() lets … stand for a value, a part of a text and the rest of a list", () => {
  const found = { id: 7, at: "2026-01-31", url: "https://a/b?c=d", rows: [1, 2, 3], deep: { ok: true } };
  const documented = { id: "…", at: "2026-…", url: "https://…/b?c=…", rows: [1, "…"], deep: { ok: true } };
  assertAsDocumented(found, documented, "");
});

Deno.test("assertAsDocumented() fails on a field more, a field less and another value", () => {
  const found = { id: 7, rows: [1, 2], text: "abc" };
  for (
    const documented of [
      { id: 7, rows: [1, 2] },
      { id: 7, rows: [1, 2], text: "abc", more: "…" },
      { id: 8, rows: [1, 2], text: "abc" },
      { id: 7, rows: [1], text: "abc" },
      { id: 7, rows: [1, 2], text: "x…" },
      { id: 7, rows: [1, 2], text: "a…x…c" },
      { id: 7, rows: [1, 2], text: "ab…bc" },
    ]
  ) assertThrows(() => assertAsDocumented(found, documented, ""));
});
