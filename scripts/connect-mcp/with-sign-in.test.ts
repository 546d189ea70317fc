/** The built program signs a person in, renews the sign-in, and shares it with others of its kind, against a real Connect. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { consent, CONSOLE, follow, openTestConnect } from "../testing/connect.ts";
import {
  buildConnectMcp,
  INITIALIZE,
  INITIALIZED,
  openStdioHost,
  type Person,
  type Running,
  type Runtime,
  RUNTIMES,
  startConnectMcp,
} from "../testing/connect-mcp.ts";
import { databaseTest } from "../testing/database.ts";
import { fixtureFile } from "../testing/files.ts";
import { openTestWorkspace } from "../testing/workspace.ts";

const w = await openTestWorkspace();
const connect = await openTestConnect(w);
const built = await buildConnectMcp();
globalThis.addEventListener("unload", () => Promise.all([built.close(), connect.close(), w.close()]));
assertEquals((await w.define(fixtureFile())).status, 200);
const person = () => built.person({ FRAMED_API_BASE: `${connect.origin}/api` });

const LIST = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "framed_list", arguments: { of: "tools" } },
};

/** The page that the program shows, the `nth` of it. */
async function shown(running: Running, nth = 1): Promise<string> {
  const pages = new RegExp(`(?:[\\s\\S]*?go to:\\n(\\S+)\\n){${nth}}`);
  return (await running.says(pages))[1]!;
}

/** What the person does there: lets the program in, or turns it away. What the browser shows in the end. */
async function decide(url: string, decision: "allow" | "deny" = "allow"): Promise<Response> {
  const page = await follow(url);
  assert(page instanceof URL && page.origin === CONSOLE, JSON.stringify(page));
  const { body } = await consent(connect, {
    requestId: page.searchParams.get("request")!,
    as: w.people.member,
    decision: decision === "allow" ? { decision, workspace_id: w.id } : { decision },
  });
  return await fetch(body.redirect_to);
}

// deno-lint-ignore no-explicit-any
async function readFile({ config }: Person): Promise<{ path: string; text: string; kept: any }> {
  const folder = `${config}/framed`;
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  assertEquals(names.filter((name) => !name.endsWith(".json")), [], "nothing is left beside the file");
  assertEquals(names.length, 1);
  const path = `${folder}/${names[0]}`;
  const text = await Deno.readTextFile(path);
  return { path, text, kept: JSON.parse(text) };
}

/** A person who has signed in. */
async function signedIn(): Promise<Person> {
  const someone = await person();
  const running = startConnectMcp(built, { person: someone, args: ["login"] });
  assertEquals((await decide(await shown(running))).status, 200);
  assertEquals((await running.ended).code, 0);
  return someone;
}

async function served(running: Running) {
  await running.send(INITIALIZE, INITIALIZED, LIST);
  return await running.hears(({ id }) => id === 1);
}

async function ends(running: Running) {
  await running.leave();
  const ended = await running.ended;
  assertEquals([ended.code, ended.stderr], [0, ""]);
}

async function change({ path, kept }: Awaited<ReturnType<typeof readFile>>, tokens: object) {
  await Deno.writeTextFile(path, JSON.stringify({ ...kept, tokens: { ...kept.tokens, ...tokens } }));
}

const grants = async () =>
  (await w.database.sql`select id from framed.connect_grants where client_name = 'Framed connect-mcp'`).count;
const registrations = async () => (await w.database.sql`select from framed.connect_clients`).count;

