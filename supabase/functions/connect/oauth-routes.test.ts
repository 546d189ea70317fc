import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  authorizeUrl,
  begin,
  consent,
  CONSOLE,
  follow,
  makePkce,
  openTestConnect,
  post,
  REDIRECT,
  register,
} from "../../../scripts/testing/connect.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../scripts/testing/error-output.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { openDatabase } from "../_shared/db/client.ts";
import { createApp } from "./app.ts";

const w = await openTestWorkspace();
const connect = await openTestConnect(w);
globalThis.addEventListener("unload", async () => {
  await connect.close();
  await w.close();
});
const { sql } = w.database;
const { issuer } = connect;
const who = { as: w.people.member, workspaceId: w.id };

const REFUSED_AUTHORIZE: readonly [
  name: string,
  change: Record<string, string | undefined>,
  error: string,
][] = [
  ["no response type", { response_type: undefined }, "unsupported_response_type"],
  ["a token at once", { response_type: "token" }, "unsupported_response_type"],
  ["no challenge", { code_challenge: "" }, "invalid_request"],
  ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
  ["no method, which means plain", { code_challenge_method: undefined }, "invalid_request"],
  ["a challenge that is no hash", { code_challenge: "x".repeat(42) }, "invalid_request"],
  ["another resource", { resource: "https://elsewhere.example/mcp" }, "invalid_target"],
  ["an answer in a fragment", { response_mode: "fragment" }, "invalid_request"],
  ["a request object", { request: "eyJ" }, "invalid_request"],
];

for (const [name, change, error] of REFUSED_AUTHORIZE) {
  databaseTest(`GET /authorize tells the client of ${name}, with the state and who says so`, async () => {
    const url = authorizeUrl(connect, {
      client_id: await register(connect),
      code_challenge: makePkce().challenge,
      ...change,
    });
    const followed = await follow(url);
    assert(followed instanceof URL, JSON.stringify(followed));
    assertEquals(followed.origin + followed.pathname, REDIRECT);
    const { error: told, state, iss } = Object.fromEntries(followed.searchParams);
    assertEquals([told, state, iss], [error, "the state", issuer]);
    assertEquals(followed.searchParams.has("code"), false);
  });
}

const NOWHERE: readonly [name: string, change: Record<string, string>, error: string][] = [
  ["no client", { client_id: "" }, "invalid_request"],
  ["an unknown client", { client_id: crypto.randomUUID() }, "invalid_client"],
  ["a client id that is none of ours", { client_id: "another' or 1=1" }, "invalid_client"],
  ["no address to go to", { redirect_uri: "" }, "invalid_request"],
  [
    "an address that was not registered",
    { redirect_uri: "https://evil.example/callback" },
    "invalid_request",
  ],
  ["an address that only begins like it", { redirect_uri: `${REDIRECT}/../other` }, "invalid_request"],
  ["a script for an address", { redirect_uri: "javascript:alert(1)" }, "invalid_request"],
  ["a state beyond measure", { state: "x".repeat(4_097) }, "invalid_request"],
];

for (const [name, change, error] of NOWHERE) {
  databaseTest(`GET /authorize sends the browser nowhere for ${name}`, async () => {
    const url = authorizeUrl(connect, {
      client_id: await register(connect),
      code_challenge: makePkce().challenge,
      ...change,
    });
    const followed = await follow(url);
    assert(!(followed instanceof URL), String(followed));
    assertEquals([followed.status, (followed.body as { error: string }).error], [400, error]);
  });
}

databaseTest("GET /authorize sends the browser nowhere for a parameter that is given twice", async () => {
  const url = authorizeUrl(connect, {
    client_id: await register(connect),
    code_challenge: makePkce().challenge,
  });
  const followed = await follow(`${url}&redirect_uri=https%3A%2F%2Fevil.example%2F`);
  assertEquals(followed instanceof URL, false);
});

databaseTest("GET /authorize judges an address once more though it was registered", async () => {
  const client_id = await register(connect);
  await sql`update framed.connect_clients set redirect_uris = '["javascript:alert(1)"]' where id = ${client_id}`;
  const url = authorizeUrl(connect, {
    client_id,
    redirect_uri: "javascript:alert(1)",
    code_challenge: makePkce().challenge,
  });
  assertEquals(await follow(url) instanceof URL, false);
});

databaseTest("GET /authorize keeps what a client asks until a person decides, on the console", async () => {
  const url = authorizeUrl(connect, {
    client_id: await register(connect),
    code_challenge: makePkce().challenge,
  });
  const response = await fetch(url, { redirect: "manual" });
  assertEquals(response.status, 302);
  assertMatch(
    response.headers.get("location")!,
    new RegExp(`^${CONSOLE}/connect/consent\\?request=[\\w-]{43}$`),
  );
  assertEquals(response.headers.get("referrer-policy"), "no-referrer");
});

/** Loopback programs: registered, and presented with the port they got. */
const LOOPBACK: readonly [host: string, registered: string, presented: string][] = [
  ["Claude Code", "http://localhost/callback", "http://localhost:54545/callback"],
  ["Codex", "http://localhost:1455/auth/callback", "http://localhost:1455/callback/abc123"],
  ["VS Code", "http://127.0.0.1:33418", "http://127.0.0.1:33418/"],
  ["Gemini CLI", "http://localhost:7777/oauth/callback", "http://localhost:40001/oauth/callback"],
];

