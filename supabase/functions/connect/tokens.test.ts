import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import {
  authorizeUrl,
  begin,
  consent,
  makePkce,
  obtainCode,
  obtainTokens,
  openTestConnect,
  post,
  REDIRECT,
  register,
} from "../../../scripts/testing/connect.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../scripts/testing/error-output.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { createCredential, hashKey } from "../_shared/auth/keys.ts";

const w = await openTestWorkspace();
const connect = await openTestConnect(w);
globalThis.addEventListener("unload", async () => {
  await connect.close();
  await w.close();
});
const { sql } = w.database;
const { issuer } = connect;
const who = { as: w.people.member, workspaceId: w.id };

/** Asks an API path with a token; the status and the body. */
async function askWith(token: string, path = `/tools?workspace_id=${w.id}`) {
  const response = await fetch(`${connect.origin}/api${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: await response.json() };
}

async function refresh(
  tokens: { client_id: string; refresh_token: string },
  more: Record<string, string> = {},
) {
  const { client_id, refresh_token } = tokens;
  return await post(connect, "token", { grant_type: "refresh_token", client_id, refresh_token, ...more });
}

databaseTest(
  "a client that registers, asks, is consented to and redeems its code reaches the workspace as the person",
  async () => {
    const tokens = await obtainTokens(connect, who);
    assertMatch(tokens.access_token, /^fct_[0-9A-Za-z]{49}$/);
    const { access_token: _a, refresh_token: _r, client_id: _c, ...rest } = tokens as Record<string, unknown>;
    assertEquals(rest, { token_type: "Bearer", expires_in: 3600, scope: "connect" });
    assertEquals((await askWith(tokens.access_token)).status, 200);
    const { status, body } = await askWith(
      tokens.access_token,
      `/log?workspace_id=${w.id}&principal=connect_token`,
    );
    assertEquals([status, body.events], [200, []]);
  },
);

databaseTest(
  "a token reaches nothing but the workspace that was chosen, and does nothing that takes a session",
  async () => {
    const both = w.people.admin;
    await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${w.siblingId}, ${both}, 'admin', 'Ada Admin', 'ada@people.example')`;
    const { access_token } = await obtainTokens(connect, { as: both, workspaceId: w.id });
    assertEquals((await askWith(access_token)).status, 200);
    const elsewhere = await askWith(access_token, `/tools?workspace_id=${w.siblingId}`);
    assertEquals([elsewhere.status, elsewhere.body.reason], [404, "not_found"]);
    for (
      const path of [
        "/workspaces",
        `/workspaces/${w.id}`,
        `/workspaces/${w.id}/keys`,
        `/workspaces/${w.id}/connect-tokens`,
      ]
    ) {
      const { status, body } = await askWith(access_token, path);
      assertEquals([path, status, body.reason], [path, 403, "person_required"]);
    }
  },
);

databaseTest(
  "a token dies with the membership of its person, and does not live again with a new one",
  async () => {
    const [userId, member] = [crypto.randomUUID(), {
      role: "member",
      grants: ["use_connectors"],
      name: "Lea",
      email: "lea@people.example",
    }];
    const put = () =>
      w.ask(`/workspaces/${w.id}/members/${userId}`, { as: "admin", method: "PUT", body: member });
    await put();
    const tokens = await obtainTokens(connect, { as: userId, workspaceId: w.id });
    assertEquals((await askWith(tokens.access_token)).status, 200);
    assertEquals(
      (await w.ask(`/workspaces/${w.id}/members/${userId}`, { as: "admin", method: "DELETE" })).status,
      204,
    );
    const dead = await askWith(tokens.access_token);
    assertEquals([dead.status, dead.body.reason], [401, "unauthenticated"]);
    await put();
    assertEquals((await askWith(tokens.access_token)).status, 401);
    assertEquals((await refresh(tokens)).body.error, "invalid_grant");
  },
);

