import { assert, assertEquals, assertMatch } from "@std/assert";
import { withErrorOutput } from "../../../../scripts/testing/error-output.ts";
import { SignInUnavailable } from "../auth/session.ts";
import { openDatabase } from "../db/client.ts";
import { ok, refuse } from "../outcome/result.ts";
import { answerJson, answerRefusal, answerResult, createHttpApp, createRoutes, occasionOf } from "./app.ts";
import type { Services } from "./services.ts";

const CONSOLE = "https://console.example";
const CANARY = "canary-of-the-database";
const services = { consoleOrigins: [CONSOLE], telemetry: null } as Partial<Services> as Services;

const app = createHttpApp("tools", services, [() => {
  const routes = createRoutes();
  routes.get("/fine", (c) => answerJson(c, { ok: true }));
  routes.post("/fine", (c) => answerJson(c, { ok: true }, 202));
  routes.get("/refused", (c) => answerRefusal(c, refuse("grant_missing", { detail: "No." }).refusal));
  routes.get("/result/:which", (c) =>
    answerResult(
      c,
      c.req.param("which") === "good" ? ok(1) : refuse("not_found"),
      (value) => answerJson(c, { value }),
    ));
  routes.get("/broken", () => {
    throw new TypeError(`column "${CANARY}" does not exist`);
  });
  routes.get("/odd", () => {
    throw Object.assign(new Error(CANARY), { code: "22P02" });
  });
  routes.all("/no-store", async () => {
    const db = openDatabase("postgres://framed@127.0.0.1:1/framed", { max: 1 });
    await db`select 1`.finally(() => db.end());
    return new Response();
  });
  routes.get("/no-sign-in", () => {
    throw new SignInUnavailable();
  });
  routes.get(
    "/occasion",
    (c) => answerJson(c, { id: occasionOf(c).requestId, took: occasionOf(c).elapsedMs() }),
  );
  return routes;
}]);

