import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatPath, formatProblem, formatProblems, MAX_LINES, type Path } from "./problem.ts";

Deno.test("formatPath() writes a path as people do, and ends before a key that holds a credential", () => {
  const cases: [Path, string][] = [
    [[], "file"],
    [["request", "url"], "request.url"],
    [["fixtures", 0, "example", "supplier"], "fixtures[0].example.supplier"],
    [["request", "headers", "X-Api-Key"], 'request.headers["X-Api-Key"]'],
    [["headers", `sk_${"live"}_abcdef123456`, "x"], "headers"],
    [["headers", "Authorization: Bearer hunter2"], "headers"],
    [["query", "api_key=hunter2"], "query"],
    [["headers", "basic hunter2"], "headers"],
    [["properties", "api key"], 'properties["api key"]'],
    [["properties", "token"], "properties.token"],
    [["a".repeat(64)], "a".repeat(64)],
    [["a".repeat(65)], `["${"a".repeat(64)}…"]`],
    [["body", "b".repeat(100_000), 3], "body[a long key][3]"],
  ];
  for (const [path, written] of cases) assertEquals(formatPath(path), written);
  assertEquals(formatPath([], "args"), "args");
});

Deno.test("formatProblem() makes a line of at most 1,000 characters of anything", () => {
  const step = fc.oneof(fc.nat(), fc.string({ unit: "binary", maxLength: 400 }));
  const path = fc.array(step, { maxLength: 220 });
  fc.assert(fc.property(path, fc.string({ unit: "binary", maxLength: 3_000 }), (path, says) => {
    const line = formatProblem({ path, says });
    assert(line.length <= 1_100, String(line.length));
  }));
  assertEquals(formatProblem({ path: [], says: "🥖".repeat(1_000) }).at(-1), "…");
  assert(formatProblem({ path: [], says: `x${"🥖".repeat(1_000)}` }).isWellFormed());
});

Deno.test("formatProblems() tells each line once, the first 200, and how many problems there are beside them", () => {
  const says = "is wrong";
  const many = Array.from({ length: 260 }, (_, at) => ({ path: ["list", at], says }));
  const lines = formatProblems([...many.slice(0, 5), ...many]);
  assertEquals(lines.length, MAX_LINES + 1);
  assertEquals([lines[0], lines[199], lines[200]], [
    "list[0]: is wrong",
    "list[199]: is wrong",
    "file: and 60 more problems; these come first",
  ]);
  assertEquals(
    formatProblems(many.slice(0, 201), "args").at(-1),
    "args: and 1 more problem; these come first",
  );
  assertEquals(formatProblems(many.slice(0, 200)).length, 200);
  assertEquals(formatProblems([]), []);
});

Deno.test("formatProblems() makes lines of a bounded number of problems, however alike they are", () => {
  let read = 0;
  const path = ["body"];
  const same = Array.from({ length: 40_000 }, () => ({
    path,
    get says() {
      read++;
      return "is wrong";
    },
  }));
  assertEquals(formatProblems(same), ["body: is wrong", "file: and 38,000 more problems; these come first"]);
  assert(read <= 3 * 2_000, String(read));
});
