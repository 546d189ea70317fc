import { assertEquals, assertStringIncludes } from "@std/assert";
import { makePaint } from "./paint.ts";
import { printReport } from "./print-report.ts";
import { reportBadFile, reportSource } from "./report.ts";

const PLAIN = { paint: makePaint(false), columns: null };
const LEDGER = JSON.parse(await Deno.readTextFile(new URL("./testdata/ledger.json", import.meta.url)));
const READS = { supplier: "Acme" };

/** What the lines of the first example say, for the ledger's file with these keys changed. */
const EXAMPLES: [name: string, change: Record<string, unknown>, lines: string[]][] = [
  ["a read", {}, ["does       runs on the call", "answers    from the live system", "rows       2"]],
  ["a read that asks first", { confirm: true }, ["does       waits for a person's approval"]],
  ["a write", { access: "write" }, [
    "does       waits for a person's approval",
    "answers    from the live system, once approved",
    "kept       nothing before it runs",
    "host sees  HTTP 202",
  ]],
  ["a sensitive tool", { access: "sensitive" }, ["does       waits for an administrator"]],
  ["a single answer", { fixtures: [{ example: READS, response: { id: 1 } }] }, [
    "rows       none: a single answer",
    "kept       nothing, unless the host asks with persist",
  ]],
  ["an empty list", { fixtures: [{ example: READS, response: [] }] }, ["rows       0"]],
  ["a long first row", { fixtures: [{ example: READS, response: [{ a: "x".repeat(500) }] }] }, [
    `first row  {"a":"${"x".repeat(154)}…`,
  ]],
  ["long arguments", { fixtures: [{ example: { supplier: "x".repeat(500) }, response: 1 }] }, [
    `call       {"supplier":"${"x".repeat(147)}…`,
  ]],
  ["a fixture tool", { kind: "fixture", request: undefined, auth: undefined }, [
    "answers    from the fixture, as a configured example",
    "kept       nothing: an example is never kept",
  ]],
  ["a refusal by a rule", {
    rules: [{ path: "supplier", op: "equals", value: "Acme", then: "deny", say: "Not Acme." }],
  }, ["does       is refused", "host sees  HTTP 403"]],
];

for (const [name, change, lines] of EXAMPLES) {
  Deno.test(`printReport() says of ${name} what a call does`, () => {
    const [, example = ""] = print({ ...LEDGER, ...change }).split("  Example 1 of ");
    const found = example.split("\n").map((line) => line.trim()).map((line) => line.replace(/ +/, "  "));
    for (const line of lines) {
      assertEquals(found.includes(line.replace(/ +/, "  ")), true, `${line}\n${example}`);
    }
  });
}

Deno.test("printReport() shows no answer and no rows of a call that is refused", () => {
  const [, change] = EXAMPLES.at(-1)!;
  const [, example = ""] = print({ ...LEDGER, ...change }).split("  Example 1 of ");
  const [refused = ""] = example.split("  Example 2 of ");
  for (const word of ["answers", "rows", "kept"]) assertEquals(refused.includes(`    ${word} `), false, word);
});

Deno.test("printReport() says in one line what is wrong with a file as a whole", () => {
  assertEquals(printReport(reportBadFile("a.json", ["file: no JSON"]), PLAIN), "a.json: no JSON\n");
  assertEquals(printReport(reportBadFile("a.json", ["slug: x"]), PLAIN), "a.json: 1 problem\n\n  slug: x\n");
});

Deno.test("printReport() styles words and never the alignment", () => {
  const report = reportSource("ledger.json", new TextEncoder().encode(JSON.stringify(LEDGER)));
  const coloured = printReport(report, { paint: makePaint(true), columns: null });
  assertStringIncludes(coloured, "\x1b[32mfine\x1b[39m");
  // deno-lint-ignore no-control-regex
  assertEquals(coloured.replace(/\x1b\[\d+m/g, ""), printReport(report, PLAIN));
});

function print(file: unknown): string {
  return printReport(reportSource("ledger.json", new TextEncoder().encode(JSON.stringify(file))), PLAIN);
}
