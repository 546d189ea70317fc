import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTree } from "./check/tree.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

Deno.test("check passes the structure of the real tree", async () => {
  const { code, said } = await check(ROOT, "structure");
  assertEquals(code, 0, said);
});

Deno.test("check fails a copy of the tree with a planted wrong import, naming file, import and rule", async () => {
  const copy = await Deno.makeTempDir();
  try {
    const { files } = await readTree(ROOT);
    for (const [path, source] of files) await write(join(copy, path), source);
    const planted = "supabase/functions/_shared/outcome/planted.ts";
    await write(
      join(copy, planted),
      '/** Planted. */\nexport type { Tree } from "../../../../scripts/check/structure.ts";\n',
    );
    const { code, said } = await check(copy, "structure");
    assertEquals(code, 1, said);
    const arrow = "outcome → scripts goes up: imports only go down";
    assertStringIncludes(
      said,
      `${planted}:2: imports ../../../../scripts/check/structure.ts: ${arrow} [arrows]\n`,
    );
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});

Deno.test("check exits 2 for a step there is not", async () => {
  const { code, said } = await check(ROOT, "strcture");
  assertEquals(code, 2);
  assertStringIncludes(
    said,
    "There is no step strcture: use format, lint, types, structure, docs, or none for all.",
  );
});

/** Runs the real command in the project at `root`. */
async function check(root: string, ...steps: string[]): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-lock",
      "--config",
      join(root, "deno.json"),
      join(root, "scripts/check.ts"),
      ...steps,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}
