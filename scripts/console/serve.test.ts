/** What a browser is answered on the console's paths, over a socket. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createRouter } from "../stack/router.ts";
import { listen } from "../stack/listen.ts";
import { PAGE_PATHS } from "./page-headers.ts";
import { type ConsoleHandler, serveConsole, serveNoConsole } from "./serve.ts";
import { type Site, siteFile } from "./site.ts";

const INDEX = '<!doctype html><script type="module" src="/assets/index-1a2b3c4d.js"></script>';
const SCRIPT = "export const words = 'say it again';\n".repeat(200);
const PICTURE = new Uint8Array(4_000).map((_, at) => (at * 7919) % 251);

const encode = (text: string) => new TextEncoder().encode(text);
const SITE: Site = new Map(
  Object.entries({
    "index.html": encode(INDEX),
    "theme.js": encode("document.title;"),
    "icon.svg": encode("<svg/>"),
    "assets/index-1a2b3c4d.js": encode(SCRIPT),
    "assets/index-5e6f7a8b.css": encode("a { color: red }"),
    "assets/face-9c0d1e2f.woff2": PICTURE,
  }).map(([path, bytes]) => [path, siteFile(path, bytes)]),
);
const ELSEWHERE = {
  api: "https://api.example/functions/v1/api",
  supabase_url: "https://project.example",
  publishable_key: "sb_publishable_key",
  connect: "https://project.example/functions/v1/connect",
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  readonly text: string;
}

/** Asks as it is told to: nothing of the path is resolved on the way, and nothing of the answer unpacked. */
type Ask = (
  path: string,
  options?: { method?: string; headers?: Record<string, string> },
) => Promise<Answer>;

async function withConsole(answer: ConsoleHandler, use: (ask: Ask) => Promise<void>): Promise<void> {
  const http = listen(0);
  http.serve(createRouter({
    functions: new Map([["api", () => Response.json({ part: "api" })]]),
    signIn: () => Response.json({ part: "sign-in" }),
    console: answer,
  }));
  const ask: Ask = (path, { method = "GET", headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(http.origin);
      request({ hostname, port, path, method, headers, agent: false }, (response) => {
        const chunks: Uint8Array[] = [];
        response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        response.on("end", () => {
          const body = new Uint8Array(chunks.flatMap((chunk) => [...chunk]));
          const text = new TextDecoder().decode(body);
          resolve({ status: response.statusCode!, headers: response.headers, body, text });
        });
      }).on("error", reject).end();
    });
  try {
    await use(ask);
  } finally {
    await http.stop();
  }
}

const answerConsole = serveConsole(SITE, ELSEWHERE);

Deno.test("serveConsole() answers every path of the console with its page, and the files by their paths", () =>
  withConsole(answerConsole, async (ask) => {
    const pages = PAGE_PATHS.map((path) => path.replace("*", "01J-a%20b"));
    for (const path of [...pages, "/tasks/", "/tasks?workspace_id=1", "/connect/consent?request=x"]) {
      const { status, headers, text } = await ask(path, { headers: { accept: "text/html,*/*;q=0.8" } });
      assertEquals([path, status, headers["content-type"], text], [
        path,
        200,
        "text/html; charset=utf-8",
        INDEX,
      ]);
    }
    const types: [path: string, type: string][] = [
      ["/theme.js", "text/javascript; charset=utf-8"],
      ["/icon.svg", "image/svg+xml"],
      ["/assets/index-5e6f7a8b.css", "text/css; charset=utf-8"],
      ["/assets/face-9c0d1e2f.woff2", "font/woff2"],
    ];
    for (const [path, type] of types) {
      const { status, headers, body } = await ask(path);
      assertEquals([path, status, headers["content-type"]], [path, 200, type]);
      assertEquals(body, SITE.get(path.slice(1))!.bytes);
    }
  }));

