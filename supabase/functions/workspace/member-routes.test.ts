import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());
const { sql } = w.database;

const list = (as: CallerName, query = "") => w.ask(`/workspaces/${w.id}/members${query}`, { as });
const put = (user: string, body: unknown, as: CallerName = "admin") =>
  w.ask(`/workspaces/${w.id}/members/${user}`, { as, method: "PUT", body });
const remove = (user: string, as: CallerName = "admin") =>
  w.ask(`/workspaces/${w.id}/members/${user}`, { as, method: "DELETE" });
const events = async () =>
  (await w.log()).filter(({ event }) => event !== "tool.defined").map(({ event, detail }) => [event, detail]);
const admins = async () =>
  (await sql`select from framed.members where workspace_id = ${w.id} and role = 'admin'`).count;

const NOOR = { role: "member", grants: ["use_connectors"], name: "Noor", email: "noor@people.example" };
const ADA = { role: "admin", name: "Ada Admin", email: "ada@people.example" };
const SAM = { role: "admin", name: "Sam Second", email: "sam@people.example" };

databaseTest("members see each other's names, administrators their addresses too", async () => {
  const names = ["Ada Admin", "Sam Second", "Mo Member", "Bo Bare"];
  const seen = (await list("bare_member")).body.members;
  assertEquals(seen.map(({ name }: { name: string }) => name).sort(), names.sort());
  assert(!JSON.stringify(seen).includes("@"));
  const mo = (await list("admin")).body.members.find(({ name }: { name: string }) => name === "Mo Member");
  const { created_at: at, ...rest } = mo;
  assertEquals(rest, {
    user_id: w.people.member,
    name: "Mo Member",
    role: "member",
    grants: ["use_connectors"],
    email: "mo@people.example",
  });
  assert(Math.abs(Date.parse(at) - Date.now()) < 600_000);
});

