import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { hashKey, isWellFormedKey } from "../supabase/functions/_shared/auth/keys.ts";
import { TEST_FORESEEN } from "./testing/two-accounts.ts";
import { openCall } from "../supabase/functions/_shared/calls/store.ts";
import { databaseTest, openTestDatabase } from "./testing/database.ts";
import { NO_LIMITS } from "./testing/limits.ts";
import { type Ended, runProgram } from "./testing/run-program.ts";

const database = await openTestDatabase();
const { sql } = database;
const SCRIPT = fileURLToPath(new URL("keys.ts", import.meta.url));

const NOOR = { id: crypto.randomUUID(), email: "Noor@framed.example", name: "Noor Admin" };
const SAM = { id: crypto.randomUUID(), email: "sam@framed.example", name: "Sam Member" };

function keys(args: readonly string[], env: Record<string, string> = { SUPABASE_DB_URL: database.url }) {
  return runProgram(Deno.execPath(), ["run", "--no-check", "--no-lock", "-A", SCRIPT, ...args], { env });
}

function personArgs({ id, email, name }: typeof NOOR): string[] {
  return ["--user", id, "--email", email, "--name", name];
}

/** What stands on standard output as one line. */
function line({ code, stdout, stderr }: Ended): string {
  assertEquals(code, 0, stderr);
  assertMatch(stdout, /^[^\n]+\n$/);
  return stdout.trim();
}

async function refused(args: readonly string[], says: string): Promise<void> {
  const { code, stdout, stderr } = await keys(args);
  assertEquals({ code, stdout }, { code: 1, stdout: "" }, stderr);
  assertStringIncludes(stderr, says);
  assertMatch(stderr, /^[^\n]+\n$/, "one line");
}

async function events(workspaceId: string) {
  const rows = await sql`
    select event, principal ->> 'kind' as by, detail ->> 'name' as name from framed.log_events
     where workspace_id = ${workspaceId} and event like 'key.%' order by id`;
  return rows.map(({ event, by, name }) => [event, by, name]);
}

function open(key: string, workspaceId: string) {
  return openCall(sql, {
    presented: { key_hash: hashKey(key) },
    workspaceId,
    slug: "none",
    foreseen: TEST_FORESEEN,
    limits: NO_LIMITS,
  });
}

databaseTest("keys takes an empty database to a key that works, and ends it again", async () => {
  const workspaceId = line(
    await keys(["setup", "--account-name", "Bakery", "--workspace-name", "Office", ...personArgs(NOOR)]),
  );
  const issue = ["issue", "--workspace", workspaceId, "--name", "CI"];
  const ended = await keys([...issue, "--admin", NOOR.email.toLowerCase(), "--expires", "2999-01-01"]);
  const key = line(ended);
  assert(isWellFormedKey(key));
  assert(!ended.stderr.includes(key), "the key is on standard output only");
  const { principal } = await open(key, workspaceId);
  assertEquals([principal?.kind, principal?.user_id, principal?.workspace?.role], [
    "raw_key",
    NOOR.id,
    "admin",
  ]);

  const { keys: listed } = JSON.parse(line(await keys(["list", "--workspace", workspaceId, "--json"])));
  assertEquals(listed.length, 1);
  assertEquals([listed[0].name, listed[0].user_name], ["CI", NOOR.name]);
  const shown = await keys(["list", "--workspace", workspaceId]);
  assertStringIncludes(shown.stdout, "2999-01-01");
  assert(!shown.stdout.includes(key) && !shown.stdout.includes(hashKey(key)));

  const revoked = await keys(["revoke", listed[0].id]);
  assertEquals([revoked.code, revoked.stdout], [0, ""]);
  assertEquals((await open(key, workspaceId)).principal, null);
  await refused(["revoke", listed[0].id], "no key with that id");
  assertStringIncludes((await keys(["list", "--workspace", workspaceId])).stdout, "revoked");
  assertEquals(await events(workspaceId), [["key.issued", "operator", "CI"], [
    "key.revoked",
    "operator",
    "CI",
  ]]);
});

databaseTest("keys issues a raw key for administrators of the workspace only", async () => {
  const { workspace_id: workspaceId } = JSON.parse(
    line(
      await keys([
        "setup",
        "--account-name",
        "Shop",
        "--workspace-name",
        "Shop",
        ...personArgs(NOOR),
        "--json",
      ]),
    ),
  );
  const setSam = ["set-member", "--workspace", workspaceId, ...personArgs(SAM)];
  const issue = ["issue", "--workspace", workspaceId, "--name", "CI"];
  await refused([...issue, "--admin", SAM.id], "Nobody by that address or id");
  assertEquals((await keys([...setSam, "--grant", "use_connectors"])).code, 0);
  await refused([...issue, "--admin", SAM.email], "is a member there");
  await refused(
    ["issue", "--workspace", crypto.randomUUID(), "--name", "CI", "--admin", NOOR.id],
    "Nobody by that",
  );

  assertEquals((await keys([...setSam, "--role", "admin"])).code, 0);
  const [sam] =
    await sql`select role, to_jsonb(grants) as grants from framed.members where user_id = ${SAM.id}`;
  assertEquals({ ...sam }, { role: "admin", grants: [] });
  assert(isWellFormedKey(line(await keys([...issue, "--admin", SAM.id.toUpperCase()]))));

  await sql`update framed.members set email = ${SAM.email} where user_id = ${NOOR.id} and workspace_id = ${workspaceId}`;
  await refused([...issue, "--admin", SAM.email], "Several people");
});

