/** Who gets in to the MCP endpoint, and what is no message. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile } from "../../../scripts/testing/files.ts";
import { type Era, ERAS, messageOf } from "../../../scripts/testing/mcp-host.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { createKey } from "../_shared/auth/keys.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());
await w.define(fixtureFile());

const HOST = { host: "127.0.0.1:54321" };
const LIST: JsonObject = { name: "framed_list", arguments: { of: "tools" } };
const READ: JsonObject = { name: "framed_read", arguments: { tool: "rooms" } };

interface Said {
  readonly method: string;
  readonly params?: JsonObject;
}

async function post(
  as: CallerName,
  { era, headers = {}, ...said }: Said & { era: Era; headers?: Record<string, string> },
) {
  const message = messageOf({ era, ...said });
  return await w.ask("/connect/mcp", {
    as,
    method: "POST",
    body: message.body,
    headers: { ...HOST, ...message.headers, ...headers },
  });
}

/** Everything a host can say, so that none of it is a way round. */
const SAID: readonly Said[] = [
  { method: "tools/list" },
  { method: "tools/call", params: LIST },
  { method: "tools/call", params: READ },
  { method: "tools/call", params: { ...READ, _meta: { progressToken: 1 } } },
  { method: "tools/call", params: { name: "framed_result", arguments: { result_handle: "x" } } },
  {
    method: "tools/call",
    params: { name: "framed_approval", arguments: { approval_id: crypto.randomUUID() } },
  },
  { method: "tools/call", params: { name: "framed_list", arguments: { of: "workspaces" } } },
  { method: "tools/call", params: { name: "framed_tool", arguments: {} } },
  { method: "tools/call", params: { name: "rooms", arguments: {} } },
  // What the protocol refuses by itself.
  { method: "tools/call", params: { ...LIST, arguments: "none" } },
  { method: "tools/call", params: { ...LIST, arguments: [], _meta: { progressToken: 1 } } },
  { method: "tools/call", params: { ...LIST, name: ["framed_list"] } },
  { method: "tools/call", params: { name: "framed_list", _meta: "none" } },
];
const HELLO: Record<Era, Said> = {
  "2026-07-28": { method: "server/discover" },
  "2025-11-25": {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  },
};

const NOBODY: readonly [what: string, headers: Record<string, string>, invalid: boolean][] = [
  ["nothing", {}, false],
  ["a key that is malformed", { "x-framed-api-key": "frk_live_x" }, true],
  ["a key that nobody has", { "x-framed-api-key": createKey() }, true],
  ["a token that is malformed", { authorization: "Bearer fct_x" }, true],
  ["a person's session", { authorization: `Bearer session.${w.people.admin}` }, true],
];

databaseTest(
  "whoever presents nothing that is valid here is asked to sign in, whatever they say",
  async () => {
    for (const era of ERAS) {
      for (const said of [HELLO[era], ...SAID]) {
        for (const [what, headers, invalid] of NOBODY) {
          const { status, headers: told, body } = await post("nobody", { era, ...said, headers });
          const about = `${era} ${said.method} with ${what}`;
          assertEquals([status, body.reason], [401, "unauthenticated"], about);
          const challenge = told.get("www-authenticate") ?? "";
          assert(challenge.includes("/.well-known/oauth-protected-resource"), about);
          assertEquals(challenge.includes("invalid_token"), invalid, about);
        }
      }
    }
  },
);

databaseTest(
  "a call that wants no answer, or says another revision than it is in, is no way round either",
  async () => {
    const headers = {
      ...HOST,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: LIST };
    const said: readonly [body: JsonObject, headers: Record<string, string>][] = [
      [{ jsonrpc: "2.0", method: "tools/call", params: LIST }, {}],
      [{ ...call, id: {} }, {}],
      [call, { "mcp-protocol-version": "1999-01-01" }],
      [call, { "mcp-protocol-version": "2026-07-28" }],
      [call, { accept: "text/plain" }],
    ];
    for (const [body, more] of said) {
      for (const key of [createKey(), w.keys.admin_key]) {
        const { status } = await w.ask("/connect/mcp", {
          as: "nobody",
          method: "POST",
          body,
          headers: { ...headers, ...more, "x-framed-api-key": key },
        });
        assertEquals(
          status === 401,
          key !== w.keys.admin_key,
          `${status} for ${JSON.stringify([body, more])}`,
        );
      }
    }
  },
);

databaseTest(
  "a key that is revoked is out with the next request, though its workspace was remembered",
  async () => {
    const [row] = await w.database.sql`select id from framed.api_keys where name = 'Sal''s key'`;
    const before = await post("stranger_key", { era: "2025-11-25", method: "tools/call", params: LIST });
    assertEquals(before.status, 200);
    await w.database.sql`update framed.api_keys set revoked_at = now() where id = ${row!.id}`;
    for (const said of SAID) {
      assertEquals((await post("stranger_key", { era: "2025-11-25", ...said })).status, 401, said.method);
    }
    await w.database.sql`update framed.api_keys set revoked_at = null where id = ${row!.id}`;
  },
);

databaseTest("a key and a token get in, in both eras", async () => {
  for (const era of ERAS) {
    for (const as of ["admin_key", "reseller_key", "admin_token", "member_token"] as const) {
      for (const said of [HELLO[era], { method: "tools/list" }]) {
        const { status, body, text } = await post(as, { era, ...said });
        assertEquals([status, body.error], [200, undefined], `${era} ${as} ${text}`);
      }
    }
  }
});

