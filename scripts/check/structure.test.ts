import { assertEquals } from "@std/assert";
import { judgeStructure } from "./structure.ts";

const SHARED = "supabase/functions/_shared/";
const IMPORT_MAP = new Map([
  ["zod", "npm:zod@4.6.7"],
  ["@std/assert", "./supabase/functions/_shared/std-assert.ts"],
]);
const PACKAGES = { importMap: IMPORT_MAP };

const CONSOLE_CONFIG = JSON.stringify({
  imports: { "react-dom": "npm:react-dom@19.3.1", zod: "npm:zod@4.6.7" },
});

/** A small house that obeys every rule. */
const HOUSE: Readonly<Record<string, string>> = {
  [`${SHARED}outcome/result.ts`]: "/** Results. */\nexport const ok = true;\n",
  [`${SHARED}gate/effect.ts`]:
    '/** Effects. Pure. */\nimport { ok } from "../outcome/result.ts";\nexport { ok };\n',
  [`${SHARED}db/client.ts`]: "/** The client. */\nexport const client = Deno.env.get;\n",
  [`${SHARED}auth/store.ts`]:
    '/** The store. */\nimport { client } from "../db/client.ts";\nexport { client };\n',
  [`${SHARED}auth/store.test.ts`]:
    'import "@std/assert";\nimport { stack } from "../../../../scripts/stack.ts";\nstack;\n',
  "supabase/functions/define/app.ts": '/** The app. */\nexport * from "../_shared/auth/store.ts";\n',
  "console/deno.json": CONSOLE_CONFIG,
  "console/src/app.tsx":
    '/** The app. */\nimport { ok } from "../../supabase/functions/_shared/gate/effect.ts";\n' +
    'import { createRoot } from "react-dom/client";\nimport type { client } from ' +
    '"../../supabase/functions/_shared/db/client.ts";\nexport const App = <T extends typeof client>() => <p>{ok}</p>;\n',
  "console/src/app.test.ts": 'import "@std/assert";\nimport { App } from "./app.tsx";\nApp;\n',
  "scripts/stack.ts":
    '/** The stack. */\nimport * as app from "../supabase/functions/define/app.ts";\nexport { app as stack };\n',
};

const BROKEN: [rule: string, path: string, source: string, line: string][] = [
  [
    "arrows",
    `${SHARED}db/up.ts`,
    '/** Up. */\nimport "../auth/store.ts";\n',
    "2: imports ../auth/store.ts: db → auth goes up: imports only go down [arrows]",
  ],
  [
    "arrows, of a type",
    `${SHARED}db/up.ts`,
    '/** Up. */\nexport type Up = import("../auth/store.ts").Store;\n',
    "2: imports ../auth/store.ts: db → auth goes up: imports only go down [arrows]",
  ],
  [
    "arrows, of a re-export",
    `${SHARED}db/up.ts`,
    '/** Up. */\nexport * from "../auth/store.ts";\n',
    "2: imports ../auth/store.ts: db → auth goes up: imports only go down [arrows]",
  ],
  [
    "arrows, of a dynamic import",
    `${SHARED}db/up.ts`,
    '/** Up. */\nexport const up = await import("../auth/store.ts");\n',
    "2: imports ../auth/store.ts: db → auth goes up: imports only go down [arrows]",
  ],
  [
    "arrows, sideways",
    `${SHARED}results/keep.ts`,
    '/** Keeps. */\nimport "../auth/store.ts";\n',
    "2: imports ../auth/store.ts: results → auth goes sideways: slices of one floor are joined by the floor above [arrows]",
  ],
  [
    "arrows, into scripts",
    `${SHARED}http/app.ts`,
    '/** The app. */\nimport "../../../../scripts/stack.ts";\n',
    "2: imports ../../../../scripts/stack.ts: http → scripts goes up: imports only go down [arrows]",
  ],
  [
    "arrows, from a pure file",
    `${SHARED}auth/state.ts`,
    '/** States. Pure. */\nimport "./store.ts";\n',
    '2: imports ./store.ts: auth → auth: a file marked "Pure." imports only files marked "Pure." [arrows]',
  ],
  [
    "pure",
    `${SHARED}auth/state.ts`,
    "/** States. Pure. */\n\nexport const now = Date.now();\n",
    '3: uses Date.now, and is marked "Pure.": take it as an argument [pure]',
  ],
  [
    "platform",
    `${SHARED}auth/spawn.ts`,
    "/** Spawns. */\nnew Deno.Command('x');\n",
    "2: uses Deno.Command, which a deployed function does not have [platform]",
  ],
  [
    "runner",
    "scripts/runner/main.ts",
    "/** The runner. */\nDeno.exit(1);\n",
    "2: uses Deno.exit, and is bundled for Node: use what node: modules offer [runner]",
  ],
  [
    "packages",
    "scripts/pack.ts",
    '/** Packs. */\nimport "esbuild";\n',
    "2: imports esbuild, which deno.json does not map: name it there with its exact version [packages]",
  ],
  [
    "packages, the tests' own in what is deployed",
    `${SHARED}gate/guess.ts`,
    '/** Guesses. */\nimport "@std/assert";\n',
    "2: imports @std/assert, which deno.json does not map: name it there with its exact version [packages]",
  ],
  [
    "tests",
    "scripts/pack.ts",
    '/** Packs. */\nimport "./pack.test.ts";\n',
    "2: imports ./pack.test.ts: nothing imports a test [tests]",
  ],
  [
    "arrows, from the console",
    "console/src/page.tsx",
    '/** A page. */\nimport { client } from "../../supabase/functions/_shared/db/client.ts";\nexport const Page = () => <p>{client}</p>;\n',
    "2: imports ../../supabase/functions/_shared/db/client.ts: console → db: the console bundles only files marked " +
    '"Pure.", and takes types of others [arrows]',
  ],
  [
    "arrows, into the console",
    "supabase/functions/define/page.ts",
    '/** A page. */\nexport * from "../../../console/src/app.tsx";\n',
    "2: imports ../../../console/src/app.tsx: functions/define → console goes up: imports only go down [arrows]",
  ],
  [
    "browser",
    "console/src/hash.ts",
    '/** Hashes. */\nimport "node:crypto";\n',
    "2: imports node:crypto, which a browser does not have [browser]",
  ],
  [
    "packages, the project's own in the console",
    "console/src/hash.ts",
    '/** Hashes. */\nimport "@std/assert";\n',
    "2: imports @std/assert, which console/deno.json does not map: name it there with its exact version [packages]",
  ],
  [
    "floors",
    `${SHARED}attic/box.ts`,
    "/** A box. */\nexport {};\n",
    "1: stands on no floor: give it one in scripts/check/floors.ts [floors]",
  ],
  [
    "opening",
    "scripts/pack.ts",
    "export {};\n",
    "1: opens without a comment: say in 1-4 lines what it owns [opening]",
  ],
  [
    "names",
    "scripts/utils/pack.ts",
    "/** Packs. */\nexport {};\n",
    "1: has a name that says nothing about what it holds: name the idea [names]",
  ],
  [
    "length",
    "supabase/migrations/20261001000000_create_all.sql",
    "select 1;\n".repeat(501),
    "501: has 501 lines, at most 500 are allowed: it is more than one idea [length]",
  ],
];