Deno.test("serveConsole() tells the page where everything is, and lets it ask there and nowhere else", () =>
  withConsole(answerConsole, async (ask) => {
    const { headers, text } = await ask("/config.json");
    assertEquals([headers["content-type"], JSON.parse(text)], ["application/json; charset=utf-8", ELSEWHERE]);
    const { headers: { "content-security-policy": policy } } = await ask("/");
    assertStringIncludes(
      String(policy),
      "; connect-src 'self' https://api.example https://project.example; ",
    );
  }));

Deno.test("serveConsole() names no other origin where everything is its own", async () => {
  const http = listen(0);
  const config = { ...ELSEWHERE, api: `${http.origin}/api`, supabase_url: http.origin, connect: http.origin };
  http.serve((request) => serveConsole(SITE, config)(request) ?? new Response(null, { status: 404 }));
  try {
    const answer = await fetch(`${http.origin}/tasks`);
    await answer.body?.cancel();
    assertEquals(
      answer.headers.get("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
  } finally {
    await http.stop();
  }
});

Deno.test("serveConsole() puts its headers on every answer, also on one without a body", () =>
  withConsole(answerConsole, async (ask) => {
    const { headers: { etag } } = await ask("/");
    const answers = await Promise.all([
      ask("/"),
      ask("/config.json"),
      ask("/theme.js"),
      ask("/assets/index-1a2b3c4d.js"),
      ask("/tasks/1", { method: "HEAD" }),
      ask("/", { headers: { "if-none-match": String(etag) } }),
    ]);
    for (const { headers } of answers) {
      assertEquals(
        [
          headers["x-content-type-options"],
          headers["referrer-policy"],
          headers["cross-origin-opener-policy"],
          headers["x-frame-options"],
          String(headers["content-security-policy"]).includes("frame-ancestors 'none'"),
        ],
        ["nosniff", "no-referrer", "same-origin", "DENY", true],
      );
    }
  }));

Deno.test("serveConsole() lets a browser keep what has a hash in its name, and ask again for the rest", () =>
  withConsole(answerConsole, async (ask) => {
    const kept = await ask("/assets/index-1a2b3c4d.js");
    assertEquals(kept.headers["cache-control"], "public, max-age=31536000, immutable");
    for (const path of ["/", "/tasks/1", "/theme.js", "/config.json"]) {
      const { headers } = await ask(path);
      assertEquals([path, headers["cache-control"]], [path, "no-cache"]);
      const again = await ask(path, { headers: { "if-none-match": `"other", ${headers.etag}` } });
      assertEquals([again.status, again.text, again.headers.etag], [304, "", headers.etag]);
      const changed = await ask(path, { headers: { "if-none-match": '"other"' } });
      assertEquals(changed.status, 200);
    }
  }));

Deno.test("serveConsole() compresses for who takes it, and only what gets smaller", () =>
  withConsole(answerConsole, async (ask) => {
    const path = "/assets/index-1a2b3c4d.js";
    const asked = (encodings: string) => ask(path, { headers: { "accept-encoding": encodings } });
    const [brotli, gzip, refused, plain] = await Promise.all(
      ["gzip, deflate, br", "gzip", "br;q=0, gzip;q=0.0", "identity"].map(asked),
    );
    assertEquals(brotli!.headers["content-encoding"], "br");
    assertEquals(new TextDecoder().decode(brotliDecompressSync(brotli!.body)), SCRIPT);
    assertEquals(gzip!.headers["content-encoding"], "gzip");
    assertEquals(new TextDecoder().decode(gunzipSync(gzip!.body)), SCRIPT);
    for (const answer of [brotli!, gzip!]) {
      assertEquals(answer.headers["content-length"], String(answer.body.length));
      assert(answer.body.length < SCRIPT.length / 4);
    }
    for (const answer of [refused!, plain!]) {
      assertEquals([answer.headers["content-encoding"], answer.text], [undefined, SCRIPT]);
    }
    for (const { headers } of [brotli!, plain!]) {
      assertStringIncludes(String(headers.vary).toLowerCase(), "accept-encoding");
    }
    const face = await ask("/assets/face-9c0d1e2f.woff2", { headers: { "accept-encoding": "br" } });
    assertEquals([face.headers["content-encoding"], face.body.length], [undefined, PICTURE.length]);
  }));

Deno.test("serveConsole() answers HEAD as GET, without the body", () =>
  withConsole(answerConsole, async (ask) => {
    for (const path of ["/", "/assets/index-1a2b3c4d.js", "/config.json"]) {
      const headers = { "accept-encoding": "gzip" };
      const [get, head] = [await ask(path, { headers }), await ask(path, { method: "HEAD", headers })];
      assertEquals([head.status, head.text], [200, ""]);
      for (const name of ["content-type", "content-length", "content-encoding", "etag", "cache-control"]) {
        assertEquals([path, name, head.headers[name]], [path, name, get.headers[name]]);
      }
    }
  }));

Deno.test("serveConsole() has nothing but its files and pages, and hands the rest on", () =>
  withConsole(answerConsole, async (ask) => {
    const paths = [
      "/assets/index-00000000.js",
      "/assets/",
      "/assets",
      "/nothing.html",
      "/nothing.js",
      "//tasks",
      "/assets/../../deno.json",
      "/assets/..%2f..%2fdeno.json",
      "/assets/%2e%2e/%2e%2e/deno.json",
      "/assets\\..\\..\\deno.json",
      "/..%5c..%5cdeno.json",
      "/%00",
    ];
    for (const path of paths) {
      const { status, headers, text } = await ask(path, { headers: { accept: "text/html" } });
      assertEquals([path, status, headers["content-type"]], [path, 404, "application/problem+json"]);
      assertEquals(JSON.parse(text).reason, "not_found");
    }
    for (const accept of ["*/*", "application/json", "application/json, text/html"]) {
      assertEquals(
        (await ask("/task", { headers: { accept } })).headers["content-type"],
        "application/problem+json",
      );
    }
    const read = await ask("/tasks", { headers: { accept: "application/json" } });
    assertEquals([read.status, read.headers["content-type"]], [404, "application/problem+json"]);
    const posted = await ask("/tasks", { method: "POST" });
    assertEquals([posted.status, posted.headers["content-type"]], [404, "application/problem+json"]);
    assertEquals(JSON.parse((await ask("/api/tasks")).text), { part: "api" });
  }));

Deno.test("serveConsole() answers a browser at a mistyped address with its page, which says so, and 404", () =>
  withConsole(answerConsole, async (ask) => {
    const page = (await ask("/tasks")).text;
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (const path of ["/task", "/tasksandmore", "/people/1", "/connect", "/Tasks/"]) {
      const { status, headers, text } = await ask(path, { headers: { accept } });
      assertEquals([path, status, headers["content-type"]], [path, 404, "text/html; charset=utf-8"]);
      assertEquals(text, page);
      assertStringIncludes(String(headers["content-security-policy"]), "frame-ancestors 'none'");
    }
  }));

Deno.test("serveNoConsole() says why in the console's place, as text, and nowhere else", () =>
  withConsole(serveNoConsole("Vite does not build it: <script>"), async (ask) => {
    for (const path of ["/", "/tasks/1", "/connect/consent?request=1"]) {
      const { status, headers, text } = await ask(path);
      assertEquals([status, headers["content-type"], text], [
        503,
        "text/plain; charset=utf-8",
        "Vite does not build it: <script>",
      ]);
      assertEquals([headers["x-content-type-options"], headers["cache-control"]], ["nosniff", "no-store"]);
    }
    assertEquals((await ask("/", { method: "HEAD" })).text, "");
    assertEquals((await ask("/config.json")).status, 404);
    assertEquals((await ask("/", { method: "POST" })).status, 404);
  }));
