import { assert, assertEquals, assertExists } from "@std/assert";
import { createClient } from "@supabase/supabase-js";
import { databaseTest, openTestDatabase } from "../../testing/database.ts";
import { createSignIn } from "./app.ts";
import { hashPassword } from "./passwords.ts";
import { createSigningKey, createTokenSigner } from "./signing-key.ts";
import { addUser, prepareSignIn } from "./store.ts";

const ORIGIN = "http://127.0.0.1:54321";
const PUBLISHABLE_KEY = "sb_publishable_test";
const EMAIL = "noor@framed.example";
const PASSWORD = "a password that fits";
const USER_ID = "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11";

const database = await openTestDatabase();
await prepareSignIn(database.sql);
await addUser(database.sql, {
  id: USER_ID,
  email: EMAIL,
  name: "Noor",
  password: await hashPassword(PASSWORD),
});
const signer = await createTokenSigner(await createSigningKey());
let clockMs = Date.now();
const app = createSignIn({
  sql: database.sql,
  signer,
  url: `${ORIGIN}/auth/v1`,
  publishableKey: PUBLISHABLE_KEY,
  now: () => new Date(clockMs),
});

/** The real client, over the app instead of the network. */
function connect(key = PUBLISHABLE_KEY) {
  return createClient(ORIGIN, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: async (input, init) => await app.fetch(new Request(input, init)) },
  });
}

async function signedIn() {
  const client = connect();
  const { data, error } = await client.auth.signInWithPassword({ email: EMAIL, password: PASSWORD });
  assertEquals(error, null);
  assertExists(data.session);
  return { client, session: data.session };
}

databaseTest("createSignIn() signs a person in with supabase-js", async () => {
  const { client, session } = await signedIn();
  assertEquals(session.token_type, "bearer");
  assertEquals(session.user.id, USER_ID);
  assertEquals(session.user.user_metadata, { name: "Noor" });

  const { data: { user } } = await client.auth.getUser();
  assertEquals(user?.email, EMAIL);
});

databaseTest("createSignIn() issues tokens that getClaims checks against the published key", async () => {
  const { client, session } = await signedIn();
  const { data, error } = await client.auth.getClaims();
  assertEquals(error, null);
  assertExists(data);
  assertEquals(data.header.alg, "ES256");
  assertEquals(data.header.kid, signer.publicKey.kid);
  const { iss, aud, role, sub, email, aal, exp, iat } = data.claims;
  assertEquals({ iss, aud, role, sub, email, aal }, {
    iss: `${ORIGIN}/auth/v1`,
    aud: "authenticated",
    role: "authenticated",
    sub: USER_ID,
    email: EMAIL,
    aal: "aal1",
  });
  assertEquals(exp - iat, 3600);

  const [head, body] = session.access_token.split(".");
  const forged = `${head}.${body}.${"A".repeat(86)}`;
  assertExists((await client.auth.getClaims(forged)).error);
});

databaseTest(
  "createSignIn() publishes the public half of its key and nothing of the private one",
  async () => {
    const answer = await app.request("/auth/v1/.well-known/jwks.json");
    const { keys } = await answer.json();
    assertEquals(Object.keys(keys[0]).toSorted(), [
      "alg",
      "crv",
      "ext",
      "key_ops",
      "kid",
      "kty",
      "use",
      "x",
      "y",
    ]);
  },
);

databaseTest("createSignIn() answers a wrong password and an unknown address alike", async () => {
  for (const [email, password] of [[EMAIL, "another"], ["nobody@framed.example", PASSWORD]] as const) {
    const { data, error } = await connect().auth.signInWithPassword({ email, password });
    assertEquals(data.session, null);
    assertEquals([error?.status, error?.code, error?.message], [
      400,
      "invalid_credentials",
      "Invalid login credentials",
    ]);
  }
});

databaseTest("createSignIn() takes an address in any case", async () => {
  const { data } = await connect().auth.signInWithPassword({
    email: EMAIL.toUpperCase(),
    password: PASSWORD,
  });
  assertEquals(data.user?.id, USER_ID);
});

databaseTest("createSignIn() changes a refresh token for the next one of the same session", async () => {
  const { client, session } = await signedIn();
  const { data, error } = await client.auth.refreshSession();
  assertEquals(error, null);
  assert(data.session?.refresh_token !== session.refresh_token);
  assertEquals((await client.auth.getUser(data.session?.access_token)).error, null);
});

databaseTest("createSignIn() ends the session whose used refresh token comes back later", async () => {
  const { client, session } = await signedIn();
  await client.auth.refreshSession();
  await database.sql`update local_sign_in.refresh_tokens set used_at = used_at - interval '11 seconds'`;
  const { error } = await connect().auth.refreshSession({ refresh_token: session.refresh_token });
  assertEquals(error?.code, "refresh_token_already_used");
  assertEquals((await client.auth.getUser()).error?.name, "AuthSessionMissingError");
});

databaseTest("createSignIn() refuses a made-up refresh token", async () => {
  const { error } = await connect().auth.refreshSession({ refresh_token: "made-up" });
  assertEquals(error?.code, "refresh_token_not_found");
});

databaseTest(
  "createSignIn() ends this session at a local sign-out and every one at a global sign-out",
  async () => {
    const [one, two, three] = [await signedIn(), await signedIn(), await signedIn()];
    assertEquals((await one.client.auth.signOut({ scope: "local" })).error, null);
    assertExists((await one.client.auth.getUser(one.session.access_token)).error);
    assertEquals((await two.client.auth.getUser()).error, null);

    assertEquals((await two.client.auth.signOut({ scope: "global" })).error, null);
    assertExists((await three.client.auth.getUser(three.session.access_token)).error);
  },
);

databaseTest("createSignIn() refuses a token that has expired", async () => {
  const { client, session } = await signedIn();
  clockMs += 3_600_000;
  const { error } = await client.auth.getUser(session.access_token);
  clockMs -= 3_600_000;
  assertEquals([error?.status, error?.code], [403, "bad_jwt"]);
});

databaseTest("createSignIn() refuses a request without its publishable key", async () => {
  const { error } = await connect("sb_publishable_other").auth.signInWithPassword({
    email: EMAIL,
    password: PASSWORD,
  });
  assertEquals([error?.status, error?.message], [401, "Invalid API key"]);
});

databaseTest("createSignIn() lets a browser page of any origin call it, as Supabase Auth does", async () => {
  const answer = await app.request("/auth/v1/token?grant_type=password", {
    method: "OPTIONS",
    headers: {
      origin: "https://console.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "apikey,authorization,x-client-info,x-supabase-api-version",
    },
  });
  assertEquals(answer.status, 204);
  assertEquals(answer.headers.get("access-control-allow-origin"), "*");
  assert(answer.headers.get("access-control-allow-headers")?.includes("x-supabase-api-version"));
});

databaseTest("createSignIn() answers what it cannot read in GoTrue's form", async () => {
  const answer = await app.request("/auth/v1/token?grant_type=password", {
    method: "POST",
    headers: { apikey: PUBLISHABLE_KEY, "content-type": "application/json" },
    body: "{",
  });
  assertEquals(answer.status, 400);
  assertEquals(await answer.json(), {
    code: 400,
    error_code: "validation_failed",
    msg: "email and password are needed",
  });
});
