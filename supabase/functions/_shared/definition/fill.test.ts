import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { findValues } from "./condition.ts";
import { type FillOptions, fillValue, type WhyUnfilled } from "./fill.ts";
import type { JsonValue } from "./json.ts";
import { findPlaceholders } from "./placeholder.ts";

const CREDENTIAL = `sk_${"live"}_abcdef0123456789`;

const SOURCES: Record<string, JsonValue> = {
  "args": {
    invoice: "PI-2041",
    amount: 12.5,
    paid: false,
    none: null,
    lines: [{ id: 1 }, { id: 2, tag: "x" }],
  },
  "result": {
    data: { id: "in_7", list: [], one: [{ id: 9 }], brace: "{{args.invoice}}" },
    file: "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(40),
    key: CREDENTIAL,
    within: { deep: ["fine", { at: CREDENTIAL }] },
    named: { [CREDENTIAL]: 1 },
    half: "live_abcdef0123456789",
    long: "x".repeat(200_000),
  },
  "calls.1.result": { id: 11 },
  "calls.1": { result: { id: "never this" } },
};

Deno.test("fillValue() keeps the type of what a text is nothing but, and writes out the rest", () => {
  const cases: [JsonValue, JsonValue][] = [
    ["{{args.invoice}}", "PI-2041"],
    ["{{args.amount}}", 12.5],
    ["{{args.paid}}", false],
    ["{{args.none}}", null],
    ["{{args.lines}}", [{ id: 1 }, { id: 2, tag: "x" }]],
    ["{{args.lines.1}}", { id: 2, tag: "x" }],
    ["{{args.lines.tag}}", "x"],
    ["{{result.data.one.id}}", 9],
    ["{{result.data.one.0.id}}", 9],
    ["{{calls.1.result.id}}", 11],
    ["Invoice {{args.invoice}}, {{args.amount}}{{args.paid}}", "Invoice PI-2041, 12.5false"],
    [{ a: ["{{args.invoice}}", 1, null, "}} {"], b: {} }, { a: ["PI-2041", 1, null, "}} {"], b: {} }],
    ["{{result.data.brace}}", "{{args.invoice}}"],
    ["{{result.data.brace}}!", "{{args.invoice}}!"],
  ];
  for (const [value, filled] of cases) {
    assertEquals(fillValue(value, SOURCES), { ok: true, value: filled }, JSON.stringify(value));
  }
});

Deno.test("fillValue() says of every placeholder why it is not filled", () => {
  const cases: [JsonValue, WhyUnfilled, FillOptions?][] = [
    ["{{args.nothing}}", "found_nothing"],
    ["{{args.toString}}", "found_nothing"],
    ["{{args.__proto__}}", "found_nothing"],
    ["{{args.invoice.length}}", "found_nothing"],
    ["{{args.lines.5}}", "found_nothing"],
    ["{{result.data.list.id}}", "found_nothing"],
    ["{{args.lines.id}}", "found_several"],
    ["Of {{args.lines}}", "no_scalar"],
    ["Of {{args.lines.0}}", "no_scalar"],
    ["Of {{args.none}}", "no_scalar"],
    ["{{args.none}}", "no_scalar", { scalarsOnly: true }],
    ["{{args.lines.0}}", "no_scalar", { scalarsOnly: true }],
    ["{{secret}}", "no_source"],
    ["{{args}}", "no_source"],
    ["{{args.}}", "no_source"],
    ["{{args..invoice}}", "no_source"],
    ["{{ args.invoice }}", "no_source"],
    ["{{calls.2.result.id}}", "no_source"],
    ["{{args.invoice", "no_source"],
    ["{{{args.invoice}}}", "no_source"],
    [{ "{{args.invoice}}": 1 }, "no_source"],
    ["{{result.file}}", "leaky", { refuseLeaky: true }],
    ["See {{result.file}}", "leaky", { refuseLeaky: true }],
    ["{{result.key}}", "leaky", { refuseLeaky: true }],
    ["{{result.within}}", "leaky", { refuseLeaky: true }],
    ["{{result.named}}", "leaky", { refuseLeaky: true }],
    ["sk_{{result.half}}", "leaky", { refuseLeaky: true }],
    [["{{result.long}}", "{{result.long}}"], "too_much"],
  ];
  for (const [value, why, options] of cases) {
    const filled = fillValue(value, SOURCES, options);
    const message = JSON.stringify(value).slice(0, 80);
    assert(!filled.ok, message);
    assertEquals(filled.refusal.map((problem) => problem.why), [why], message);
    assert(!filled.refusal[0]!.says.includes(CREDENTIAL), message);
  }
  assert(fillValue("{{result.key}}", SOURCES).ok);
  assert(fillValue("sk_{{result.half}}", SOURCES).ok);
  assert(fillValue("{{result.data}}", SOURCES, { refuseLeaky: true }).ok);
});