for (const [host, registered, presented] of LOOPBACK) {
  databaseTest(`a program on this device is sent where it listens, as ${host} does`, async () => {
    const client_id = await register(connect, { redirect_uris: [registered] });
    const { verifier, challenge } = makePkce();
    const requestId = await begin(
      authorizeUrl(connect, { client_id, redirect_uri: presented, code_challenge: challenge }),
    );
    const { body } = await consent(connect, {
      requestId,
      as: who.as,
      decision: { decision: "allow", workspace_id: w.id },
    });
    assert(body.redirect_to.startsWith(`${presented}?code=fcc_`), body.redirect_to);
    const code = new URL(body.redirect_to).searchParams.get("code")!;
    const form = { grant_type: "authorization_code", client_id, code, code_verifier: verifier };
    // The address that was registered is not the one the code went to.
    const { status } = await post(connect, "token", { ...form, redirect_uri: presented });
    assertEquals(status, 200);
  });
}

databaseTest("POST /register takes all that Cursor asks for at once", async () => {
  const redirect_uris = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
  ];
  const response = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Cursor",
      redirect_uris,
      token_endpoint_auth_method: "client_secret_basic",
      logo_uri: "https://x.example/",
    }),
  });
  const { client_id, client_id_issued_at, ...told } = await response.json();
  assertEquals(response.status, 201);
  assertMatch(client_id, /^[0-9a-f-]{36}$/);
  assert(Math.abs(client_id_issued_at - Date.now() / 1000) < 3_600);
  assertEquals(told, {
    client_name: "Cursor",
    redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "connect",
  });
});

const REFUSED_METADATA: readonly [name: string, body: string, error: string, says: RegExp][] = [
  [
    "one address of three that may not be",
    JSON.stringify({ redirect_uris: ["https://a.example/", "javascript:alert(1)", "https://b.example/"] }),
    "invalid_redirect_uri",
    /redirect_uris\[1\]/,
  ],
  ["no addresses", "{}", "invalid_redirect_uri", /1 to 20/],
  ["an empty list", '{"redirect_uris":[]}', "invalid_redirect_uri", /1 to 20/],
  [
    "too many",
    JSON.stringify({ redirect_uris: Array(21).fill("https://a.example/") }),
    "invalid_redirect_uri",
    /1 to 20/,
  ],
  ["a number for one", '{"redirect_uris":[1]}', "invalid_redirect_uri", /no text/],
  [
    "another grant alone",
    '{"redirect_uris":["https://a.example/"],"grant_types":["client_credentials"]}',
    "invalid_client_metadata",
    /authorization_code/,
  ],
  [
    "a token for a response",
    '{"redirect_uris":["https://a.example/"],"response_types":["token"]}',
    "invalid_client_metadata",
    /code/,
  ],
  [
    "addresses that are too much together",
    JSON.stringify({
      redirect_uris: [1, 2, 3].map((n) => `https://host.example/${n}/${"x".repeat(1_500)}`),
    }),
    "invalid_redirect_uri",
    /4,?096 at most/,
  ],
  ["no JSON", "redirect_uris=x", "invalid_client_metadata", /JSON/],
  ["a list", "[]", "invalid_client_metadata", /object/],
  [
    "a key twice",
    '{"redirect_uris":["https://a.example/"],"redirect_uris":["https://b.example/"]}',
    "invalid_client_metadata",
    /redirect_uris/,
  ],
];

for (const [name, body, error, says] of REFUSED_METADATA) {
  databaseTest(`POST /register refuses ${name}`, async () => {
    const response = await fetch(`${issuer}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const told = await response.json();
    assertEquals([response.status, told.error], [400, error]);
    assertMatch(told.error_description, says);
  });
}

databaseTest("pages of any origin may ask for all but consent, which is the console's", async () => {
  const origins = async (path: string, origin: string) => {
    const { headers, body } = await fetch(issuer + path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    await body?.cancel();
    return headers.get("access-control-allow-origin");
  };
  for (const path of ["/token", "/register", "/revoke", "/mcp", "/.well-known/oauth-protected-resource"]) {
    assertEquals([path, await origins(path, "https://anyone.example")], [path, "*"]);
  }
  assertEquals(await origins("/consent/x", "https://anyone.example"), null);
  assertEquals(await origins("/consent/x", CONSOLE), CONSOLE);
});

databaseTest("who asks too often is told when to come back, and others are not", async () => {
  const ask = async (address: string) => {
    const headers = { "content-type": "application/json", "x-test-address": address };
    const response = await fetch(`${issuer}/register`, { method: "POST", headers, body: "{}" });
    return {
      status: response.status,
      wait: response.headers.get("retry-after"),
      body: await response.json(),
    };
  };
  const answers = [];
  while (answers.at(-1)?.status !== 429 && answers.length < 500) answers.push(await ask("203.0.113.7"));
  const { status, wait, body } = answers.at(-1)!;
  assertEquals([status, body.error, Number(wait) >= 1], [429, "temporarily_unavailable", true]);
  assert(answers.length > 100, String(answers.length));
  assertEquals((await ask("203.0.113.8")).status, 400);
});

databaseTest("a store that is away is told in OAuth's form, with when to come back", async () => {
  const db = openDatabase("postgresql://nobody@127.0.0.1:1/none");
  const app = createApp({ ...connect.services, db });
  try {
    const { value: response, lines } = await withErrorOutput(async () =>
      await app.request("/connect/token", { method: "POST", body: new URLSearchParams() })
    );
    assertEquals([response.status, response.headers.get("retry-after")], [503, "2"]);
    assertEquals((await response.json()).error, "temporarily_unavailable");
    assertEquals(lines.length, 1);
  } finally {
    await db.end();
  }
});