for (const runtime of Object.keys(RUNTIMES) as Runtime[]) {
  databaseTest(
    `connect-mcp signs in while its host waits, and keeps it to its owner alone, on ${runtime}`,
    async () => {
      const someone = await person();
      const running = startConnectMcp(built, { person: someone, runtime });
      await running.send(INITIALIZE, INITIALIZED, LIST);
      const url = await shown(running);
      assertEquals(new URL(url).searchParams.get("code_challenge_method"), "S256");
      const page = await decide(url);
      assertStringIncludes(await page.text(), "Your program goes on. You can close this page.");
      const { result } = await running.hears(({ id }) => id === 1);
      assertEquals(result.structuredContent.ok, true);
      await running.leave();
      const { code, stdout, stderr } = await running.ended;
      assertEquals(code, 0);
      assertEquals(await someone.opened(), [url]);

      const { path, kept } = await readFile(someone);
      assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
      assertEquals((await Deno.stat(`${someone.config}/framed`)).mode! & 0o777, 0o700);
      for (const secret of [kept.tokens.access, kept.tokens.refresh]) {
        assertMatch(secret, /^f[a-z]{2}_/);
        assertEquals((stdout + stderr).includes(secret), false);
      }

      for (const era of ["2026-07-28", "2025-11-25"] as const) {
        const { client } = await openStdioHost(built, { person: someone, runtime, era });
        assertEquals((await client.listTools()).tools.length, 5);
        await client.close();
      }
      assertEquals((await someone.opened()).length, 1, "nobody is asked twice");
    },
  );
}

databaseTest(
  "connect-mcp renews a sign-in that has ended, by the clock and by what Connect says",
  async () => {
    const someone = await signedIn();
    const first = await readFile(someone);
    await change(first, { expiresAt: Date.now() });
    const early = startConnectMcp(built, { person: someone });
    assertEquals((await served(early)).result.structuredContent.ok, true);
    await ends(early);
    const second = await readFile(someone);
    assert(second.kept.tokens.access !== first.kept.tokens.access);
    assert(second.kept.tokens.refresh !== first.kept.tokens.refresh);

    await change(second, { access: `${second.kept.tokens.access.slice(0, -1)}_` });
    const refused = startConnectMcp(built, { person: someone });
    assertEquals((await served(refused)).result.structuredContent.ok, true);
    await ends(refused);
    assertEquals((await readFile(someone)).kept.clientId, first.kept.clientId);
    assertEquals((await someone.opened()).length, 1);
  },
);

databaseTest("several connect-mcp at once present a refresh token once, and all go on", async () => {
  const someone = await signedIn();
  await change(await readFile(someone), { expiresAt: Date.now() });
  const all = Array.from(
    { length: 4 },
    (_, n) => startConnectMcp(built, { person: someone, runtime: n % 2 === 0 ? "node" : "deno" }),
  );
  for (const answer of await Promise.all(all.map(served))) {
    assertEquals(answer.result.structuredContent.ok, true);
  }
  await Promise.all(all.map(ends));
  const { kept } = await readFile(someone);
  const rows = await w.database.sql`
    select g.revoked_at from framed.connect_grants g join framed.connect_tokens t on t.grant_id = g.id
     where t.token_hash = sha256(convert_to(${kept.tokens.refresh}, 'UTF8'))`;
  assertEquals([rows.length, rows[0]!.revoked_at], [1, null]);
});

databaseTest("several connect-mcp without a sign-in show their person one page", async () => {
  const someone = await person();
  const before = await grants();
  const all = [1, 2, 3].map(() => startConnectMcp(built, { person: someone }));
  const answers = all.map(served);
  const page = await Promise.race(all.map((running) => shown(running)));
  await decide(page);
  for (const answer of await Promise.all(answers)) assertEquals(answer.result.structuredContent.ok, true);
  for (const running of all) {
    await running.leave();
    assertEquals((await running.ended).code, 0);
  }
  assertEquals([await someone.opened(), await grants() - before], [[page], 1]);
});

databaseTest(
  "connect-mcp tells where to sign in once its grant has been ended, and goes on after that",
  async () => {
    const someone = await signedIn();
    const running = startConnectMcp(built, { person: someone });
    assertEquals((await served(running)).result.structuredContent.ok, true);
    await endGrants();
    await running.send({ ...LIST, id: 2 });
    const { error } = await running.hears(({ id }) => id === 2);
    const page = await shown(running);
    assertEquals(error.message, `Nobody is signed in. Sign in at ${page} and ask again.`);
    // What was kept is good for nothing, and so not kept; the program is still registered.
    const { kept } = await readFileWhileWaiting(someone);
    assertEquals(kept.tokens, null);
    const known = await registrations();
    await decide(page);
    for (let id = 3;; id++) {
      await running.send({ ...LIST, id });
      const answer = await running.hears((message) => message.id === id);
      if (answer.error !== undefined) continue;
      assertEquals(answer.result.structuredContent.ok, true);
      break;
    }
    assertEquals(await registrations(), known);
    await running.leave();
    assertEquals((await running.ended).code, 0);
  },
);

