import { assertEquals } from "@std/assert";
import { obtainTokens, openTestConnect, register } from "../../../scripts/testing/connect.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
const connect = await openTestConnect(w);
globalThis.addEventListener("unload", async () => {
  await connect.close();
  await w.close();
});
const { sql } = w.database;
// What the workspace begins with has no place here.
await sql`delete from framed.connect_grants`;

const list = async (as: CallerName, query = "") =>
  (await w.ask(`/workspaces/${w.id}/connect-tokens${query}`, { as })).body;
const end = (as: CallerName, id: string) =>
  w.ask(`/workspaces/${w.id}/connect-tokens/${id}`, { as, method: "DELETE" });

async function isAlive(token: string): Promise<boolean> {
  const response = await fetch(`${connect.origin}/api/tools?workspace_id=${w.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.body?.cancel();
  return response.status === 200;
}

databaseTest(
  "GET /workspaces/<id>/connect-tokens shows people their own and administrators everyone's, never a token",
  async () => {
    const clientId = await register(connect, {
      client_name: "Claude",
      redirect_uris: ["https://host.example/callback"],
    });
    const mine = await obtainTokens(connect, { as: w.people.member, workspaceId: w.id, clientId });
    await obtainTokens(connect, { as: w.people.bare_member, workspaceId: w.id });
    await isAlive(mine.access_token);
    const { connect_tokens, next_cursor } = await list("member");
    const [{ id: _, created_at, last_used_at, expires_at, ...token }] = connect_tokens;
    assertEquals([connect_tokens.length, next_cursor], [1, null]);
    assertEquals(token, {
      client: { id: clientId, name: "Claude" },
      redirect_host: "host.example",
      acts_as: { user_id: w.people.member, name: "Mo Member" },
      revoked_at: null,
    });
    assertEquals([created_at, last_used_at, expires_at].map((instant) => Number.isNaN(Date.parse(instant))), [
      false,
      false,
      false,
    ]);
    const days = (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000;
    assertEquals(Math.round(days), 90);
    const everyones = await list("admin");
    assertEquals(everyones.connect_tokens.map(({ acts_as }: { acts_as: { name: string } }) => acts_as.name), [
      "Bo Bare",
      "Mo Member",
    ]);
    const text = JSON.stringify(everyones);
    assertEquals([text.includes(mine.access_token), /fc[trc]_/.test(text)], [false, false]);
  },
);

databaseTest(
  "GET /workspaces/<id>/connect-tokens pages, newest first, and leaves out what came to no token",
  async () => {
    await sql`insert into framed.connect_grants (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at)
    values (${w.id}, ${w.people.admin}, 'c', 'Never redeemed', 'host.example', 'r', now())`;
    const all = (await list("admin")).connect_tokens;
    const first = await list("admin", "?limit=1");
    const second = await list("admin", `?limit=1&cursor=${first.next_cursor}`);
    assertEquals([...first.connect_tokens, ...second.connect_tokens], all);
    assertEquals(second.next_cursor, null);
  },
);

databaseTest(
  "DELETE /workspaces/<id>/connect-tokens/<id> ends one's own at once and for good, with its row in the log",
  async () => {
    const tokens = await obtainTokens(connect, { as: w.people.member, workspaceId: w.id });
    const { id } = (await list("member")).connect_tokens[0];
    assertEquals(await isAlive(tokens.access_token), true);
    assertEquals((await end("bare_member", id)).body.reason, "not_found");
    assertEquals((await end("member", id)).status, 204);
    assertEquals(await isAlive(tokens.access_token), false);
    const { revoked_at } = (await list("member")).connect_tokens[0];
    assertEquals((await end("member", id)).status, 204, "again comes to the same");
    assertEquals((await list("member")).connect_tokens[0].revoked_at, revoked_at);
    const rows = (await w.log()).filter(({ event, detail }) =>
      event === "connect.revoked" && detail.connect_token_id === id
    );
    assertEquals(rows.map(({ principal, detail }) => [principal.kind, principal.id, detail.because]), [
      ["session", w.people.member, "person"],
    ]);
  },
);

databaseTest("an administrator ends another's", async () => {
  const tokens = await obtainTokens(connect, { as: w.people.member, workspaceId: w.id });
  const { id } = (await list("member")).connect_tokens[0];
  assertEquals((await end("second_admin", id)).status, 204);
  assertEquals(await isAlive(tokens.access_token), false);
});
