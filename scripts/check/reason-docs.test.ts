import { assertEquals } from "@std/assert";
import { judgeReasonDocs } from "./reason-docs.ts";

const REASONS = { bad_json: { status: 400 }, not_found: { status: 404 } };
const TABLE =
  "| Reason | Status | When |\n| --- | ---: | --- |\n| `bad_json` | 400 | x |\n| `not_found` | 404 | y |\n";

Deno.test("judgeReasonDocs() is content with a table that says what the code says", () => {
  assertEquals(
    judgeReasonDocs(`# Reference\n\n| Key | Value |\n|---|---|\n| a | b |\n\n${TABLE}\ntext`, REASONS),
    [],
  );
});

Deno.test("judgeReasonDocs() joins tables that are split under headings", () => {
  const [head, rule, first, second] = TABLE.split("\n");
  const split = [head, rule, first, "", "## More", "", head, rule, second].join("\n");
  assertEquals(judgeReasonDocs(split, REASONS), []);
});

Deno.test("judgeReasonDocs() names what either side lacks and a status that differs", () => {
  assertEquals(judgeReasonDocs(TABLE.replace("not_found", "not_fond").replace("400", "401"), REASONS), [
    "lists bad_json with status 401, the code says 400",
    "does not list the reason not_found (404)",
    "lists the reason not_fond, which the code does not have",
  ]);
});

Deno.test("judgeReasonDocs() refuses a reference without the table", () => {
  assertEquals(judgeReasonDocs("# Reference\n", REASONS), [
    "has no table with the columns reason and status",
  ]);
});
