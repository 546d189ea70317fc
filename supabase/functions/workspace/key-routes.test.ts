import { assert, assertEquals } from "@std/assert";
import { hashKey, isWellFormedKey } from "../_shared/auth/keys.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());
const { sql } = w.database;

const path = `/workspaces/${w.id}/keys`;
const issue = (body: unknown, as: CallerName = "admin") => w.ask(path, { as, body });
const revoke = (id: string, as: CallerName = "admin") => w.ask(`${path}/${id}`, { as, method: "DELETE" });
const list = (query = "", as: CallerName = "admin") => w.ask(`${path}${query}`, { as });
const use = async (key: string, workspaceId = w.id) => {
  const url = `http://framed.example/api/tools?workspace_id=${workspaceId}`;
  const response = await w.fetch(new Request(url, { headers: { "x-framed-api-key": key } }));
  await response.body?.cancel();
  return response.status;
};

databaseTest("POST issues a key that acts as the administrator who asks, and tells it once", async () => {
  const { status, body } = await issue({ name: " CI ", kind: "raw", expires_at: "2999-01-01T00:00:00Z" });
  const { key, request_id: _, ok: __, ...rest } = body;
  assertEquals(status, 201);
  assert(isWellFormedKey(key));
  assertEquals([rest.name, rest.kind, rest.expires_at], ["CI", "raw", "2999-01-01T00:00:00+00:00"]);
  assertEquals([rest.acts_as, rest.created_by], [
    { user_id: w.people.admin, name: "Ada Admin" },
    w.people.admin,
  ]);
  assertEquals([rest.last_used_at, rest.revoked_at], [null, null]);
  assertEquals([await use(key), await use(key, w.siblingId)], [200, 404]);

  const stored = JSON.stringify([await sql`select * from framed.api_keys`, await w.log()]);
  assert(!stored.includes(key));
  const listed = await list();
  assert(!listed.text.includes(key) && !listed.text.includes(await hashKey(key)));
  assert(listed.body.keys[0].last_used_at !== null);
  assertEquals({ ...listed.body.keys[0], last_used_at: null }, rest);
  const [event] = (await w.log()).filter((row) => row.event === "key.issued");
  assertEquals([event.principal.id, event.detail.name, event.detail.key_id], [w.people.admin, "CI", rest.id]);
});

databaseTest("POST issues no reseller key, and says who does", async () => {
  const before = (await sql`select from framed.api_keys`).count;
  const { status, body } = await issue({ name: "Partner", kind: "reseller" });
  assertEquals([status, body.reason], [403, "admin_required"]);
  assert(body.detail.includes("every workspace of the account"));
  assert(body.hint.includes("deno task keys issue --account ID --reseller"));
  assertEquals((await sql`select from framed.api_keys`).count, before);
});

databaseTest("POST refuses in words what is no key", async (t) => {
  const instant = "expires_at: an instant ahead, such as 2027-01-31T12:00:00Z, is wanted";
  const cases: readonly [unknown, string][] = [
    [{ kind: "raw" }, "name: from 1 to 80 characters on one line are wanted"],
    [{ name: "x".repeat(81), kind: "raw" }, "name: from 1 to 80 characters on one line are wanted"],
    [{ name: "CI", kind: "root" }, "kind: raw or reseller is wanted"],
    [{ name: "CI", kind: "raw", expires_at: "tomorrow" }, instant],
    [{ name: "CI", kind: "raw", expires_at: "2020-01-01T00:00:00Z" }, instant],
    [{ name: "CI", kind: "raw", expires_at: "9999-12-31T23:59:59-23:00" }, instant],
    [{ name: "CI", kind: "raw", user_id: w.people.member }, "body: user_id not known here"],
  ];
  for (const [body, line] of cases) {
    await t.step(line, async () => {
      const answered = await issue(body);
      assertEquals([answered.status, answered.body.problems], [400, [line]]);
    });
  }
});

databaseTest("DELETE ends a key at once and for good, and again does nothing more", async () => {
  const { body } = await issue({ name: "Short", kind: "raw" });
  assertEquals(await use(body.key), 200);
  assertEquals((await revoke(body.id)).status, 204);
  assertEquals(await use(body.key), 401);
  const revokedAt = (await list()).body.keys.find(({ id }: { id: string }) => id === body.id).revoked_at;
  assert(Math.abs(Date.parse(revokedAt) - Date.now()) < 60_000);
  assertEquals((await revoke(body.id, "second_admin")).status, 204);
  assertEquals(
    (await list()).body.keys.find(({ id }: { id: string }) => id === body.id).revoked_at,
    revokedAt,
  );
  const revocations = (await w.log()).filter((row) =>
    row.event === "key.revoked" && row.detail.key_id === body.id
  );
  assertEquals(revocations.length, 1);
});

databaseTest("DELETE does not know a key of another workspace, or of the account", async () => {
  const others = await sql<{ id: string }[]>`
    select id from framed.api_keys where workspace_id is distinct from ${w.id} and revoked_at is null`;
  assertEquals(others.length, 3);
  const missing = await revoke(crypto.randomUUID());
  for (const { id } of others) {
    const answered = await revoke(id);
    assertEquals([answered.status, { ...answered.body, request_id: "" }], [
      404,
      { ...missing.body, request_id: "" },
    ]);
  }
  assertEquals(
    (await sql`select from framed.api_keys where workspace_id is distinct from ${w.id} and revoked_at is null`)
      .count,
    3,
  );
});

databaseTest(
  "the list of keys is newest first and paged by a cursor that loses and repeats nothing",
  async () => {
    // Within one millisecond, and some of them at one instant.
    await sql`insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash, created_at)
    select 'raw', ${w.accountId}, ${w.id}, ${w.people.admin}, 'Many', sha256(n::text::bytea), now() + (n / 2) * interval '1 microsecond'
      from generate_series(1, 6) n`;
    await issue({ name: "d", kind: "raw" });
    const whole = (await list()).body.keys.map(({ id }: { id: string }) => id);
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await list(`?limit=2${cursor}`, "member");
      seen.push(...body.keys.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    assertEquals(seen, whole);
    assertEquals((await list("?limit=1")).body.keys[0].name, "d");
  },
);