Deno.test("fillValue() names the place of each problem, and at most fifty", () => {
  const several = fillValue(
    { a: ["x", "{{args.no}}"], b: { c: "{{args.lines}} and {{args.lines}}" } },
    SOURCES,
  );
  assert(!several.ok);
  assertEquals(several.refusal.map(({ path, says }) => [path, says]), [
    [["a", 1], '"{{args.no}}" leads to nothing'],
    [["b", "c"], '"{{args.lines}}" is a list; a text, a number, true or false is wanted here'],
    [["b", "c"], '"{{args.lines}}" is a list; a text, a number, true or false is wanted here'],
  ]);
  const many = fillValue(Array(500).fill("{{args.no}}"), SOURCES);
  assert(!many.ok);
  assertEquals(many.refusal.length, 50);
});

Deno.test("fillValue() comes to an end on answers and files that are made to cost", () => {
  const rows: JsonValue = Array.from({ length: 400_000 }, () => ({}));
  const tree = (levels: number): JsonValue => levels === 0 ? 1 : [tree(levels - 1), tree(levels - 1)];
  const cases: [JsonValue, JsonValue, WhyUnfilled][] = [
    [Array.from({ length: 10_000 }, (_, at) => `{{result.rows.a${at}}}`), { rows }, "too_much"],
    ["{{result.rows}}", { rows }, "too_much"],
    ["{{result.tree.a}}", { tree: tree(19) }, "too_much"],
    ["{{result.tree}}", { tree: tree(19) }, "too_much"],
    [Array(100_000).fill("{{result.text}}"), { text: "x".repeat(1_000) }, "too_much"],
    ["{{".repeat(100_000), {}, "no_source"],
    ["{{result.rows}}".repeat(10_000), { rows }, "too_much"],
  ];
  for (const [value, result, why] of cases) {
    const filled = fillValue(value, { result }, { refuseLeaky: true });
    assert(!filled.ok);
    assertEquals(filled.refusal.at(-1)!.why, why);
  }
});

const key = fc.constantFrom("a", "b", "0", "1", "toString");
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<JsonValue>("text", 1, true, null),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(key, tie("json"), { maxKeys: 3 }),
  ),
}));

Deno.test("fillValue() finds what findValues() finds, when that is exactly one value", () => {
  let filledOnes = 0;
  fc.assert(
    fc.property(json, fc.array(key, { minLength: 1, maxLength: 4 }), (root, keys) => {
      const path = keys.join(".");
      const { values } = findValues(root, path);
      const filled = fillValue(`{{result.${path}}}`, { result: root });
      if (filled.ok) filledOnes++;
      assertEquals(
        filled.ok ? [filled.value] : filled.refusal.map(({ why }) => why),
        values.length === 1 ? values : [values.length === 0 ? "found_nothing" : "found_several"],
      );
    }),
    { numRuns: 3_000 },
  );
  assert(filledOnes > 100, `${filledOnes}`);
});

Deno.test("fillValue() changes nothing in a value without placeholders, and nothing twice", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      if (findPlaceholders(plain).length === 0) {
        assertEquals(fillValue(plain, {}), { ok: true, value: plain });
      }
      const hostile = `{{args.a}}${text}{{result.b}}`;
      const filled = fillValue(
        { at: ["{{args.a}}", "-{{args.a}}-"] },
        { args: { a: hostile } },
      );
      assertEquals(filled, { ok: true, value: { at: [hostile, `-${hostile}-`] } });
    }),
  );
});
