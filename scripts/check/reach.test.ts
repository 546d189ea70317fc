import { assertEquals } from "@std/assert";
import { judgeBundled, judgeImportMap, judgePackages, judgePlatform, judgePurity } from "./reach.ts";
import { readSourceFacts } from "./source-facts.ts";

const IMPURE = [
  `import { readFileSync } from "node:fs";`,
  `import { randomBytes } from "node:crypto";`,
  `import * as crypto from "node:crypto";`,
  `import crypto from "node:crypto";`,
  `import "node:crypto";`,
  `import postgres from "postgres";`,
  `import { fetch } from "undici";`,
  `export { Hono } from "hono";`,
  `const { Pool } = await import("undici");`,
  "const m = await import(name);",
  "Deno.readTextFile('x');",
  "const { env } = Deno;",
  "process.env.X;",
  "globalThis.fetch('x');",
  "fetch('x');",
  "export const send = fetch;",
  "setTimeout(f, 1);",
  "new WebSocket('x');",
  "new Date();",
  "Date();",
  "Date.now();",
  "performance.now();",
  "Math.random();",
  "crypto.randomUUID();",
  "crypto.getRandomValues(bytes);",
  "console.log('x');",
];

for (const source of IMPURE) {
  Deno.test(`judgePurity() refuses ${source}`, () => {
    assertEquals(judgePurity(readSourceFacts(source)).map(({ rule, line }) => [rule, line]), [["pure", 1]]);
  });
}

const PURE = [
  `import * as z from "zod";`,
  `import { createHash, timingSafeEqual } from "node:crypto";`,
  `import type { Sql } from "postgres";`,
  `import { ok } from "../outcome/result.ts";`,
  "new Date(0); Date.parse('x'); Math.max(1); crypto.subtle.digest('SHA-256', bytes);",
  "function at(now: Date) { return now.getTime(); }",
];

for (const source of PURE) {
  Deno.test(`judgePurity() allows ${source}`, () => assertEquals(judgePurity(readSourceFacts(source)), []));
}

const NOT_ON_THE_PLATFORM = [
  "new Deno.Command('x');",
  "Deno.openKv();",
  "Deno.cron('x');",
  "Deno.readTextFile('x');",
  "Deno.writeFileSync('x', bytes);",
  "new Worker('x');",
  "Uint8Array.fromBase64('x');",
  "RegExp.escape('x');",
  "Error.isError(x);",
  "Temporal.Now.instant();",
  "await import(`./${name}.ts`);",
  `import { spawn } from "node:child_process";`,
  `import { readFile } from "node:fs/promises";`,
];

for (const source of NOT_ON_THE_PLATFORM) {
  Deno.test(`judgePlatform() refuses ${source}`, () => {
    assertEquals(judgePlatform(readSourceFacts(source)).map(({ rule, line }) => [rule, line]), [[
      "platform",
      1,
    ]]);
  });
}

Deno.test("judgePlatform() allows what the platform has", () => {
  const source = `Deno.serve(f); Deno.env.get("X"); await import("./x.ts"); fetch("x"); setTimeout(f, 1);`;
  assertEquals(judgePlatform(readSourceFacts(source)), []);
});

Deno.test("judgeBundled() refuses Deno's own names and nothing of Node's", () => {
  const source = `import { readFile } from "node:fs/promises";\nprocess.exit(1);\nDeno.exit(1);`;
  assertEquals(judgeBundled(readSourceFacts(source)).map(({ line }) => line), [3]);
});

Deno.test("judgePackages() refuses what the import map does not name, by its whole name", () => {
  const known = { file: "deno.json", has: (name: string) => name === "hono" };
  const source = [
    `import { Hono } from "hono";`,
    `import { cors } from "hono/cors";`,
    `import type { Sql } from "postgres";`,
    `import { z } from "npm:zod@4.6.7";`,
    `export * from "https://example.com/x.ts";`,
    `import "node:fs"; import "./x.ts"; import "../x.ts";`,
  ].join("\n");
  assertEquals(judgePackages(readSourceFacts(source), known).map(({ line }) => line), [2, 3, 4, 5]);
});

Deno.test("judgeImportMap() wants one exact version of each package, and no folder or file of ours", () => {
  const good = [
    "npm:zod@4.6.7",
    "npm:@a/b@1.2.3",
    "npm:hono@4.13.19/cors",
    "jsr:@std/assert@1.0.19",
  ];
  assertEquals(judgeImportMap(new Map(good.map((target, at) => [`x${at}`, target]))), []);
  const bad = [
    "npm:zod",
    "npm:zod@4",
    "npm:zod@^4.6.7",
    "npm:zod@latest",
    "https://example.com/x.ts",
    "npm:hono@4.13.19/",
    "./scripts/x.ts",
    "../x.ts",
    "/x.ts",
  ];
  for (const target of bad) assertEquals(judgeImportMap(new Map([["x", target]])).length, 1, target);
  assertEquals(judgeImportMap(new Map([["x/", "./x/"]])).length, 1);
  const assertions = "./supabase/functions/_shared/std-assert.ts";
  assertEquals(judgeImportMap(new Map([["@std/assert", assertions]])), []);
  assertEquals(judgeImportMap(new Map([["other", assertions]])).length, 1);
});