/** The person ends what they had let in, in the console. */
async function endGrants() {
  const path = `/workspaces/${w.id}/connect-tokens`;
  const { body } = await w.ask(path, { as: "member" });
  for (const { id } of body.connect_tokens) {
    await w.ask(`${path}/${id}`, { as: "member", method: "DELETE" });
  }
}

async function readFileWhileWaiting({ config }: Person) {
  const names = (await Array.fromAsync(Deno.readDir(`${config}/framed`))).map(({ name }) => name);
  const name = names.find((name) => name.endsWith(".json"))!;
  return { kept: JSON.parse(await Deno.readTextFile(`${config}/framed/${name}`)) };
}

databaseTest(
  "connect-mcp registers anew where Connect has forgotten it, before a person is asked",
  async () => {
    const someone = await signedIn();
    const file = await readFile(someone);
    await Deno.writeTextFile(
      file.path,
      JSON.stringify({ ...file.kept, clientId: crypto.randomUUID(), tokens: null }),
    );
    const running = startConnectMcp(built, { person: someone, args: ["login"] });
    await decide(await shown(running));
    assertEquals((await running.ended).code, 0);
    assertEquals((await someone.opened()).length, 2);
  },
);

databaseTest(
  "connect-mcp shows a refresh token that may have been presented to nobody, and asks anew",
  async () => {
    const someone = await signedIn();
    const file = await readFile(someone);
    await change(file, { expiresAt: Date.now() });
    const digest = new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(file.kept.tokens.refresh)),
    );
    const name = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 16);
    // As a process leaves it that was killed in the middle of it.
    const gone = new Deno.Command("true").spawn();
    await gone.status;
    await Deno.writeTextFile(`${file.path}.renewal-${name}.claim`, String(gone.pid));
    const running = startConnectMcp(built, { person: someone });
    await running.send(INITIALIZE, INITIALIZED, LIST);
    await decide(await shown(running));
    assertEquals((await running.hears(({ id }) => id === 1)).result.structuredContent.ok, true);
    await running.leave();
    assertEquals((await running.ended).code, 0);
    await readFile(someone);
  },
);

databaseTest("connect-mcp tells its host and its person when it was turned away", async () => {
  const someone = await person();
  const running = startConnectMcp(built, { person: someone });
  await running.send(INITIALIZE);
  const page = await decide(await shown(running), "deny");
  assertStringIncludes(await page.text(), "Your program was not let in.");
  const { error } = await running.hears(({ id }) => id === 0);
  assertEquals(error.message, "The sign-in was turned away: on the page, this program was not let in.");
  const { code, stderr } = await running.ended;
  assertEquals(code, 1);
  assertStringIncludes(stderr, error.message);
  assertEquals((await readFile(someone)).kept.tokens, null);
});

for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
  databaseTest(
    `connect-mcp takes a sign-in over whose process was ended midway by ${signal}, whoever waited for it`,
    async () => {
      const someone = await person();
      const before = await grants();
      const first = startConnectMcp(built, { person: someone, args: ["login"] });
      const left = await shown(first);
      const [waiting, host] = [
        startConnectMcp(built, { person: someone, args: ["login"] }),
        startConnectMcp(built, { person: someone, runtime: "deno" }),
      ];
      const answer = served(host);
      for (const other of [waiting, host]) await other.says(/open in your browser already/);
      first.kill(signal);
      const page = await Promise.race([shown(waiting), shown(host)]);
      assert(page !== left);
      await decide(page);
      assertEquals((await waiting.ended).code, 0);
      assertEquals((await answer).result.structuredContent.ok, true);
      await host.leave();
      assertEquals([(await host.ended).code, await grants() - before], [0, 1]);
      await first.ended;
      await readFile(someone);
    },
  );
}

