/** Signs the official SDK's client in over a socket, as a host does by itself, with consent given as the page gives it. */

import { assert, assertEquals } from "@std/assert";
import {
  auth,
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { consent, CONSOLE, follow, openTestConnect, type TestConnect } from "../testing/connect.ts";
import { databaseTest } from "../testing/database.ts";
import { openFile } from "../testing/files.ts";
import { startUpstream } from "../testing/upstream.ts";
import { openTestWorkspace } from "../testing/workspace.ts";

const DOCUMENT_ID = "https://client.example/metadata.json";
const upstream = startUpstream(() =>
  Response.json({
    client_id: DOCUMENT_ID,
    client_name: "Described",
    redirect_uris: ["http://localhost/callback"],
  })
);
const w = await openTestWorkspace();
const open = (rootIsOurs: boolean) =>
  openTestConnect(w, {
    rootIsOurs,
    egress: createEgress({ upstreams: new Map([["client.example", upstream.url]]) }),
  });
const ours = await open(true);
const project = await open(false);
globalThis.addEventListener("unload", async () => {
  await ours.close();
  await project.close();
  await upstream.close();
  await w.close();
});
await w.define(openFile());

/** A host that keeps everything in memory, listens on a port of this device, and has its person consent. */
function createHost(connect: TestConnect, { documentId }: { documentId?: string } = {}) {
  const redirectUrl = "http://localhost:41234/callback";
  let [client, tokens, verifier, discovery]: [OAuthClientInformationMixed?, OAuthTokens?, string?, unknown?] =
    [];
  const seen: { answer?: URLSearchParams } = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "SDK host",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    ...(documentId === undefined ? {} : { clientMetadataUrl: documentId }),
    state: () => "a state of the host",
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    codeVerifier: () => verifier!,
    saveCodeVerifier: (saved) => void (verifier = saved),
    saveDiscoveryState: (state) => void (discovery = state),
    // deno-lint-ignore no-explicit-any
    discoveryState: () => discovery as any,
    async redirectToAuthorization(url) {
      const page = await follow(url);
      assert(page instanceof URL && page.origin === CONSOLE, JSON.stringify(page));
      const requestId = page.searchParams.get("request")!;
      const { body } = await consent(connect, {
        requestId,
        as: w.people.member,
        decision: { decision: "allow", workspace_id: w.id },
      });
      assert(body.redirect_to.startsWith(redirectUrl), body.redirect_to);
      seen.answer = new URL(body.redirect_to).searchParams;
    },
    invalidateCredentials(scope) {
      if (scope === "all" || scope === "tokens") tokens = undefined;
    },
  };
  return { provider, seen, tokens: () => tokens, client: () => client };
}

const PLACES: readonly [name: string, connect: TestConnect, url: string][] = [
  ["where the root is ours", ours, `${ours.issuer}/mcp`],
  ["through the front door", ours, `${ours.origin}/api/connect/mcp`],
  ["where the root is not ours", project, `${project.issuer}/mcp`],
];

for (const [name, connect, serverUrl] of PLACES) {
  databaseTest(`the SDK's client finds its way from a 401 to the tools, ${name}`, async () => {
    const host = createHost(connect);
    const transport = new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: host.provider });
    const client = new Client({ name: "sdk-host", version: "1.0.0" });
    await client.connect(transport).then(
      () => assert(false, "it is not let in without a token"),
      (error) => assertEquals(error.name, "UnauthorizedError"),
    );
    const { answer } = host.seen;
    assertEquals(answer!.get("state"), "a state of the host");
    await transport.finishAuth(answer!);

    const signedIn = new Client({ name: "sdk-host", version: "1.0.0" });
    await signedIn.connect(
      new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: host.provider }),
    );
    const { tools } = await signedIn.listTools();
    assert(tools.some((tool) => tool.name === "framed_list"), JSON.stringify(tools.map((tool) => tool.name)));
    const listed = await signedIn.callTool({ name: "framed_list", arguments: { of: "tools" } });
    assert(JSON.stringify(listed).includes("rates"), JSON.stringify(listed).slice(0, 300));
    await signedIn.close();
  });
}

databaseTest("the SDK's client renews its tokens, and asks anew once its grant has ended", async () => {
  const host = createHost(ours);
  const serverUrl = `${ours.issuer}/mcp`;
  assertEquals(await auth(host.provider, { serverUrl }), "REDIRECT");
  const { answer } = host.seen;
  const authorizationCode = answer!.get("code")!;
  assertEquals(
    await auth(host.provider, { serverUrl, authorizationCode, iss: answer!.get("iss")! }),
    "AUTHORIZED",
  );
  const first = host.tokens()!;
  assertEquals(await auth(host.provider, { serverUrl }), "AUTHORIZED");
  const second = host.tokens()!;
  assert(first.access_token !== second.access_token && first.refresh_token !== second.refresh_token);

  const { body } = await w.ask(`/workspaces/${w.id}/connect-tokens`, { as: "member" });
  const { id } = body.connect_tokens[0];
  assertEquals(
    (await w.ask(`/workspaces/${w.id}/connect-tokens/${id}`, { as: "member", method: "DELETE" })).status,
    204,
  );
  assertEquals(await auth(host.provider, { serverUrl }), "REDIRECT");
});

databaseTest("the SDK's client goes by its document where it has one, and registers nothing", async () => {
  const registered = async () => (await w.database.sql`select from framed.connect_clients`).count;
  const before = await registered();
  const host = createHost(ours, { documentId: DOCUMENT_ID });
  const serverUrl = `${ours.issuer}/mcp`;
  assertEquals(await auth(host.provider, { serverUrl }), "REDIRECT");
  const { answer } = host.seen;
  const authorizationCode = answer!.get("code")!;
  assertEquals(
    await auth(host.provider, { serverUrl, authorizationCode, iss: answer!.get("iss")! }),
    "AUTHORIZED",
  );
  assertEquals([host.client()!.client_id, await registered()], [DOCUMENT_ID, before]);
});
