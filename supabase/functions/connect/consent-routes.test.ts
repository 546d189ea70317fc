import { assert, assertEquals } from "@std/assert";
import {
  authorizeUrl,
  begin,
  consent,
  makePkce,
  openTestConnect,
  post,
  REDIRECT,
  register,
} from "../../../scripts/testing/connect.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { hashKey } from "../_shared/auth/keys.ts";
import { createEgress } from "../_shared/egress/guarded-fetch.ts";

const DOCUMENT_ID = "https://client.example/metadata.json";
const upstream = startUpstream(() =>
  Response.json({
    client_id: DOCUMENT_ID,
    client_name: "Described",
    redirect_uris: ["http://localhost/callback"],
  })
);
const w = await openTestWorkspace();
const connect = await openTestConnect(w, {
  egress: createEgress({ upstreams: new Map([["client.example", upstream.url]]) }),
});
globalThis.addEventListener("unload", async () => {
  await connect.close();
  await upstream.close();
  await w.close();
});
const { sql } = w.database;
const { member, admin, stranger } = w.people;
const allow = { decision: "allow", workspace_id: w.id };

async function newRequest(): Promise<string> {
  return await begin(
    authorizeUrl(connect, { client_id: await register(connect), code_challenge: makePkce().challenge }),
  );
}

databaseTest(
  "GET /consent/<id> shows who asks, where the answer goes, the person's workspaces and what it comes to",
  async () => {
    const requestId = await newRequest();
    const { status, body } = await consent(connect, { requestId, as: member });
    assertEquals(status, 200);
    const { client, redirect, workspaces, may, may_not, expires_at } = body;
    assertEquals([client.name, client.described_by, redirect], ["A host", null, {
      kind: "https",
      shown: "host.example",
    }]);
    assertEquals(workspaces, [{ id: w.id, name: "Test", role: "member" }]);
    assert(may.length > 0 && may_not.some((line: string) => line.startsWith("Approve")));
    const left = (Date.parse(expires_at) - Date.now()) / 1000;
    assert(left > 500 && left <= 600, String(left));
  },
);

databaseTest("GET /consent/<id> names the host that describes a client", async () => {
  const challenge = makePkce();
  const requestId = await begin(authorizeUrl(connect, {
    client_id: DOCUMENT_ID,
    redirect_uri: "http://localhost:7000/callback",
    code_challenge: challenge.challenge,
  }));
  const { body } = await consent(connect, { requestId, as: member });
  assertEquals(body.client, { id: DOCUMENT_ID, name: "Described", described_by: "client.example" });
  assertEquals(body.redirect, { kind: "loopback", shown: "localhost:7000" });
  const decided = await consent(connect, { requestId, as: member, decision: allow });
  const code = new URL(decided.body.redirect_to).searchParams.get("code")!;
  const form = {
    grant_type: "authorization_code",
    client_id: DOCUMENT_ID,
    code,
    code_verifier: challenge.verifier,
  };
  assertEquals((await post(connect, "token", form)).status, 200);
});

databaseTest(
  "POST /consent/<id> sends the browser back with a code, the state and who issued it",
  async () => {
    const { status, body } = await consent(connect, {
      requestId: await newRequest(),
      as: member,
      decision: allow,
    });
    assertEquals(status, 200);
    const { origin, pathname, searchParams } = new URL(body.redirect_to);
    assertEquals(origin + pathname, REDIRECT);
    assertEquals([...searchParams.keys()], ["code", "state", "iss"]);
    assertEquals([searchParams.get("state"), searchParams.get("iss")], ["the state", connect.issuer]);
    const granted = (await w.log()).filter(({ event }) => event === "connect.granted").at(-1);
    assertEquals([granted.principal.kind, granted.principal.id, granted.detail.client], [
      "session",
      member,
      "A host",
    ]);
  },
);

