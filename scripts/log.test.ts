import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { fixtureFile } from "./testing/files.ts";
import { databaseTest } from "./testing/database.ts";
import { runProgram } from "./testing/run-program.ts";
import { openTestWorkspace } from "./testing/workspace.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());
const { sql, url } = workspace.database;
const SCRIPT = fileURLToPath(new URL("log.ts", import.meta.url));
const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

await workspace.define(fixtureFile());
for (let floor = 1; floor <= 5; floor++) await workspace.call("rooms", { args: { floor } });
while ((await workspace.tick()).body.waiting > 0);
await workspace.call("rooms", { args: { floor: 9 } });

function log(args: readonly string[], env: Record<string, string> = { SUPABASE_DB_URL: url }) {
  return runProgram(Deno.execPath(), ["run", "--no-check", "--no-lock", "-A", SCRIPT, ...args], { env });
}

async function headHash(): Promise<string> {
  const [chain] =
    await sql`select encode(last_hash, 'hex') as hash from framed.log_chains where workspace_id = ${workspace.id}`;
  return chain!.hash;
}

databaseTest("log verify says that a log holds, how much of it is sealed, and its head", async () => {
  const head = await headHash();
  assertEquals(await log(["verify", "--workspace", workspace.id]), {
    code: 0,
    stdout: `${workspace.id}  holds: 6 events in 1 seal; 1 not sealed yet; head ${head}\n`,
    stderr: "",
  });
  assertEquals((await log(["verify", "--workspace", workspace.id, "--expect", head.toUpperCase()])).code, 0);
  const other = await log(["verify", "--workspace", workspace.id, "--expect", "ab".repeat(32)]);
  assertEquals(other.code, 1);
  assertStringIncludes(other.stdout, "BROKEN: the expected hash is not one of its chain");
});

databaseTest(
  "log verify --all checks every workspace, and exits 1 naming the one row that was changed",
  async () => {
    const all = await log(["verify", "--all"]);
    assertEquals([all.code, all.stdout.split("\n").length - 1], [0, 3], all.stderr);
    const [event] = await sql`
    select id, args::text from framed.log_events where workspace_id = ${workspace.id} order by id offset 2 limit 1`;
    await sql`update framed.log_events set args = '{"floor": 77}' where id = ${event!.id}`;
    const { code, stdout, stderr } = await log(["verify", "--all"]);
    await sql`update framed.log_events set args = ${event!.args}::text::jsonb where id = ${event!.id}`;
    assertEquals(code, 1);
    assertStringIncludes(
      stdout,
      `${workspace.id}  BROKEN at event ${event!.id}, by seal 1: it is not what was sealed`,
    );
    assertEquals(
      stdout.split("\n").filter((line) => line.includes("  holds: 0 events in 0 seals")).length,
      2,
    );
    assertEquals(stderr, "1 of 3 logs checked: broken.\n");
  },
);

async function exported(query = ""): Promise<string[]> {
  const response = await workspace.fetch(
    new Request(`http://api/api/log/export?workspace_id=${workspace.id}${query}`, {
      headers: { "x-framed-api-key": workspace.keys.admin_key },
    }),
  );
  return (await response.text()).split("\n").slice(0, -1);
}

async function check(lines: readonly string[], ...args: string[]) {
  const path = `${folder}/${crypto.randomUUID()}.ndjson`;
  await Deno.writeTextFile(path, lines.map((line) => `${line}\n`).join(""));
  const { code, stdout, stderr } = await log(["verify", "--file", path, ...args], {});
  return { code, says: (stdout + stderr).replaceAll(path, "FILE").trim() };
}

databaseTest("log verify --file checks an export without a database", async () => {
  const lines = await exported();
  assertEquals(await check(lines, "--whole"), {
    code: 0,
    says: "FILE: holds: 7 events; 1 of them in no chain",
  });
  const filtered = await exported("&tool=rooms&outcome=ok");
  assertEquals((await check(filtered, "--whole")).code, 0, "what is older than all of it is not between");
});

databaseTest("log verify --file names the first line that is not what was sealed", async () => {
  const lines = await exported();
  const ids = lines.map((line) => JSON.parse(line).id);
  const changed = lines.with(3, lines[3]!.replace('"floor": 3', '"floor": 33'));
  assert(changed[3] !== lines[3]);
  const table: [string, readonly string[], string[], number, string][] = [
    [
      "changed",
      changed,
      [],
      1,
      `FILE: BROKEN at line 4: event ${ids[3]} is not what was sealed: it was changed`,
    ],
    [
      "out of order",
      [lines[1]!, lines[0]!],
      [],
      1,
      `FILE: BROKEN at line 2: event ${ids[0]} does not stand in order`,
    ],
    [
      "twice",
      [lines[1]!, lines[1]!],
      [],
      1,
      `FILE: BROKEN at line 2: event ${ids[1]} does not stand in order`,
    ],
    ["no event", [...lines.slice(0, 2), "{}"], [], 1, "FILE: BROKEN at line 3: it is no event of an export"],
    [
      "left out",
      lines.toSpliced(3, 1),
      [],
      0,
      `FILE: holds: 6 events; 1 of them in no chain; events are left out at 1 place, first between ${
        ids[4]
      } and ${ids[2]}`,
    ],
  ];
  for (const [name, given, args, code, says] of table) {
    assertEquals({ name, ...await check(given, ...args) }, { name, code, says });
  }
  const whole = await check(lines.toSpliced(3, 1), "--whole");
  assertEquals(whole.code, 1);
  assertStringIncludes(whole.says, "BROKEN: it is not whole.");
});

databaseTest("log says in one line what it cannot do", async () => {
  const table: [string[], Record<string, string>, number, string][] = [
    [[], {}, 2, "Say what to do: verify."],
    [["verify"], {}, 2, "Name what to check"],
    [["verify", "--all", "--file", "x"], {}, 2, "Name what to check"],
    [["verify", "--workspace", "x"], {}, 2, "--workspace takes a workspace's id."],
    [["verify", "--all", "--expect", "ab".repeat(32)], {}, 2, "goes with --workspace"],
    [["verify", "--all", "--whole"], {}, 2, "--whole goes with --file."],
    [["verify", "--every"], {}, 2, "--every"],
    [["verify", "--all"], {}, 2, "SUPABASE_DB_URL is missing"],
    [["verify", "--file", `${folder}/none`], {}, 1, "is no file that can be read"],
    [["verify", "--workspace", crypto.randomUUID()], { SUPABASE_DB_URL: url }, 1, "There is no workspace"],
  ];
  for (const [args, env, code, says] of table) {
    const ended = await log(args, env);
    assertEquals([args, ended.code, ended.stdout], [args, code, ""]);
    assertStringIncludes(ended.stderr, says);
  }
  const help = await log(["--help"]);
  assertEquals([help.code, help.stderr], [0, ""]);
  assertStringIncludes(help.stdout, "deno task log verify");
});