databaseTest(
  "keys issues a reseller key that reaches every workspace of its account, and each one's log says so",
  async () => {
    const { account_id: accountId, workspace_id: first } = JSON.parse(
      line(
        await keys([
          "setup",
          "--account-name",
          "Group",
          "--workspace-name",
          "One",
          ...personArgs(NOOR),
          "--json",
        ]),
      ),
    );
    const second = line(
      await keys(["setup", "--account", accountId, "--workspace-name", "Two", ...personArgs(SAM)]),
    );
    const reply = line(
      await keys(["issue", "--account", accountId, "--reseller", "--name", "Partner", "--json"]),
    );
    const { key, id, kind } = JSON.parse(reply);
    assertEquals(kind, "reseller");
    for (const workspaceId of [first, second]) {
      assertEquals((await open(key, workspaceId)).principal?.workspace?.id, workspaceId);
      assertEquals(await events(workspaceId), [["key.issued", "operator", "Partner"]]);
    }
    assertEquals(JSON.parse(line(await keys(["list", "--account", accountId, "--json"]))).keys[0].id, id);
    await refused(
      ["issue", "--account", crypto.randomUUID(), "--reseller", "--name", "Partner"],
      "no account",
    );
    await refused(
      ["setup", "--account", crypto.randomUUID(), "--workspace-name", "X", ...personArgs(NOOR)],
      "no account",
    );
    await refused(["list", "--account", crypto.randomUUID()], "no account");
    await refused(["set-member", "--workspace", crypto.randomUUID(), ...personArgs(SAM)], "no workspace");
  },
);

databaseTest(
  "keys set-member keeps a workspace its last administrator, and ends the keys of who is none any more",
  async () => {
    const setup = ["setup", "--account-name", "Kiosk", "--workspace-name", "Kiosk", ...personArgs(NOOR)];
    const workspaceId = line(await keys(setup));
    const set = (
      person: typeof NOOR,
      ...rest: string[]
    ) => ["set-member", "--workspace", workspaceId, ...personArgs(person), ...rest];
    await refused(set(NOOR, "--role", "member"), "only administrator of the workspace");

    assertEquals((await keys(set(SAM, "--role", "admin"))).code, 0);
    const key = line(await keys(["issue", "--workspace", workspaceId, "--admin", NOOR.id, "--name", "CI"]));
    assertEquals((await keys(set(NOOR, "--role", "member"))).code, 0);
    assertEquals((await open(key, workspaceId)).principal, null);
    assertEquals((await keys(set(NOOR, "--role", "admin"))).code, 0);
    assertEquals((await open(key, workspaceId)).principal, null, "for good");
    const rows = await sql`
    select event from framed.log_events where workspace_id = ${workspaceId} and principal ->> 'kind' = 'operator' order by id`;
    assertEquals(rows.map(({ event }) => event), [
      "member.set",
      "member.set",
      "key.issued",
      "member.set",
      "key.revoked",
      "member.set",
    ]);
  },
);

databaseTest("keys says in one line what keeps it from working", async (t) => {
  const list = ["list", "--workspace", crypto.randomUUID()];
  const url = new URL(database.url);
  const withUrl = (change: Partial<URL>) => ({ SUPABASE_DB_URL: Object.assign(new URL(url), change).href });
  const cases: readonly [string, string[], Record<string, string>, number, string][] = [
    ["no command", ["destroy"], withUrl({}), 2, "no command"],
    ["no database URL", list, {}, 2, "SUPABASE_DB_URL"],
    ["another URL", list, { SUPABASE_DB_URL: "https://secret@db.example" }, 2, "SUPABASE_DB_URL"],
    ["nobody there", list, withUrl({ port: "1" }), 1, "cannot be reached"],
    ["no such database", list, withUrl({ pathname: "/nowhere" }), 1, "no database by the name"],
    [
      "no such user",
      list,
      withUrl({ username: "nobody", password: "canary-password" }),
      1,
      "user or password",
    ],
    ["no schema", list, withUrl({ pathname: "/postgres" }), 1, "apply the migrations"],
  ];
  for (const [name, args, env, code, says] of cases) {
    await t.step(name, async () => {
      const ended = await keys(args, env);
      assertEquals([ended.code, ended.stdout], [code, ""], ended.stderr);
      assertStringIncludes(ended.stderr, says);
      assertMatch(ended.stderr, /^[^\n]+\n$/);
      assert(!ended.stderr.includes("secret@") && !ended.stderr.includes("canary-password"));
    });
  }
});

databaseTest("keys --help says what there is", async () => {
  const { code, stdout } = await keys(["--help"], {});
  assertEquals(code, 0);
  for (const word of ["setup", "set-member", "issue", "list", "revoke", "ring", "rewrap", "--reseller"]) {
    assertStringIncludes(stdout, word);
  }
});
