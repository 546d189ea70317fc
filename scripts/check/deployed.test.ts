import { assertEquals } from "@std/assert";
import { judgeDeployed } from "./deployed.ts";

const SECTION = '# Comments are let pass.\nimport_map = "../deno.json"\nverify_jwt = false\n';

const CASES: [what: string, config: string, says: string[]][] = [
  [
    "accepts a section for each",
    `[db]\nport = 1\n\n[functions.api]\n${SECTION}\n[functions.read-back]\n${SECTION}`,
    [],
  ],
  ["misses a section", `[functions.api]\n${SECTION}`, [
    "has no [functions.read-back], and functions/read-back/index.ts is a function",
  ]],
  [
    "misses a function",
    ["api", "read-back", "gone"].map((name) => `[functions.${name}]\n${SECTION}`).join(""),
    [
      "has [functions.gone], and there is no functions/gone/index.ts",
    ],
  ],
  ["wants no JWT", `[functions.api]\nimport_map = "../deno.json"\n[functions.read-back]\n${SECTION}`, [
    '[functions.api] says import_map = "../deno.json": write import_map = "../deno.json", verify_jwt = false',
  ]],
  [
    "wants the shared import map",
    `[functions.api]\n${SECTION.replace("..", ".")}[functions.read-back]\n${SECTION}`,
    [
      '[functions.api] says import_map = "./deno.json", verify_jwt = false: write import_map = "../deno.json", verify_jwt = false',
    ],
  ],
  [
    "wants nothing else, such as files that are no modules",
    `[functions.api]\n${SECTION}static_files = ["./x.html"]\n[functions.read-back]\n${SECTION}[functions.read-back.env]\n`,
    [
      '[functions.api] says import_map = "../deno.json", verify_jwt = false, static_files = ["./x.html"]: write import_map = "../deno.json", verify_jwt = false',
      '[functions.read-back] says import_map = "../deno.json", verify_jwt = false, [functions.read-back.env]: write import_map = "../deno.json", verify_jwt = false',
    ],
  ],
];

for (const [what, config, says] of CASES) {
  Deno.test(`judgeDeployed() ${what}`, () => assertEquals(judgeDeployed(config, ["api", "read-back"]), says));
}
