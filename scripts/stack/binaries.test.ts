import { assertEquals } from "@std/assert";
import { dirname, join } from "node:path";
import { stageBinaries } from "./binaries.ts";

const MODULE = new URL("binaries.ts", import.meta.url).href;

async function withCache(use: (cache: string) => Promise<void>): Promise<void> {
  const cache = await Deno.makeTempDir();
  try {
    await use(cache);
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
}

/** Stages in another process, as another start would, with every file private to begin with. */
async function stageElsewhere(cache: string): Promise<string> {
  const code = `import { stageBinaries } from ${JSON.stringify(MODULE)};
    console.log((await stageBinaries(${JSON.stringify(cache)})).folder);`;
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", 'umask 077; exec "$@"', "sh", Deno.execPath(), "eval", "--no-lock", code],
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

async function version(program: string): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args: ["--version"] }).output();
  return new TextDecoder().decode(stdout).trim();
}

function modeOf(path: string): number {
  return Deno.statSync(path).mode! & 0o777;
}

Deno.test("stageBinaries() makes programs that run, once, whoever else stages at the same time", async () => {
  await withCache(async (cache) => {
    const [elsewhere, here] = await Promise.all([stageElsewhere(cache), stageBinaries(cache)]);
    assertEquals(elsewhere, here.folder);
    assertEquals([...Deno.readDirSync(cache)].map(({ name }) => join(cache, name)), [here.folder]);
    assertEquals(await version(here.postgres), "postgres (PostgreSQL) 17.10");
    assertEquals(await version(here.initdb), "initdb (PostgreSQL) 17.10");
  });
});

Deno.test("stageBinaries() lets every account run them, whatever the umask", async () => {
  await withCache(async (cache) => {
    const folder = await stageElsewhere(cache);
    assertEquals([folder, dirname(join(folder, "bin"))].map(modeOf), [0o755, 0o755]);
    assertEquals(modeOf(join(folder, "bin", "postgres")), 0o755);
    assertEquals(modeOf(join(folder, "share", "postgresql", "postgres.bki")), 0o644);
  });
});

Deno.test("stageBinaries() replaces a copy that does not run", async () => {
  await withCache(async (cache) => {
    const { folder, postgres } = await stageBinaries(cache);
    await Deno.truncate(postgres, 1000);
    assertEquals((await stageBinaries(cache)).folder, folder);
    assertEquals(await version(postgres), "postgres (PostgreSQL) 17.10");
    assertEquals([...Deno.readDirSync(cache)].length, 1);
  });
});