databaseTest("the list of members is paged by a cursor that loses and repeats nothing", async () => {
  const seen: string[] = [];
  let cursor = "";
  do {
    const { body } = await list("member", `?limit=1${cursor}`);
    seen.push(...body.members.map(({ user_id }: { user_id: string }) => user_id));
    cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  const { admin, member, bare_member, second_admin } = w.people;
  assertEquals(seen.length, 4);
  assertEquals(new Set(seen), new Set([admin, member, bare_member, second_admin]));
});

databaseTest("PUT adds a person, changes them, and does nothing where they are so already", async () => {
  const before = (await events()).length;
  const user = crypto.randomUUID();
  const added = await put(user.toUpperCase(), NOOR);
  const { request_id: _, ok: __, created_at: ___, ...rest } = added.body;
  assertEquals([added.status, rest], [201, { user_id: user, ...NOOR }]);
  assertEquals((await put(user, NOOR)).status, 200);
  const changed = await put(user, { ...NOOR, grants: [], email: "n@people.example" });
  assertEquals([changed.status, changed.body.grants, changed.body.email], [200, [], "n@people.example"]);
  assertEquals((await events()).slice(before), [
    ["member.set", { user_id: user, name: "Noor", role: "member", grants: ["use_connectors"] }],
    ["member.set", { user_id: user, name: "Noor", role: "member", grants: [] }],
  ]);
  assert(!JSON.stringify(await w.log()).includes("people.example"), "addresses are for administrators");

  assertEquals((await remove(user)).status, 204);
  assertEquals((await events()).at(-1), ["member.removed", { user_id: user, name: "Noor" }]);
  assertEquals((await remove(user)).body.reason, "not_found");
});

databaseTest("who leaves reaches the workspace no more, from the next request on", async () => {
  await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${w.id}, ${w.people.stranger}, 'member', 'Sal', 'sal@people.example')`;
  assertEquals((await list("stranger")).status, 200);
  await remove(w.people.stranger);
  assertEquals((await list("stranger")).body.reason, "not_found");
});

databaseTest("PUT refuses in words what is no person", async (t) => {
  const user = crypto.randomUUID();
  const cases: readonly [string, unknown, string][] = [
    ["noor", NOOR, "user: a UUID is wanted"],
    [user, { ...NOOR, role: "owner" }, "role: admin or member is wanted"],
    [user, { ...NOOR, grants: ["everything"] }, "grants[0]: use_connectors is wanted"],
    [user, { ...NOOR, grants: ["use_connectors", "use_connectors"] }, "grants: each grant once is wanted"],
    [user, { ...NOOR, name: " " }, "name: from 1 to 200 characters on one line are wanted"],
    [user, { ...NOOR, name: "two\nlines" }, "name: from 1 to 200 characters on one line are wanted"],
    [user, { ...NOOR, name: "é".repeat(201) }, "name: from 1 to 200 characters on one line are wanted"],
    [user, { ...NOOR, email: "noor" }, "email: an address such as noor@example.com is wanted"],
    [user, { ...NOOR, email: undefined }, "email: an address is wanted"],
    [user, { ...NOOR, password: "x" }, "body: password not known here"],
  ];
  for (const [who, body, line] of cases) {
    await t.step(line, async () => {
      const answered = await put(who, body);
      assertEquals([answered.status, answered.body.problems], [400, [line]]);
    });
  }
});

databaseTest("the last administrator is neither demoted nor removed", async () => {
  await put(w.people.second_admin, { ...SAM, role: "member" });
  const answers = [
    await put(w.people.admin, { ...ADA, role: "member" }),
    await remove(w.people.admin),
  ];
  for (const { status, body } of answers) {
    assertEquals([status, body.reason], [409, "last_administrator"]);
    assert(body.detail.includes("only administrator") && body.hint.includes("someone else"));
  }
  assertEquals((await put(w.people.admin, { ...ADA, name: "Ada Still" })).status, 200);
  await put(w.people.admin, ADA);
  await put(w.people.second_admin, SAM);
});

databaseTest("two administrators who remove each other at once leave one", async () => {
  for (let round = 0; round < 5; round++) {
    const [one, two] = await Promise.all([
      remove(w.people.second_admin, "admin"),
      remove(w.people.admin, "second_admin"),
    ]);
    assertEquals(await admins(), 1, JSON.stringify([one.body, two.body]));
    assertEquals([one.status, two.status].filter((status) => status === 204).length, 1);
    const left: CallerName = one.status === 204 ? "admin" : "second_admin";
    await put(w.people.admin, ADA, left);
    await put(w.people.second_admin, SAM, left);
  }
});

databaseTest(
  "raw keys of who is no administrator any more die at once, and stay dead when they are one again",
  async (t) => {
    const use = (key: string) =>
      w.fetch(
        new Request(`http://framed.example/api/tools?workspace_id=${w.id}`, {
          headers: { "x-framed-api-key": key },
        }),
      ).then(async (response) => [response.status, (await response.json()).reason ?? "ok"]);
    const endings = {
      demoted: () => put(w.people.second_admin, { ...SAM, role: "member" }),
      removed: () => remove(w.people.second_admin),
    };
    for (const [name, end] of Object.entries(endings)) {
      await t.step(name, async () => {
        const issued = await w.ask(`/workspaces/${w.id}/keys`, {
          as: "second_admin",
          body: { name: "CI", kind: "raw" },
        });
        const { key, id } = issued.body;
        assertEquals(await use(key), [200, "ok"]);
        assert((await end()).status < 300);
        assertEquals(await use(key), [401, "unauthenticated"]);
        const revoked = (await w.log()).filter((row) =>
          row.event === "key.revoked" && row.detail.key_id === id
        );
        assertEquals(revoked.length, 1);

        await put(w.people.second_admin, SAM);
        assertEquals(await use(key), [401, "unauthenticated"]);
      });
    }
  },
);

databaseTest("a key that is issued while its administrator is demoted does not stay alive", async () => {
  for (let round = 0; round < 10; round++) {
    const [issued, demoted] = await Promise.all([
      w.ask(`/workspaces/${w.id}/keys`, { as: "second_admin", body: { name: "Race", kind: "raw" } }),
      put(w.people.second_admin, { ...SAM, role: "member" }),
    ]);
    assert([201, 403, 404].includes(issued.status), issued.text);
    assertEquals(demoted.status, 200);
    const alive = await sql`
      select from framed.api_keys where user_id = ${w.people.second_admin} and revoked_at is null`;
    assertEquals(alive.count, 0, issued.text);
    await put(w.people.second_admin, SAM);
  }
});
