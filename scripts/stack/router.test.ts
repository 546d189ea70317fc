import { assertEquals } from "@std/assert";
import { listen } from "./listen.ts";
import { answerStarting, createRouter } from "./router.ts";

/** Answers with what it was given to see. */
function echo(part: string) {
  return async (request: Request) =>
    Response.json({
      part,
      path: new URL(request.url).pathname + new URL(request.url).search,
      method: request.method,
      body: await request.text(),
      client: request.headers.get("x-forwarded-for"),
    });
}

const route = createRouter({
  functions: new Map([
    ["api", echo("api")],
    ["connect", echo("connect")],
    ["read-back", echo("read-back")],
  ]),
  signIn: echo("sign-in"),
  console: ({ method, url }) =>
    method === "GET" && /^\/(?:tasks|functions\/v1\/nothing)$/.test(new URL(url).pathname)
      ? Response.json({ part: "console" })
      : null,
});

async function seen(path: string, init?: RequestInit) {
  const answer = await route(new Request(`http://127.0.0.1:54321${path}`, init));
  return await answer.json();
}

const ROUTES: [path: string, part: string, path: string][] = [
  ["/api/tools?workspace_id=1", "api", "/api/tools?workspace_id=1"],
  ["/api", "api", "/api"],
  ["/functions/v1/api/tools", "api", "/api/tools"],
  ["/functions/v1/read-back/tools/a%2Fb", "read-back", "/read-back/tools/a%2Fb"],
  ["/functions/v1/read-back", "read-back", "/read-back"],
  ["/auth/v1/user", "sign-in", "/auth/v1/user"],
  ["/functions/v1/connect/mcp", "connect", "/connect/mcp"],
  [
    "/.well-known/oauth-protected-resource/functions/v1/connect/mcp",
    "connect",
    "/connect/.well-known/oauth-protected-resource/functions/v1/connect/mcp",
  ],
  ["/.well-known/oauth-authorization-server", "connect", "/connect/.well-known/oauth-authorization-server"],
];

for (const [path, part, delivered] of ROUTES) {
  Deno.test(`createRouter() gives ${path} to ${part}, as the platform would`, async () => {
    const { part: answered, path: saw } = await seen(path);
    assertEquals([answered, saw], [part, delivered]);
  });
}

Deno.test("createRouter() hands method and body on, and says itself who the client is", async () => {
  const { method, body, client } = await seen("/api/tools/define", {
    method: "POST",
    body: "a file",
    headers: { "x-forwarded-for": "203.0.113.9" },
  });
  assertEquals([method, body, client], ["POST", "a file", "127.0.0.1"]);
});

Deno.test("createRouter() hands on that the client is gone", async () => {
  const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let sawItLeave = false;
  const http = listen(0);
  http.serve(createRouter({
    functions: new Map([["connect", async ({ signal }) => {
      signal.addEventListener("abort", () => {
        sawItLeave = true;
        left.resolve();
      });
      begun.resolve();
      await left.promise;
      return new Response(null);
    }]]),
    signIn: echo("sign-in"),
  }));
  const client = new AbortController();
  const asked = fetch(`${http.origin}/functions/v1/connect/mcp`, { signal: client.signal }).catch(() => {});
  await begun.promise;
  client.abort();
  await asked;
  // Waits for what is under way, and not for ever.
  await http.stop();
  assertEquals(sawItLeave, true);
  left.resolve();
});

Deno.test("createRouter() has the console answer what nothing else does and it has, and no function's path", async () => {
  assertEquals((await seen("/tasks?workspace_id=1")).part, "console");
  assertEquals((await seen("/tasks", { method: "POST" })).reason, "not_found");
  assertEquals((await seen("/functions/v1/nothing")).reason, "not_found");
});

for (
  const path of [
    "/functions/v1/",
    "/.well-known/other",
    "/.well-known/oauth-protected-resources",
    "/functions/v1/nothing",
    "/apiary",
    "/auth/v2/user",
    "/favicon.ico",
  ]
) {
  Deno.test(`createRouter() answers ${path} with a problem`, async () => {
    const answer = await route(new Request(`http://127.0.0.1:54321${path}`));
    assertEquals([answer.status, answer.headers.get("content-type")], [404, "application/problem+json"]);
    assertEquals((await answer.json()).reason, "not_found");
  });
}

Deno.test("answerStarting() asks to come back in a moment", () => {
  const answer = answerStarting();
  assertEquals([answer.status, answer.headers.get("retry-after")], [503, "1"]);
});
