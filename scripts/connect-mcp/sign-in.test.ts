/** What a server may say of where to sign in, and what becomes of a sign-in that nobody ends. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { openTestConnect } from "../testing/connect.ts";
import { databaseTest } from "../testing/database.ts";
import { startUpstream, type Upstream } from "../testing/upstream.ts";
import { openTestWorkspace } from "../testing/workspace.ts";
import { findServer } from "./authorization-server.ts";
import { plainFetch } from "./connect-fetch.ts";
import { Failure } from "./failure.ts";
import { isShown } from "./open-browser.ts";
import { beginSignIn } from "./sign-in.ts";
import { signInFile } from "./sign-in-file.ts";

const fetch = plainFetch({ timeoutMs: 10_000 });

databaseTest("beginSignIn() ends in words when nobody signs in, and listens no more", async () => {
  const w = await openTestWorkspace();
  const connect = await openTestConnect(w);
  const folder = await Deno.makeTempDir();
  const serverUrl = `${connect.origin}/api/connect/mcp`;
  const shown: URL[] = [];
  try {
    const { done } = await beginSignIn({
      serverUrl,
      file: signInFile(join(folder, "framed"), serverUrl),
      fetch,
      show: (url) => void shown.push(url),
      signal: new AbortController().signal,
      timeoutMs: 1,
    });
    const { message } = await assertRejects(() => done) as Error;
    assertEquals(message, "Nobody signed in in time. Start again, or sign in first with: connect-mcp login");
    assertEquals(shown.length, 1);
    await assertRejects(() => fetch(shown[0]!.searchParams.get("redirect_uri")!));
  } finally {
    await Deno.remove(folder, { recursive: true });
    await connect.close();
    await w.close();
  }
});

/** A server that says of itself what a test wants. */
function startServer(says: (origin: string) => { resource?: string; metadata?: object }): Upstream {
  const server = startUpstream(({ target }) => {
    const { origin } = server.url;
    const { resource = `${origin}/api/connect/mcp`, metadata = {} } = says(origin);
    if (target === "/api/connect/mcp") {
      return new Response(null, {
        status: 401,
        headers: { "www-authenticate": `Bearer resource_metadata="${origin}/resource"` },
      });
    }
    if (target === "/resource") return Response.json({ resource, authorization_servers: [origin] });
    if (target !== "/.well-known/oauth-authorization-server") return new Response(null, { status: 404 });
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...metadata,
    });
  });
  return server;
}

const LIES: readonly [what: string, says: Parameters<typeof startServer>[0], words: string][] = [
  [
    "signs in for another resource",
    () => ({ resource: "https://bank.example/mcp" }),
    "asks to sign in for something else",
  ],
  [
    "takes codes in the clear",
    () => ({ metadata: { token_endpoint: "http://203.0.113.7/token" } }),
    "asks to sign in over http",
  ],
  [
    "shows its page in the clear",
    () => ({ metadata: { authorization_endpoint: "http://203.0.113.7/authorize" } }),
    "asks to sign in over http",
  ],
  [
    "names a page that starts a program",
    () => ({ metadata: { authorization_endpoint: "file:///bin/sh" } }),
    "asks to sign in over http",
  ],
  [
    "is another issuer",
    () => ({ metadata: { issuer: "https://else.example" } }),
    "does not say how to sign in",
  ],
];
for (const [what, says, words] of LIES) {
  Deno.test(`findServer() signs nobody in at a server that ${what}`, async () => {
    const server = startServer(says);
    try {
      const failed = await assertRejects(
        () => findServer(`${server.url.origin}/api/connect/mcp`, fetch),
        Failure,
      );
      assertStringIncludes((failed as Error).message, words);
    } finally {
      await server.close();
    }
  });
}

Deno.test("findServer() finds a server that says nothing odd", async () => {
  const server = startServer(() => ({}));
  const found = await findServer(`${server.url.origin}/api/connect/mcp`, fetch);
  assertEquals([found.issuer, found.resource], [server.url.origin, `${server.url.origin}/api/connect/mcp`]);
  await server.close();
});

Deno.test("isShown() lets a browser be asked for pages over TLS or of this machine, and for nothing else", () => {
  const shown = ["https://www.framed.dev/x", "http://127.0.0.1:1/x", "http://localhost/x"];
  const others = [
    "http://framed.dev/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ms-calculator:",
    "calc:x",
  ];
  assertEquals(shown.filter((url) => !isShown(new URL(url))), []);
  assertEquals(others.filter((url) => isShown(new URL(url))), []);
});
