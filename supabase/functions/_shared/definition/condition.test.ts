import { assertEquals } from "@std/assert";
import { findValues, holds } from "./condition.ts";
import type { Op } from "./format-after.ts";
import type { JsonValue } from "./json.ts";

const root: JsonValue = {
  id: 7,
  name: "Harbour Bakery",
  none: null,
  data: { items: [{ n: 1, tags: ["a"] }, { n: 5, tags: ["b", "c"] }, { tags: [] }] },
  days: ["2026-01-02", "2026-03-04"],
};

Deno.test("findValues() takes a number as a place and a name on a list as any of its elements", () => {
  const cases: [string, JsonValue[], boolean][] = [
    ["id", [7], false],
    ["none", [null], false],
    ["data.items.0.n", [1], false],
    ["data.items.n", [1, 5], true],
    ["data.items.tags.0", ["a", "b"], true],
    ["data.items.3.n", [], true],
    ["data.items.length", [], true],
    ["name.0", [], true],
    ["toString", [], true],
    ["__proto__", [], true],
    ["nothing.below.it", [], true],
  ];
  for (const [path, values, missing] of cases) {
    assertEquals(findValues(root, path), { values, missing }, path);
  }
});

Deno.test("holds() compares by each op, plain and strict", () => {
  const cases: [string, Op, JsonValue | undefined, boolean, boolean][] = [
    ["id", "equals", 7, true, true],
    ["id", "equals", "7", false, false],
    ["data.items.0", "equals", { tags: ["a"], n: 1 }, true, true],
    ["nothing", "equals", null, false, false],
    ["none", "equals", null, true, true],
    ["id", "not_equals", 7, false, false],
    ["id", "not_equals", 8, true, true],
    ["nothing", "not_equals", 8, true, true],
    ["data.items.n", "not_equals", 1, true, true],
    ["id", "exists", undefined, true, true],
    ["nothing", "exists", undefined, false, false],
    ["none", "not_exists", undefined, false, false],
    ["nothing", "not_exists", undefined, true, true],
    ["name", "contains", "Bake", true, true],
    ["name", "contains", "bake", false, false],
    ["days", "contains", "2026-01-02", true, true],
    ["days", "contains", "2026", false, false],
    ["id", "contains", "7", false, true],
    ["nothing", "contains", "7", false, true],
    ["id", "in", [6, 7], true, true],
    ["id", "in", [6], false, false],
    ["id", "in", ["7"], false, true],
    ["nothing", "in", [6], false, true],
    ["id", "gt", 6, true, true],
    ["id", "gt", 7, false, false],
    ["id", "gte", 7, true, true],
    ["id", "lt", 7, false, false],
    ["id", "lte", 7, true, true],
    ["id", "gt", "6", false, true],
    ["none", "lt", 1, false, true],
    ["nothing", "lte", 1, false, true],
    ["days", "gt", "2026-02-01", false, true],
    ["days.0", "gt", "2026-01-01", true, true],
    ["data.items.n", "gt", 4, true, true],
    ["data.items.n", "gt", 5, false, true],
  ];
  for (const [path, op, value, plain, strict] of cases) {
    const condition = { path, op, ...(value === undefined ? {} : { value }) };
    assertEquals(holds(condition, root), plain, `${path} ${op} ${JSON.stringify(value)}`);
    assertEquals(
      holds(condition, root, { strict: true }),
      strict,
      `strict: ${path} ${op} ${JSON.stringify(value)}`,
    );
  }
});

Deno.test("holds() reads what it compares with once, however many values are found", () => {
  const found = Array.from({ length: 1_000 }, () => ({ a: {} }));
  for (
    const [op, list] of [["equals", false], ["not_equals", false], ["contains", false], ["in", true]] as const
  ) {
    let reads = 0;
    const wanted = {
      get b() {
        reads++;
        return 1;
      },
    };
    const root = { rows: op === "contains" ? [{ a: found.map(({ a }) => a) }] : found };
    holds({ path: "rows.a", op, value: list ? [wanted] : wanted }, root);
    assertEquals(reads, 1, op);
  }
});
