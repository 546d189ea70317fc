import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { createDataKey } from "../../supabase/functions/_shared/secrets/envelope.ts";
import { readKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { databaseTest, openTestDatabase } from "../testing/database.ts";
import { runProgram } from "../testing/run-program.ts";

const database = await openTestDatabase();
const { sql } = database;
const SCRIPT = fileURLToPath(new URL("../keys.ts", import.meta.url));

function keys(args: readonly string[], env: Record<string, string> = {}) {
  return runProgram(Deno.execPath(), ["run", "--no-check", "--no-lock", "-A", SCRIPT, ...args], { env });
}

const ring = async (...args: string[]) => (await keys(["ring", ...args])).stdout.trim();
const rewrap = (keyRing: string, ...args: string[]) =>
  keys(["rewrap", ...args], { SUPABASE_DB_URL: database.url, FRAMED_SECRET_KEYS: keyRing });

/** A workspace with a data key under the first key of `keyRing`. */
async function addWorkspace(keyRing: string): Promise<string> {
  const read = await readKeyRing(keyRing);
  assert(read.ok && read.value !== null);
  const [row] = await sql<{ id: string }[]>`
    with a as (insert into framed.accounts (name) values ('Bakery') returning id)
    insert into framed.workspaces (account_id, name) select id, 'Office' from a returning id`;
  const { wrapped } = await createDataKey(read.value, row!.id);
  await sql`insert into framed.workspace_data_keys (id, workspace_id, kid, wrapped)
    values (${crypto.randomUUID()}, ${row!.id}, ${wrapped.kid}, ${wrapped.sealed as Uint8Array<
    ArrayBuffer
  >})`;
  return row!.id;
}

const kids = async () =>
  (await sql<{ kid: string }[]>`select kid from framed.workspace_data_keys order by kid`).map(({ kid }) =>
    kid
  );

databaseTest(
  "keys ring prints a master key that FRAMED_SECRET_KEYS takes, another each time, and asks no database",
  async () => {
    const [dated, one, two] = [await ring(), await ring("--kid", "k1"), await ring("--kid=k1")];
    assertMatch(dated, /^k20\d{6}:/);
    assert(one.startsWith("k1:") && two.startsWith("k1:") && one !== two);
    for (const entry of [dated, one, two]) assert((await readKeyRing(entry)).ok);
    const { entry, kid } = JSON.parse((await keys(["ring", "--json"])).stdout);
    assert(entry.startsWith(`${kid}:`));
  },
);

databaseTest("keys rewrap takes a stack from one master key to the next", async () => {
  const [k1, k2] = [await ring("--kid", "k1"), await ring("--kid", "k2")];
  const first = await addWorkspace(k1);
  await addWorkspace(k1);

  const lacking = await rewrap(k2, "--all");
  assertEquals([lacking.code, lacking.stdout], [1, ""]);
  assertMatch(lacking.stderr, /^FRAMED_SECRET_KEYS lacks k1, .*Nothing was moved\.\n$/);
  assertEquals(await kids(), ["k1", "k1"]);

  const one = await rewrap(`${k2},${k1}`, "--workspace", first);
  assertEquals(one.stderr, "1 data key moved to k2. Other workspaces may use other keys.\n");
  const rest = await rewrap(`${k2},${k1}`, "--all", "--json");
  assertEquals(JSON.parse(rest.stdout), { moved: 1, kid: "k2", data_keys: [{ kid: "k2", count: 2 }] });
  assertEquals(rest.stderr, "1 data key moved to k2. No other key is in use.\n");

  const dropped = await rewrap(k2, "--all");
  assertEquals([dropped.code, dropped.stderr], [0, "0 data keys moved to k2. No other key is in use.\n"]);
});

databaseTest("keys rewrap says in one line what keeps it from working, and repeats no key", async () => {
  const k9 = await ring("--kid", "k9");
  const cases: readonly [string, string][] = [
    ["", "FRAMED_SECRET_KEYS is missing"],
    [k9.slice(3), "entry 1: it has no key id"],
    [`${k9},k9:short`, "entry 2"],
  ];
  for (const [keyRing, says] of cases) {
    const { code, stdout, stderr } = await rewrap(keyRing, "--all");
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, says);
    assert(!stderr.includes(k9.slice(3)));
  }
});

databaseTest("keys rewrap names the workspace whose data key is not its own", async () => {
  const k1 = await ring("--kid", "k1");
  const [mine, theirs] = [await addWorkspace(k1), await addWorkspace(k1)];
  await sql`delete from framed.workspace_data_keys where workspace_id not in (${mine}, ${theirs})`;
  await sql`update framed.workspace_data_keys set wrapped =
    (select wrapped from framed.workspace_data_keys where workspace_id = ${theirs}) where workspace_id = ${mine}`;
  const { code, stderr } = await rewrap(`${await ring("--kid", "k2")},${k1}`, "--all");
  assertEquals(code, 1);
  assert(stderr.includes(mine) && !stderr.includes(theirs));
  assertStringIncludes(stderr, "1 data key moved to k2.");
});