Deno.test("judgeStructure() is content with a house that obeys every rule", () => {
  assertEquals(judgeStructure({ files: new Map(Object.entries(HOUSE)), ...PACKAGES }), []);
});

for (const [rule, path, source, line] of BROKEN) {
  Deno.test(`judgeStructure() answers one line for a break of ${rule}`, () => {
    const files = new Map(Object.entries({ ...HOUSE, [path]: source }));
    assertEquals(judgeStructure({ files, ...PACKAGES }), [`${path}:${line}`]);
  });
}

Deno.test("judgeStructure() lets a pure file take types, and knows Pure, by the opening comment alone", () => {
  const pure = ["/** States. Pure. */", "/** States. Pure, and small. */", "/** States. Pure; see more. */"];
  for (const opening of pure) {
    const path = `${SHARED}auth/state.ts`;
    const judge = (source: string) =>
      judgeStructure({ files: new Map(Object.entries({ ...HOUSE, [path]: source })), ...PACKAGES });
    assertEquals(judge(`${opening}\nimport type { Store } from "./store.ts";\nexport type { Store };\n`), []);
    assertEquals(judge(`${opening}\nexport const now = Date.now();\n`).length, 1);
    assertEquals(
      judge(`/** Pure but for the clock. */\n// Pure.\nexport const now = Date.now();\n`).length,
      1,
    );
    assertEquals(judge(`/** Pure but for the clock. */\nexport const now = Date.now(); // Pure.\n`), []);
  }
});

Deno.test("judgeStructure() answers one line for a source that does not parse", () => {
  const files = new Map([["scripts/x.ts", "const = 1;"]]);
  const lines = judgeStructure({ files, ...PACKAGES });
  assertEquals(lines.length, 1);
  assertEquals(lines[0]?.startsWith("scripts/x.ts: does not parse: "), true);
});

Deno.test("judgeStructure() holds the console's packages to exact versions, and to those of deno.json", () => {
  const imports = { react: "npm:react@^19.3.1", zod: "npm:zod@4.6.6" };
  const files = new Map([["console/deno.json", JSON.stringify({ imports })]]);
  assertEquals(judgeStructure({ files, ...PACKAGES }), [
    "console/deno.json: maps react to npm:react@^19.3.1: write one exact version, npm:name@1.2.3 [packages]",
    "console/deno.json: has zod 4.6.6, and deno.json has 4.6.7: write the same version in both [packages]",
  ]);
});

Deno.test("judgeStructure() answers one line for an import map entry that is not exact", () => {
  const lines = judgeStructure({ files: new Map(), ...PACKAGES, importMap: new Map([["zod", "npm:zod@4"]]) });
  assertEquals(lines, [
    "deno.json: maps zod to npm:zod@4: write one exact version, npm:name@1.2.3 [packages]",
  ]);
});
