import { assertEquals, assertThrows } from "@std/assert";
import { readSourceFacts } from "./source-facts.ts";

const IMPORTS: [source: string, specifier: string | null, names: string[], typeOnly: boolean][] = [
  [`import { a, b as c } from "./x.ts";`, "./x.ts", ["a", "b"], false],
  [`import d from "./x.ts";`, "./x.ts", ["default"], false],
  [`import * as n from "./x.ts";`, "./x.ts", ["*"], false],
  [`import "./x.ts";`, "./x.ts", [], false],
  [`import {} from "./x.ts";`, "./x.ts", [], false],
  [`import type { A } from "./x.ts";`, "./x.ts", ["A"], true],
  [`import { type A, type B } from "./x.ts";`, "./x.ts", ["A", "B"], true],
  [`import { type A, b } from "./x.ts";`, "./x.ts", ["A", "b"], false],
  [`export { a } from "./x.ts";`, "./x.ts", ["a"], false],
  [`export type { A } from "./x.ts";`, "./x.ts", ["A"], true],
  [`export * from "./x.ts";`, "./x.ts", ["*"], false],
  [`export * as n from "./x.ts";`, "./x.ts", ["*"], false],
  [`const m = await import("./x.ts");`, "./x.ts", ["*"], false],
  ["const m = await import(`./${name}.ts`);", null, ["*"], false],
  [`type A = import("./x.ts").A;`, "./x.ts", ["*"], true],
  [`function f(a: typeof import("./x.ts")) {}`, "./x.ts", ["*"], true],
  [`import data from "./x.json" with { type: "json" };`, "./x.json", ["default"], false],
];

for (const [source, specifier, names, typeOnly] of IMPORTS) {
  Deno.test(`readSourceFacts() sees the import in ${source}`, () => {
    assertEquals(readSourceFacts(`\n${source}`).imports, [{ specifier, names, typeOnly, line: 2 }]);
  });
}

Deno.test("readSourceFacts() sees no import in comments and strings", () => {
  assertEquals(
    readSourceFacts('// import "./x.ts";\nconst s = `import "./x.ts"`; export { s };').imports,
    [],
  );
});

const GLOBALS: [source: string, names: string[]][] = [
  ["Deno.readFile('x');", ["Deno.readFile"]],
  ["Deno['readFile']('x');", ["Deno.readFile"]],
  ["Deno?.env.get('x');", ["Deno.env"]],
  ["const { env } = Deno;", ["Deno"]],
  ["fetch('x');", ["fetch"]],
  ["export const send = fetch;", ["fetch"]],
  ["const o = { fetch };", ["fetch"]],
  ["const o = { a: fetch };", ["fetch"]],
  ["new Date();", ["new Date()"]],
  ["new Date(0);", ["Date"]],
  ["Date();", ["Date()"]],
  ["Date.now();", ["Date.now"]],
  ["(fetch as unknown)!;", ["fetch"]],
  ["(<unknown> fetch);", ["fetch"]],
  ["enum E { A = Date.now() }", ["Date.now"]],
  ["class C extends Worker {}", ["Worker"]],
  ["class C { now = Date.now(); }", ["Date.now"]],
  // Names of members, types and the file's own are no globals.
  ["o.fetch('x'); const o = { fetch: 1, Deno() {} };", []],
  ["type F = typeof fetch; interface G { a: Deno.Listener }", []],
  ["function f(fetch: () => void) { fetch(); }", []],
  ["function f({ a: [fetch = 1], ...process }) { return fetch + process; }", []],
  ["try {} catch (process) { process; }", []],
  ["import { fetch } from 'undici'; fetch('x');", []],
  ["function fetch() {} fetch();", []],
];

for (const [source, names] of GLOBALS) {
  Deno.test(`readSourceFacts() names the globals of ${source}`, () => {
    assertEquals(readSourceFacts(source).globals.map(({ name }) => name), names);
  });
}

Deno.test("readSourceFacts() reads the opening comment, also after a shebang and over several lines", () => {
  assertEquals(readSourceFacts("/** Owns it. Pure. */\n\nexport {};").opening, "* Owns it. Pure.");
  assertEquals(readSourceFacts("#!/usr/bin/env node\n// One.\n// Two.\nexport {};").opening, "One.\n Two.");
  assertEquals(readSourceFacts("export {};\n// Late.").opening, "");
});

Deno.test("readSourceFacts() counts lines with and without a last newline", () => {
  assertEquals(readSourceFacts("export {};\n\n").lines, 2);
  assertEquals(readSourceFacts("export {};\n").lines, 1);
  assertEquals(readSourceFacts("export {};").lines, 1);
});

Deno.test("readSourceFacts() throws for what does not parse", () => {
  assertThrows(() => readSourceFacts("const = 1;"), SyntaxError);
});