databaseTest("POST /consent/<id> with a denial sends it back with that, and grants nothing", async () => {
  const before = await sql`select from framed.connect_grants`;
  const { body } = await consent(connect, {
    requestId: await newRequest(),
    as: member,
    decision: { decision: "deny" },
  });
  const { searchParams } = new URL(body.redirect_to);
  assertEquals([
    searchParams.get("error"),
    searchParams.get("state"),
    searchParams.get("iss"),
    searchParams.has("code"),
  ], [
    "access_denied",
    "the state",
    connect.issuer,
    false,
  ]);
  assertEquals((await sql`select from framed.connect_grants`).count, before.count);
});

databaseTest(
  "a request is the first person's who looks at it, and looks to others as one that never was",
  async () => {
    const requestId = await newRequest();
    assertEquals((await consent(connect, { requestId, as: member })).status, 200);
    const never = "x".repeat(43);
    for (const decision of [undefined, allow, { decision: "deny" }]) {
      const [another, none] = [
        await consent(connect, { requestId, as: admin, decision }),
        await consent(connect, { requestId: never, as: admin, decision }),
      ];
      for (const each of [another, none]) delete each.body.request_id;
      assertEquals(another, none);
      assertEquals([another.status, another.body.reason], [404, "not_found"]);
    }
    assertEquals((await consent(connect, { requestId, as: member, decision: allow })).status, 200);
  },
);

databaseTest("a request is decided once, however many decide at once", async () => {
  const requestId = await newRequest();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => consent(connect, { requestId, as: member, decision: allow })),
  );
  assertEquals(answers.filter(({ status }) => status === 200).length, 1);
  assertEquals(answers.filter(({ status }) => status === 404).length, 7);
  assertEquals((await consent(connect, { requestId, as: member })).status, 404);
});

databaseTest(
  "a request is over after ten minutes, and one whose address may not be gone to any more leads nowhere",
  async () => {
    const requestId = await newRequest();
    const hash = hashKey(requestId);
    await sql`update framed.connect_requests set expires_at = now() where request_hash = decode(${hash}, 'hex')`;
    assertEquals((await consent(connect, { requestId, as: member, decision: allow })).status, 404);
    await sql`update framed.connect_requests set expires_at = now() + interval '1 minute', redirect_uri = 'javascript:alert(1)'
    where request_hash = decode(${hash}, 'hex')`;
    for (const decision of [undefined, allow, { decision: "deny" }]) {
      assertEquals((await consent(connect, { requestId, as: member, decision })).status, 404);
    }
  },
);

databaseTest("consent takes a person's session, and a workspace of theirs", async () => {
  const requestId = await newRequest();
  assertEquals((await consent(connect, { requestId, as: null })).body.reason, "unauthenticated");
  const byKey = await fetch(`${connect.issuer}/consent/${requestId}`, {
    headers: { "x-framed-api-key": w.keys.admin_key },
  });
  assertEquals((await byKey.json()).reason, "person_required");
  for (const workspace_id of [w.strangersId, w.siblingId, crypto.randomUUID()]) {
    const { body } = await consent(connect, {
      requestId,
      as: member,
      decision: { decision: "allow", workspace_id },
    });
    assertEquals(body.reason, "not_found");
  }
  // None of that has decided it, nor given it to anyone.
  assertEquals(
    (await consent(connect, {
      requestId,
      as: stranger,
      decision: { decision: "allow", workspace_id: w.strangersId },
    })).status,
    200,
  );
});

databaseTest("POST /consent/<id> refuses what is no decision, and decides nothing by it", async () => {
  const requestId = await newRequest();
  for (
    const decision of [{}, { decision: "maybe" }, { decision: "allow" }, {
      decision: "allow",
      workspace_id: 7,
    }, { ...allow, more: 1 }]
  ) {
    const { status, body } = await consent(connect, { requestId, as: member, decision });
    assertEquals([decision, status, body.reason], [decision, 400, "bad_request"]);
  }
  assertEquals((await consent(connect, { requestId, as: member, decision: allow })).status, 200);
});