databaseTest(
  "what a person consents to while they are removed does not live again when they are back",
  async () => {
    const userId = crypto.randomUUID();
    const path = `/workspaces/${w.id}/members/${userId}`;
    const body = { role: "member", grants: ["use_connectors"], name: "Lea", email: "lea@people.example" };
    for (let turn = 0; turn < 10; turn++) {
      await w.ask(path, { as: "admin", method: "PUT", body });
      const client_id = await register(connect);
      const { verifier: code_verifier, challenge: code_challenge } = makePkce();
      const requestId = await begin(authorizeUrl(connect, { client_id, code_challenge }));
      const decision = { decision: "allow", workspace_id: w.id };
      const [allowed, removed] = await Promise.all([
        consent(connect, { requestId, as: userId, decision }),
        w.ask(path, { as: "admin", method: "DELETE" }),
      ]);
      assertEquals(removed.status, 204);
      await w.ask(path, { as: "admin", method: "PUT", body });
      if (allowed.status !== 200) continue;
      const code = new URL(allowed.body.redirect_to).searchParams.get("code")!;
      const form = {
        grant_type: "authorization_code",
        code,
        client_id,
        redirect_uri: REDIRECT,
        code_verifier,
      };
      assertEquals((await post(connect, "token", form)).body.error, "invalid_grant", `turn ${turn}`);
    }
  },
);

databaseTest("a token made out for another place, or expired, is nobody's", async () => {
  const { access_token } = await obtainTokens(connect, who);
  const hash = hashKey(access_token);
  await sql`update framed.connect_tokens set expires_at = now() where token_hash = decode(${hash}, 'hex')`;
  assertEquals((await askWith(access_token)).status, 401);
  await sql`update framed.connect_tokens set expires_at = now() + interval '1 hour' where token_hash = decode(${hash}, 'hex')`;
  assertEquals((await askWith(access_token)).status, 200);
  await sql`update framed.connect_grants set resource = 'https://elsewhere.example/mcp'
    where id = (select grant_id from framed.connect_tokens where token_hash = decode(${hash}, 'hex'))`;
  assertEquals((await askWith(access_token)).status, 401);
});

databaseTest("a refresh token and a code are no access token, and look as what never was", async () => {
  const { refresh_token } = await obtainTokens(connect, who);
  const { code } = await obtainCode(connect, who);
  for (const token of [refresh_token, code, createCredential("fct_")]) {
    assertEquals((await askWith(token)).body.reason, "unauthenticated");
  }
  // Not by its hash either, as if it were one.
  const [row] = await sql`select framed.present_principal(${
    JSON.stringify({ token_hash: hashKey(refresh_token), audiences: [`${issuer}/mcp`] })
  }::text::jsonb, ${w.id}::uuid) as principal`;
  assertEquals(row!.principal, null);
});

databaseTest("no code, token or request id is stored", async () => {
  const { verifier, challenge } = makePkce();
  const client_id = await register(connect);
  const requestId = await begin(authorizeUrl(connect, { client_id, code_challenge: challenge }));
  const decided = await consent(connect, {
    requestId,
    as: who.as,
    decision: { decision: "allow", workspace_id: w.id },
  });
  const code = new URL(decided.body.redirect_to).searchParams.get("code")!;
  const { body } = await post(connect, "token", {
    grant_type: "authorization_code",
    client_id,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  });
  const stored = [];
  for (
    const table of [
      "connect_clients",
      "connect_requests",
      "connect_grants",
      "connect_codes",
      "connect_tokens",
      "log_events",
    ]
  ) {
    stored.push(JSON.stringify(await sql`select to_jsonb(r) as row from ${sql(`framed.${table}`)} r`));
  }
  const text = stored.join("\n");
  assert(text.includes(hashKey(code)), "its hash is");
  for (const secret of [requestId, code, verifier, body.access_token, body.refresh_token]) {
    assertEquals(text.includes(secret), false);
  }
});

databaseTest(
  "POST /token refuses a code whose proof, client, address or resource is another, and uses it up",
  async () => {
    const other = await register(connect);
    const changes: Record<string, string>[] = [
      { code_verifier: makePkce().verifier },
      { client_id: other },
      { redirect_uri: "https://host.example/other" },
      { resource: `${connect.origin}/api/connect/mcp` },
    ];
    for (const change of changes) {
      const form = await obtainCode(connect, who);
      const refused = await post(connect, "token", { ...form, ...change });
      assertEquals([Object.keys(change)[0], refused.status, refused.body.error], [
        Object.keys(change)[0],
        400,
        "invalid_grant",
      ]);
      assertEquals((await post(connect, "token", form)).body.error, "invalid_grant");
    }
  },
);

databaseTest(
  "POST /token takes a code without its address, as OAuth 2.1 has it, and says nothing is to be kept",
  async () => {
    const { redirect_uri: _, ...form } = await obtainCode(connect, who);
    const { status, headers, body } = await post(connect, "token", { ...form, resource: `${issuer}/mcp/` });
    assertEquals([status, headers.get("cache-control")], [200, "no-store"]);
    assertEquals((await askWith(body.access_token)).status, 200);
  },
);

