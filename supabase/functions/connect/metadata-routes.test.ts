import { assertEquals } from "@std/assert";
import { openTestConnect } from "../../../scripts/testing/connect.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
const connect = await openTestConnect(w);
const project = await openTestConnect(w, { rootIsOurs: false });
globalThis.addEventListener("unload", async () => {
  await connect.close();
  await project.close();
  await w.close();
});

async function get(url: string) {
  const response = await fetch(url, { headers: { "mcp-protocol-version": "2025-11-25" } });
  const body = await response.text();
  return response.ok ? JSON.parse(body) : response.status;
}

databaseTest(
  "the metadata of the resource answers under the function's own path and at the root, for either roof",
  async () => {
    const { origin, issuer } = connect;
    const well = "/.well-known/oauth-protected-resource";
    const [own, api] = [`${issuer}/mcp`, `${origin}/api/connect/mcp`];
    const ANSWERS: Record<string, string | 404> = {
      [issuer + well]: own,
      [`${origin}/api/connect${well}`]: api,
      [origin + well]: own,
      [`${origin}${well}/functions/v1/connect/mcp`]: own,
      [`${origin}${well}/functions/v1/connect`]: own,
      [`${origin}${well}/api/connect/mcp`]: api,
      [`${origin}${well}/api`]: 404,
      [`${origin}${well}/elsewhere`]: 404,
    };
    for (const [url, resource] of Object.entries(ANSWERS)) {
      const answered = await get(url);
      assertEquals([url, answered.resource ?? answered], [url, resource]);
      if (resource !== 404) assertEquals(answered.authorization_servers, [issuer]);
    }
  },
);

databaseTest(
  "the metadata of the server answers where clients look for it, and is the same everywhere",
  async () => {
    const { origin, issuer } = connect;
    const metadata = await get(`${origin}/.well-known/oauth-authorization-server/functions/v1/connect`);
    assertEquals(metadata.issuer, issuer);
    for (
      const url of [
        `${origin}/.well-known/oauth-authorization-server`,
        `${origin}/.well-known/openid-configuration/functions/v1/connect`,
        `${issuer}/.well-known/openid-configuration`,
        `${issuer}/.well-known/oauth-authorization-server`,
        `${origin}/api/connect/.well-known/openid-configuration`,
      ]
    ) assertEquals(await get(url), metadata, url);
    assertEquals(await get(metadata.jwks_uri), { keys: [] });
  },
);

databaseTest(
  "where the root is not ours, a 401 leads to the metadata, and the issuer to its own",
  async () => {
    const { origin, issuer } = project;
    assertEquals(await get(`${origin}/.well-known/oauth-protected-resource/functions/v1/connect/mcp`), 404);
    const response = await fetch(`${issuer}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    await response.body?.cancel();
    assertEquals(response.status, 401);
    const named = /resource_metadata="([^"]+)"/.exec(response.headers.get("www-authenticate") ?? "")?.[1];
    assertEquals(named, `${issuer}/.well-known/oauth-protected-resource`);
    assertEquals((await get(named!)).resource, `${issuer}/mcp`);
    assertEquals((await get(`${issuer}/.well-known/openid-configuration`)).issuer, issuer);
  },
);