databaseTest("connect-mcp shows no second page to a person who turned the first one away", async () => {
  const someone = await person();
  const first = startConnectMcp(built, { person: someone, args: ["login"] });
  const page = await shown(first);
  const host = startConnectMcp(built, { person: someone });
  await host.send(INITIALIZE);
  await host.says(/open in your browser already/);
  await decide(page, "deny");
  const { error } = await host.hears(({ id }) => id === 0);
  assertStringIncludes(error.message, "The sign-in of another connect-mcp on this machine came to nothing.");
  assertEquals([(await first.ended).code, (await host.ended).code], [1, 1]);
  // Who starts again is asked again.
  const again = startConnectMcp(built, { person: someone, args: ["login"] });
  await decide(await shown(again));
  assertEquals([(await again.ended).code, (await someone.opened()).length], [0, 2]);
});

databaseTest("connect-mcp takes no answer to another sign-in, and waits on", async () => {
  const running = startConnectMcp(built, { person: await person(), args: ["login"] });
  const url = await shown(running);
  const redirect = new URL(url).searchParams.get("redirect_uri")!;
  for (
    const [query, status] of [
      ["?code=forged&state=other", 400],
      ["?error=access_denied", 400],
      ["", 400],
    ] as const
  ) {
    const response = await fetch(`${redirect}${query}`);
    assertEquals([response.status, (await response.text()).includes("forged")], [status, false]);
  }
  assertEquals((await fetch(new URL("/", redirect)).then(async (r) => (await r.text(), r))).status, 404);
  await decide(url);
  assertEquals((await running.ended).code, 0);
});

for (const how of ["SIGINT", "the host leaves"] as const) {
  databaseTest(
    `connect-mcp ends while it waits for a person, and leaves nothing behind, when ${how}`,
    async () => {
      const someone = await person();
      const running = startConnectMcp(built, { person: someone });
      await running.send(INITIALIZE);
      const url = await shown(running);
      if (how === "SIGINT") running.kill(how);
      else await running.leave();
      assertEquals((await running.ended).code, 1);
      assertEquals((await readFile(someone)).kept.tokens, null);
      const port = new URL(new URL(url).searchParams.get("redirect_uri")!).port;
      assertEquals(await Deno.connect({ hostname: "127.0.0.1", port: Number(port) }).catch(() => null), null);
    },
  );
}

databaseTest(
  "connect-mcp logout ends the sign-in here and at Connect, and says so where it cannot",
  async () => {
    const someone = await signedIn();
    const { kept: { tokens, clientId } } = await readFile(someone);
    const out = startConnectMcp(built, { person: someone, args: ["logout"] });
    assertEquals(await out.ended, { code: 0, stdout: "", stderr: "Signed out, here and at Framed.\n" });
    assertEquals(await Array.fromAsync(Deno.readDir(`${someone.config}/framed`)), []);
    const response = await fetch(`${connect.issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: tokens.refresh,
        client_id: clientId,
      }),
    });
    assertEquals((await response.json()).error, "invalid_grant");
    const again = startConnectMcp(built, { person: someone, args: ["logout"] });
    assertEquals(await again.ended, { code: 0, stdout: "", stderr: "Nobody was signed in here.\n" });

    const other = await signedIn();
    const file = await readFile(other);
    await Deno.writeTextFile(
      file.path,
      JSON.stringify({ ...file.kept, issuer: "https://elsewhere.example" }),
    );
    const { code, stderr } = await startConnectMcp(built, { person: other, args: ["logout"] }).ended;
    assertEquals(code, 1);
    assertStringIncludes(stderr, "Signed out on this machine, but Connect was not told");
  },
);

databaseTest("connect-mcp makes a file its owner's alone again that others can read", async () => {
  const someone = await signedIn();
  const { path } = await readFile(someone);
  await Deno.chmod(path, 0o644);
  const running = startConnectMcp(built, { person: someone });
  assertEquals((await served(running)).result.structuredContent.ok, true);
  await ends(running);
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
});
