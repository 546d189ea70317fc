import { assertEquals } from "@std/assert";
import { judgeEnvironmentDocs } from "./environment-docs.ts";

const PAGE = `
| variable | what |
| --- | --- |
| \`SUPABASE_DB_URL\` | the database, not \`FRAMED_OTHER\` |
| \`HOME\`, \`FRAMED_CALLS_BURST\` | two |

| not a variable | |
| --- | --- |
| \`FRAMED_NOTHING\` | |
`;
const FILES = {
  "supabase/functions/_shared/http/services.ts": 'need("SUPABASE_DB_URL"); "CONNECT_TIMEOUT";',
  "supabase/functions/_shared/limits/limits.ts": 'number(read, "FRAMED_CALLS_BURST")',
  "scripts/stack/places.ts": 'Deno.env.get("HOME")',
  "scripts/stack/places.test.ts": 'Deno.env.get("FRAMED_IN_A_TEST")',
  "scripts/bench/call.ts": 'Deno.env.get("FRAMED_IN_A_BENCH")',
};

const CASES: [what: string, page: string, files: Record<string, string>, says: string[]][] = [
  ["accepts a page that lists what is read", PAGE, FILES, []],
  [
    "names what is missing and who reads it, once",
    PAGE,
    { ...FILES, "scripts/start.ts": 'read(\n"NEW"); read("NEW")', "scripts/keys/rewrap.ts": '"FRAMED_NEW"' },
    [
      "does not list NEW, which scripts/start.ts reads",
      "does not list FRAMED_NEW, which scripts/keys/rewrap.ts reads",
    ],
  ],
  ["names what nothing reads", PAGE, { ...FILES, "scripts/stack/places.ts": "" }, [
    "lists HOME, which nothing reads",
  ]],
];

for (const [what, page, files, says] of CASES) {
  Deno.test(`judgeEnvironmentDocs() ${what}`, () => {
    assertEquals(judgeEnvironmentDocs(page, new Map(Object.entries(files))), says);
  });
}