databaseTest("POST /token refuses a code after a minute", async () => {
  const form = await obtainCode(connect, who);
  const [row] =
    await sql`select extract(epoch from expires_at - now()) as seconds from framed.connect_codes where code_hash = decode(${
      hashKey(form.code)
    }, 'hex')`;
  assert(Number(row!.seconds) > 0 && Number(row!.seconds) <= 60);
  await sql`update framed.connect_codes set expires_at = now() where code_hash = decode(${
    hashKey(form.code)
  }, 'hex')`;
  assertEquals((await post(connect, "token", form)).body.error, "invalid_grant");
});

databaseTest(
  "POST /token: a code used a second time ends all that came of it, and the log says why",
  async () => {
    const form = await obtainCode(connect, who);
    const { body: tokens } = await post(connect, "token", form);
    assertEquals((await askWith(tokens.access_token)).status, 200);
    assertEquals(
      (await post(connect, "token", { ...form, code_verifier: makePkce().verifier })).body.error,
      "invalid_grant",
    );
    assertEquals((await askWith(tokens.access_token)).status, 401);
    assertEquals((await refresh({ client_id: form.client_id, ...tokens })).body.error, "invalid_grant");
    const ended = (await w.log()).filter(({ event, detail }) =>
      event === "connect.revoked" && detail.because === "reuse"
    );
    assertEquals(ended.at(-1).principal.kind, "connect_token");
    assertEquals(ended.at(-1).detail, {
      connect_token_id: ended.at(-1).principal.id,
      user_id: who.as,
      client: "A host",
      because: "reuse",
    });
  },
);

databaseTest(
  "POST /token: a code used many times at once gives one answer, whose tokens are dead",
  async () => {
    const form = await obtainCode(connect, who);
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(connect, "token", form)));
    const given = answers.filter(({ status }) => status === 200);
    assertEquals([given.length, answers.filter(({ body }) => body.error === "invalid_grant").length], [1, 7]);
    assertEquals((await askWith(given[0]!.body.access_token)).status, 401);
  },
);

databaseTest("POST /token: a refresh token gives new ones once; a second use ends them all", async () => {
  const first = await obtainTokens(connect, who);
  const second = (await refresh(first, { resource: `${issuer}/mcp` })).body;
  assertNotEquals([second.access_token, second.refresh_token], [first.access_token, first.refresh_token]);
  for (const { access_token } of [first, second]) assertEquals((await askWith(access_token)).status, 200);
  const third = (await refresh({ ...first, ...second })).body;
  assertEquals((await refresh(first)).body.error, "invalid_grant");
  for (const { access_token } of [first, second, third]) {
    assertEquals((await askWith(access_token)).status, 401);
  }
  assertEquals((await refresh({ ...first, ...third })).body.error, "invalid_grant");
});

databaseTest(
  "POST /token: a refresh token used many times at once gives one answer, whose tokens are dead",
  async () => {
    const tokens = await obtainTokens(connect, who);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens)));
    const given = answers.filter(({ status }) => status === 200);
    assertEquals(given.length, 1);
    assertEquals((await askWith(given[0]!.body.access_token)).status, 401);
    assertEquals((await askWith(tokens.access_token)).status, 401);
  },
);

databaseTest(
  "POST /token leaves a refresh token as it is for another client, another resource or after its time",
  async () => {
    const tokens = await obtainTokens(connect, who);
    assertEquals(
      (await refresh({ ...tokens, client_id: await register(connect) })).body.error,
      "invalid_grant",
    );
    assertEquals(
      (await refresh(tokens, { resource: `${connect.origin}/api/connect` })).body.error,
      "invalid_grant",
    );
    assertEquals(
      (await refresh(tokens, { resource: "https://elsewhere.example" })).body.error,
      "invalid_target",
    );
    const hash = hashKey(tokens.refresh_token);
    await sql`update framed.connect_tokens set expires_at = now() where token_hash = decode(${hash}, 'hex')`;
    assertEquals((await refresh(tokens)).body.error, "invalid_grant");
    await sql`update framed.connect_tokens set expires_at = now() + interval '1 day' where token_hash = decode(${hash}, 'hex')`;
    assertEquals((await refresh(tokens)).status, 200);
  },
);

