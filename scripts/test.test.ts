import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PLATFORM_VERSION } from "./test/options.ts";
import { installDeno } from "./test/platform-deno.ts";
import { clusterOfRun } from "./testing/database.ts";
import { runProgram } from "./testing/run-program.ts";

const CONFIG = fileURLToPath(new URL("../deno.json", import.meta.url));
const COMMAND = fileURLToPath(new URL("./test.ts", import.meta.url));

const PASSES = 'Deno.test("passes", () => {});\n';
const FAILS = 'Deno.test("fails", () => { throw new Error("as it should"); });\n';

const RUNS: [name: string, source: string, code: number, last: string][] = [
  ["tests that pass", PASSES, 0, "1 passed, 0 failed"],
  ["a test that fails", PASSES + FAILS, 1, "1 passed, 1 failed"],
  ["tests that cannot be loaded", `import "./missing.ts";\n${PASSES}`, 1, "0 passed, 1 failed"],
];

for (const [at, [name, source, code, last]] of RUNS.entries()) {
  // The first starts a cluster of its own, as a run does.
  const env = at === 0 ? {} : clusterOfRun();
  Deno.test(`test closes ${name} with their count alone on the last line`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const file = join(folder, "a.test.ts");
      await Deno.writeTextFile(file, source);
      const args = ["run", "-A", "--no-lock", "--config", CONFIG, COMMAND, "--no-lock", file];
      const ended = await runProgram(Deno.execPath(), args, { env });
      assertEquals(ended.stdout.split("\n").slice(-2), [last, ""], ended.stdout + ended.stderr);
      assertStringIncludes(ended.stdout, `Deno ${Deno.version.deno}: ${last}`);
      assertEquals(ended.code, code);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("installDeno() answers a program of exactly the platform's version, the second time too", async () => {
  const program = await installDeno(PLATFORM_VERSION);
  assertEquals(await installDeno(PLATFORM_VERSION), program);
  const { stdout } = await runProgram(program, ["--version"]);
  assertMatch(stdout, /^deno 2\.1\.4 /);
});