async function ask(path: string, init: RequestInit = {}) {
  const response = await app.request(path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

Deno.test("createHttpApp() puts a request id and no-store on every answer", async () => {
  for (const path of ["/tools/fine", "/tools/refused", "/tools/nowhere", "/elsewhere", "/tools/fine?x=%00"]) {
    const { headers, body } = await ask(path);
    assertMatch(headers.get("x-request-id") ?? "", /^req_[0-9a-f]{32}$/);
    assertEquals(body.request_id, headers.get("x-request-id"));
    assertEquals([headers.get("cache-control"), headers.get("x-content-type-options")], [
      "no-store",
      "nosniff",
    ]);
  }
});

Deno.test("createHttpApp() gives each request an id of its own, whatever it asks for", async () => {
  const mine = { headers: { "x-request-id": "req_mine" } };
  const ids = [
    (await ask("/tools/fine", mine)).body.request_id,
    (await ask("/tools/fine", mine)).body.request_id,
  ];
  assert(ids[0] !== ids[1] && !ids.includes("req_mine"));
});

Deno.test("createHttpApp() answers what a route answers", async () => {
  assertEquals((await ask("/tools/fine")).status, 200);
  assertEquals((await ask("/tools/fine", { method: "POST" })).status, 202);
  assertEquals((await ask("/tools/result/good")).body.value, 1);
  assertEquals((await ask("/tools/result/bad")).status, 404);
  const refused = await ask("/tools/refused");
  assertEquals([refused.status, refused.body.reason, refused.body.detail], [403, "grant_missing", "No."]);
  assertEquals(refused.headers.get("content-type"), "application/problem+json");
  const { body } = await ask("/tools/occasion");
  assertEquals(body.id, body.request_id);
  assert(Number.isInteger(body.took) && body.took >= 0);
});

Deno.test("createHttpApp() tells an unknown path from a method that a path does not take", async () => {
  for (const path of ["/tools/nowhere", "/tools", "/", "/other/fine", "/tools/fine/more"]) {
    const { status, body } = await ask(path);
    assertEquals([status, body.reason], [404, "not_found"], path);
  }
  const { status, headers, body } = await ask("/tools/fine", { method: "DELETE" });
  assertEquals([status, body.reason, headers.get("allow")], [405, "method_not_allowed", "GET, POST"]);
  assertEquals((await ask("/tools/nowhere", { method: "DELETE" })).status, 404);
});

Deno.test("createHttpApp() lets pages of the console's origins in, and no others", async () => {
  const preflight = (origin: string) =>
    ask("/tools/fine", { method: "OPTIONS", headers: { origin, "access-control-request-method": "PUT" } });
  const allowed = await preflight(CONSOLE);
  assertEquals(allowed.headers.get("access-control-allow-origin"), CONSOLE);
  assertEquals(allowed.headers.get("access-control-allow-credentials"), null);
  for (
    const origin of ["https://evil.example", `${CONSOLE}.evil.example`, "http://console.example", "null"]
  ) {
    assertEquals((await preflight(origin)).headers.get("access-control-allow-origin"), null, origin);
    assertEquals(
      (await ask("/tools/fine", { headers: { origin } })).headers.get("access-control-allow-origin"),
      null,
    );
  }
  const failing = await ask("/tools/refused", { headers: { origin: CONSOLE } });
  assertEquals(failing.headers.get("access-control-allow-origin"), CONSOLE, "the console reads refusals too");
});

Deno.test("createHttpApp() answers what broke with its request id, and logs the cause but not its words", async () => {
  for (const [path, cause] of [["/tools/broken", "TypeError"], ["/tools/odd", "Error 22P02"]] as const) {
    const { value: answered, lines } = await withErrorOutput(() => ask(path));
    assertEquals([answered.status, answered.body.reason], [500, "internal"]);
    assert(!JSON.stringify(answered.body).includes(CANARY));
    assertEquals(lines.length, 1);
    assert(!lines[0]!.includes(CANARY));
    const line = JSON.parse(lines[0]!);
    assertEquals([line.request_id, line.cause], [answered.body.request_id, cause]);
    assert(line.stack.length > 0);
  }
});

Deno.test("createHttpApp() answers store_unavailable where the store or sign-in is away", async () => {
  for (const path of ["/tools/no-store", "/tools/no-sign-in"]) {
    const { value: answered, lines } = await withErrorOutput(() => ask(path));
    assertEquals([answered.status, answered.body.reason], [503, "store_unavailable"], path);
    assertMatch(answered.headers.get("retry-after") ?? "", /^\d+$/);
    assertEquals(JSON.parse(lines[0]!).request_id, answered.body.request_id);
  }
});

Deno.test("createHttpApp() says of a store that went away whether to ask again is safe, and claims nothing it cannot know", async () => {
  const hints = {
    GET: "this only reads",
    PUT: "the same as done once",
    PATCH: "the same as done once",
    DELETE: "the same as done once",
    POST: "Look first",
  };
  for (const [method, says] of Object.entries(hints)) {
    const { value: { body } } = await withErrorOutput(() => ask("/tools/no-store", { method }));
    assert(body.hint.includes(says), `${method}: ${body.hint}`);
    assert(!JSON.stringify(body).includes("othing was"), method);
  }
  const { value: { body } } = await withErrorOutput(() => ask("/tools/no-sign-in"));
  assertMatch(body.detail, /nothing was done/);
});

Deno.test("createHttpApp() tells HEAD what GET would have been told, but for the body", async () => {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  try {
    for (const path of ["/tools/fine", "/tools/refused", "/tools/missing"]) {
      const ask = async (method: string) => {
        const response = await fetch(`http://127.0.0.1:${server.addr.port}${path}`, { method });
        const body = await response.text();
        return { response, body };
      };
      const [head, get] = [await ask("HEAD"), await ask("GET")];
      assertEquals([head.response.status, head.body], [get.response.status, ""]);
      for (const name of ["content-type", "cache-control"]) {
        assertEquals([path, name, head.response.headers.get(name)], [
          path,
          name,
          get.response.headers.get(name),
        ]);
      }
      assertEquals(head.response.headers.get("content-length"), String(get.body.length));
    }
  } finally {
    await server.shutdown();
  }
});