const REFUSED_TOKEN: readonly [name: string, form: Record<string, string>, error: string][] = [
  ["nothing", {}, "invalid_request"],
  ["no client", { grant_type: "refresh_token", refresh_token: "x" }, "invalid_request"],
  ["another grant", { grant_type: "password", client_id: "x" }, "unsupported_grant_type"],
  ["no code", { grant_type: "authorization_code", client_id: "x", code_verifier: "x" }, "invalid_request"],
  ["a code that is none", {
    grant_type: "authorization_code",
    client_id: "x",
    code: "fcc_x",
    code_verifier: "x".repeat(43),
  }, "invalid_grant"],
  ["a verifier that is none", {
    grant_type: "authorization_code",
    client_id: "x",
    code: createCredential("fcc_"),
    code_verifier: "x",
  }, "invalid_grant"],
  [
    "a refresh token that is none",
    { grant_type: "refresh_token", client_id: "x", refresh_token: "x" },
    "invalid_grant",
  ],
  ["one that never was", {
    grant_type: "refresh_token",
    client_id: "x",
    refresh_token: createCredential("fcr_"),
  }, "invalid_grant"],
];

const NUL_IN_FORMS: readonly [endpoint: "token" | "revoke", form: Record<string, string>][] = [
  ["token", { grant_type: "refresh_token", client_id: "a\0b", refresh_token: createCredential("fcr_") }],
  ["token", {
    grant_type: "authorization_code",
    client_id: "x",
    code: createCredential("fcc_"),
    code_verifier: "x".repeat(43),
    redirect_uri: "https://host.example/\0",
  }],
  ["revoke", { token: createCredential("fcr_"), client_id: "a\0b" }],
];

for (const [endpoint, form] of NUL_IN_FORMS) {
  const name = Object.keys(form).find((key) => form[key]!.includes("\0"))!;
  databaseTest(`POST /${endpoint} refuses a NUL in ${name} of ${form.grant_type ?? "a token"}`, async () => {
    const { value: { status, body }, lines } = await withErrorOutput(() => post(connect, endpoint, form));
    assertEquals([status, body.error, lines.length], [400, "invalid_request", 0]);
    assertEquals(body.error_description, `${name} holds a NUL.`);
  });
}

for (const [name, form, error] of REFUSED_TOKEN) {
  databaseTest(`POST /token refuses ${name} as ${error}`, async () => {
    const { status, body } = await post(connect, "token", form);
    assertEquals([status, body.error], [400, error]);
  });
}

databaseTest("POST /token takes a form alone, of 64 KiB at most, each parameter once", async () => {
  const send = async (body: BodyInit, type: string) => {
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    return [response.status, (await response.json()).error];
  };
  const FORM = "application/x-www-form-urlencoded";
  assertEquals(await send("{}", "application/json"), [400, "invalid_request"]);
  assertEquals(await send(`client_id=${"x".repeat(65_536)}`, FORM), [400, "invalid_request"]);
  assertEquals(await send("client_id=a&client_id=b&grant_type=refresh_token&refresh_token=x", FORM), [
    400,
    "invalid_request",
  ]);
  assertEquals(await send(new Uint8Array([0x61, 0x3d, 0xff]), FORM), [400, "invalid_request"]);
});

databaseTest(
  "POST /token and /revoke refuse what the store cannot hold, and report nothing broken",
  async () => {
    for (
      const [endpoint, form] of [
        ["token", { grant_type: "refresh_token", refresh_token: "a\0b", client_id: "a" }],
        ["revoke", { token: "a\0b" }],
      ] as const
    ) {
      const { status, body } = await post(connect, endpoint, form);
      assertEquals([endpoint, status, body.error], [endpoint, 400, "invalid_request"]);
    }
  },
);

databaseTest("POST /revoke ends the grant by either token, and answers alike for what is none", async () => {
  for (const which of ["access_token", "refresh_token"] as const) {
    const tokens = await obtainTokens(connect, who);
    const another = await post(connect, "revoke", {
      token: tokens[which],
      client_id: await register(connect),
    });
    assertEquals(
      [another.status, (await askWith(tokens.access_token)).status],
      [200, 200],
      "not by another client",
    );
    assertEquals(
      (await post(connect, "revoke", { token: tokens[which], client_id: tokens.client_id })).status,
      200,
    );
    assertEquals((await askWith(tokens.access_token)).status, 401);
    assertEquals((await refresh(tokens)).body.error, "invalid_grant");
    assertEquals((await post(connect, "revoke", { token: tokens[which] })).status, 200);
  }
  for (const token of ["x", createCredential("fct_"), createCredential("frk_live_")]) {
    assertEquals((await post(connect, "revoke", { token })).status, 200);
  }
  assertEquals((await post(connect, "revoke", {})).body.error, "invalid_request");
});