const PLACES: readonly [headers: Record<string, string>, status: number][] = [
  [{ host: "127.0.0.1" }, 200],
  [{ host: "localhost:1" }, 200],
  [{ host: "[::1]:8080" }, 200],
  [{ host: "edge-runtime.supabase.com" }, 200],
  [{ host: "console.example" }, 200],
  [{ host: "evil.example" }, 403],
  [{ host: "127.0.0.1.evil.example" }, 403],
  [{ host: "console.example@evil.example" }, 403],
  [{ host: "" }, 403],
  [{ host: "localhost", "x-forwarded-host": "evil.example" }, 200],
  [{ host: "evil.example", "x-forwarded-host": "localhost" }, 403],
  [{ ...HOST, origin: "https://console.example" }, 200],
  [{ ...HOST, origin: "http://localhost:6274" }, 200],
  [{ ...HOST, origin: "http://console.example" }, 403],
  [{ ...HOST, origin: "https://console.example:8443" }, 403],
  [{ ...HOST, origin: "https://evil.example" }, 403],
  [{ ...HOST, origin: "https://localhost.evil.example" }, 403],
  [{ ...HOST, origin: "null" }, 403],
  [{ ...HOST, origin: "" }, 403],
];

databaseTest(
  "a name that is not ours and a page of another site are refused before anything is read",
  async () => {
    for (const [headers, wanted] of PLACES) {
      const { status, body } = await post("admin_key", { era: "2026-07-28", method: "tools/list", headers });
      assertEquals(status, wanted, JSON.stringify(headers));
      if (wanted === 403) assertEquals([body.id, body.error.code], [null, -32000]);
      const unknown = await post("nobody", { era: "2026-07-28", method: "tools/list", headers });
      assertEquals(unknown.status, wanted === 403 ? 403 : 401, JSON.stringify(headers));
    }
  },
);

const BODIES: readonly [what: string, body: string, status: number, code: number, id: unknown][] = [
  ["nothing", "", 400, -32700, null],
  ["no JSON", "{", 400, -32700, null],
  ["a key twice", '{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/call"}', 400, -32700, 7],
  [
    "too deep",
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(210)}${"]".repeat(210)}}`,
    400,
    -32700,
    null,
  ],
  [
    "too long",
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(1 << 20) } }),
    413,
    -32600,
    null,
  ],
  ["a text", '"tools/list"', 400, -32600, null],
];

databaseTest("what is no message is refused in words, under its id where it has one", async () => {
  for (const [what, body, status, code, id] of BODIES) {
    const answered = await w.ask("/connect/mcp", {
      as: "admin_key",
      method: "POST",
      body,
      headers: { ...HOST, "content-type": "application/json", accept: "application/json, text/event-stream" },
    });
    const { error, id: told } = answered.body;
    assertEquals(
      [answered.status, error?.code, told ?? null],
      [status, code, id],
      `${what}: ${answered.text}`,
    );
  }
});

databaseTest("arguments that can be read in two ways are refused as a result, and nothing runs", async () => {
  const before = (await w.log()).length;
  const body =
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"framed_read","arguments":{"tool":"rooms","args":{"floor":9007199254740993}}}}`;
  const { headers } = messageOf({ era: "2025-11-25", method: "tools/call" });
  const answered = await w.ask("/connect/mcp", {
    as: "admin_key",
    method: "POST",
    body,
    headers: { ...HOST, ...headers },
  });
  const { isError, structuredContent } = answered.body.result;
  assertEquals([answered.status, isError, structuredContent.reason], [200, true, "bad_json"]);
  assert(structuredContent.problems[0].includes("params.arguments.args.floor"), answered.text);
  assertEquals((await w.log()).slice(before).map(({ outcome }) => outcome), ["bad_json"]);
});

databaseTest("there is no session: GET and DELETE answer 405, and another type of content 415", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers } = await w.ask("/connect/mcp", { as: "admin_key", method, headers: HOST });
    assertEquals([status, headers.get("allow")], [405, "POST"], method);
  }
  for (const era of ERAS) {
    const headers = { "content-type": "text/plain" };
    assertEquals((await post("admin_key", { era, method: "tools/list", headers })).status, 415, era);
    const { headers: told } = await post("admin_key", { era, ...HELLO[era] });
    assertEquals(told.get("mcp-session-id"), null, era);
  }
});

databaseTest("a batch of 2025-03-26 is answered whole, each call by itself", async () => {
  const calls = ["rooms", "nothing", "rooms"].map((tool, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "framed_read", arguments: { tool } },
  }));
  const { status, body } = await w.ask("/connect/mcp", {
    as: "admin_key",
    method: "POST",
    body: JSON.stringify(calls),
    headers: {
      ...HOST,
      ...messageOf({ era: "2025-11-25", method: "tools/call" }).headers,
      "mcp-protocol-version": "2025-03-26",
    },
  });
  assertEquals(status, 200);
  const told = body.map((
    { id, result }: { id: number; result: { structuredContent: JsonObject } },
  ) => [id, result.structuredContent.reason ?? "ok"]);
  assertEquals(told.sort(), [[0, "ok"], [1, "not_found"], [2, "ok"]]);
});

databaseTest(
  "a tool that no host has is an error of the protocol, and so is a method there is none of",
  async () => {
    for (const era of ERAS) {
      const unknown = await post("admin_key", {
        era,
        method: "tools/call",
        params: { name: "rooms", arguments: {} },
      });
      assertEquals(unknown.body.error.code, -32602, unknown.text);
      const { body } = await post("admin_key", { era, method: "prompts/list" });
      assertEquals(body.error.code, -32601);
    }
  },
);
