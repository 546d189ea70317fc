import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FRAMED_TOOL_SCHEMA } from "../supabase/functions/_shared/framed-tool.ts";
import { buildPackage } from "./build-npm.ts";
import { MANIFEST, NOTICES, PROGRAMS } from "./npm/manifest.ts";
import { VERSION } from "./runner/version.ts";
import { mcpFile } from "./testing/files.ts";
import { runProgram } from "./testing/run-program.ts";

const TESTDATA = fileURLToPath(new URL("./runner/testdata", import.meta.url));
const hasNpm = await runProgram("npm", ["--version"]).then(({ code }) => code === 0, () => false);

Deno.test({
  name: "build:npm makes a package that npm packs, installs into an empty folder and Node runs",
  ignore: !hasNpm,
  fn: () =>
    inEmptyFolder(async (folder) => {
      const [built, installed] = [join(folder, "built"), join(folder, "installed")];
      await buildPackage(built);
      await Deno.mkdir(installed);
      const packed = await succeed("npm", ["pack", "--json", "--pack-destination", folder], built);
      const [{ filename, files }] = JSON.parse(packed);
      const parts = [NOTICES, "README.md", ...Object.values(PROGRAMS), "package.json"];
      assertEquals(files.map(({ path }: { path: string }) => path).sort(), parts.sort());
      await succeed(
        "npm",
        ["install", "--offline", "--no-audit", "--no-fund", join(folder, filename)],
        installed,
      );

      const command = join(installed, "node_modules", ".bin", "framed-tool");
      const shown = await succeed(command, ["test", "ledger.json"], TESTDATA);
      assertEquals(shown, await Deno.readTextFile(join(TESTDATA, "ledger.txt")));
      const schema = await succeed(command, ["schema"], installed);
      assertEquals(JSON.parse(schema), JSON.parse(JSON.stringify(FRAMED_TOOL_SCHEMA)));
      assertEquals(await succeed(command, ["--version"], installed), `${VERSION}\n`);
      assertEquals((await runProgram(command, ["test", "problems.json"], { cwd: TESTDATA })).code, 1);
      assertEquals((await runProgram(command, ["tset"], { cwd: TESTDATA })).code, 2);
      const live = await runProgram(command, ["test", "-", "--live"], { stdin: JSON.stringify(mcpFile()) });
      assertEquals(live.code, 1, live.stderr);
      assertStringIncludes(
        live.stdout,
        "The server was not listed. The name mcp.tracker.example does not resolve",
      );

      const host = join(installed, "node_modules", ".bin", "connect-mcp");
      assertEquals(await succeed(host, ["--version"], installed), `${VERSION}\n`);
      assertStringIncludes(
        await succeed("npx", ["--no", "--", "@framed/connect-mcp", "--help"], installed),
        "connect-mcp login",
      );
      assertEquals((await runProgram(host, ["lgoin"])).code, 2);

      const unread = `{ '${command}' test problems.json; echo $? >&2; } | true`;
      assertEquals((await runProgram("sh", ["-c", unread], { cwd: TESTDATA })).stderr, "1\n");
      const lost = "mkdir lost && cd lost && rmdir ../lost";
      const { code, stdout } = await runProgram("sh", ["-c", `${lost} && '${command}' test a.json`], {
        cwd: folder,
      });
      assertEquals(
        [code, stdout],
        [1, "a.json: cannot be read: there is no such file; the folder this was called from is gone\n"],
      );
    }),
});

Deno.test("build:npm makes programs without dependencies or a path of this machine", () =>
  inEmptyFolder(async (folder) => {
    await buildPackage(folder);
    for (const file of Object.values(PROGRAMS)) {
      const program = await Deno.readTextFile(join(folder, file));
      assertMatch(program, /^#!\/usr\/bin\/env node\n/);
      const imported = [...program.matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier);
      assert(imported.length > 0);
      assertEquals(imported.filter((specifier) => !specifier.startsWith("node:")), []);
      for (const path of [fileURLToPath(new URL("..", import.meta.url)), "registry.npmjs.org", "/npm/"]) {
        assertEquals(program.includes(path), false, path);
      }
    }
    assertEquals("dependencies" in MANIFEST, false);
  }));

Deno.test("build:npm passes on the licence of everything it bundles", () =>
  inEmptyFolder(async (folder) => {
    await buildPackage(folder);
    const notices = await Deno.readTextFile(join(folder, NOTICES));
    for (
      const name of [
        "@modelcontextprotocol/client",
        "@modelcontextprotocol/server",
        "re2js",
        "tldts",
        "tldts-core",
        "zod",
      ]
    ) {
      assertMatch(notices, new RegExp(`^${name} \\d`, "m"));
    }
    assertEquals(notices.includes("@babel/parser"), false);
  }));

Deno.test("build:npm builds over its own package and refuses a folder that holds something else", () =>
  inEmptyFolder(async (folder) => {
    await buildPackage(folder);
    await buildPackage(folder);
    await Deno.writeTextFile(join(folder, "diary.txt"), "mine");
    const refused = await buildPackage(folder).then(() => "", (error: Error) => error.message);
    assertStringIncludes(refused, "holds diary.txt, which is no part of the package");
  }));

async function inEmptyFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** What the program printed; fails with all it said when it did not end well. */
async function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, { cwd });
  assertEquals(code, 0, `${program} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}
