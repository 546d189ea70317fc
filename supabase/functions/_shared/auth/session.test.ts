import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { createSessionVerifier, SignInUnavailable } from "./session.ts";

const USER_ID = "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11";
const KEY = { name: "ECDSA", namedCurve: "P-256" };
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" };

const ours = await makeKey();
const strangers = await makeKey();

interface Key {
  readonly privateKey: CryptoKey;
  readonly jwk: JsonWebKey & { kid: string };
}

async function makeKey(kid: string = crypto.randomUUID()): Promise<Key> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(KEY, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  return { privateKey, jwk: { kty, crv, x, y, kid, alg: "ES256", use: "sig" } as Key["jwk"] };
}

function encode(part: unknown): string {
  const bytes = part instanceof Uint8Array ? part : new TextEncoder().encode(JSON.stringify(part));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function claimsFor(url: URL): Record<string, unknown> {
  return {
    iss: `${url.origin}/auth/v1`,
    sub: USER_ID,
    aud: "authenticated",
    role: "authenticated",
    exp: Math.floor(Date.now() / 1000) + 600,
  };
}

/** A token with `claims`, signed with `key` under whatever `header` says. */
async function sign(
  claims: unknown,
  { key = ours, header = {} }: { key?: Key; header?: Record<string, unknown> } = {},
): Promise<string> {
  const signed = `${encode({ alg: "ES256", typ: "JWT", kid: key.jwk.kid, ...header })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(SIGNATURE, key.privateKey, new TextEncoder().encode(signed));
  return `${signed}.${encode(new Uint8Array(signature))}`;
}

/** A token whose signature is an HMAC with the text of our public key: the oldest confusion there is. */
async function signWithPublicKey(claims: unknown): Promise<string> {
  const signed = `${encode({ alg: "HS256", typ: "JWT", kid: ours.jwk.kid })}.${encode(claims)}`;
  const secret = new TextEncoder().encode(JSON.stringify(ours.jwk));
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"]);
  return `${signed}.${
    encode(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed))))
  }`;
}

const JWKS_PATH = "/auth/v1/.well-known/jwks.json";

/** Sign-in as the verifier sees it: its keys, and what it says of a token it is asked about (Supabase Auth's own answer). */
function answer({ target }: { target: string }): Response {
  if (target === JWKS_PATH) return Response.json({ keys: [ours.jwk] });
  return Response.json({ code: 403, error_code: "bad_jwt", msg: "invalid JWT" }, { status: 403 });
}

/** A verifier of a sign-in that answers by `respond`, and what it was asked. */
async function withSignIn(
  respond: Parameters<typeof startUpstream>[0],
  use: (
    signIn: {
      url: URL;
      asked: readonly { target: string }[];
      verify: (token: string) => Promise<string | null>;
    },
  ) => Promise<void>,
): Promise<void> {
  const upstream = await startUpstream(respond);
  try {
    const { url, requests } = upstream;
    const verify = createSessionVerifier({ supabaseUrl: url.origin, publishableKey: "publishable" });
    await use({ url, asked: requests, verify });
  } finally {
    await upstream.close();
  }
}

Deno.test("createSessionVerifier() tells whose a token is, and asks for the keys once", async () => {
  await withSignIn(answer, async ({ url, asked, verify }) => {
    const token = await sign(claimsFor(url));
    assertEquals(await verify(token), USER_ID);
    assertEquals(await verify(token), USER_ID);
    assertEquals(await verify(await sign({ ...claimsFor(url), aud: ["other", "authenticated"] })), USER_ID);
    assertEquals(asked.map(({ target }) => target), [JWKS_PATH]);
  });
});

Deno.test("createSessionVerifier() refuses what is not a session of this project, without asking sign-in", async (t) => {
  await withSignIn(answer, async ({ url, asked, verify }) => {
    const claims = claimsFor(url);
    const without = (name: string) =>
      Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
    const tokens: Record<string, string> = {
      "another issuer": await sign({ ...claims, iss: "https://evil.example/auth/v1" }),
      "an issuer with more behind": await sign({ ...claims, iss: `${claims.iss}/` }),
      "no issuer": await sign(without("iss")),
      "another audience": await sign({ ...claims, aud: "anon" }),
      "audiences without ours": await sign({ ...claims, aud: ["anon"] }),
      "no audience": await sign(without("aud")),
      "the service role": await sign({ ...claims, role: "service_role" }),
      "the anonymous role": await sign({ ...claims, role: "anon" }),
      "no role": await sign(without("role")),
      "no subject": await sign(without("sub")),
      "a subject that is no id": await sign({ ...claims, sub: "noor" }),
      "a subject that is no text": await sign({ ...claims, sub: 7 }),
      "no expiry": await sign(without("exp")),
      "an expiry that is no number": await sign({ ...claims, exp: String(claims.exp) }),
      "alg none": await sign(claims, { header: { alg: "none" } }),
      "alg None": await sign(claims, { header: { alg: "None" } }),
      "no alg": await sign(claims, { header: { alg: undefined } }),
      "an alg that is no text": await sign(claims, { header: { alg: ["ES256"] } }),
      "an alg nobody uses": await sign(claims, { header: { alg: "HS512" } }),
      "claims that are null": await sign(null),
      "claims that are a list": await sign([claims]),
      "claims that are no JSON": `${encode({ alg: "ES256" })}.${encode(new Uint8Array([123]))}.AAAA`,
      "claims that are no UTF-8": `${encode({ alg: "ES256" })}.${
        encode(new Uint8Array([0xff, 0xfe, 0x00]))
      }.AAAA`,
      "no signature": (await sign(claims)).replace(/[^.]+$/, ""),
      "two parts": (await sign(claims)).replace(/\.[^.]+$/, ""),
      "four parts": `${await sign(claims)}.AAAA`,
      "other characters": `${await sign(claims)}=`,
      "nothing": "",
      "a token that is too long": await sign({ ...claims, padding: "x".repeat(16_384) }),
    };
    for (const [name, token] of Object.entries(tokens)) {
      await t.step(name, async () => assertEquals(await verify(token), null));
    }
    assertEquals(asked.length, 0);
  });
});

Deno.test("createSessionVerifier() refuses what looks like a session but does not hold", async (t) => {
  await withSignIn(answer, async ({ url, verify }) => {
    const claims = claimsFor(url);
    const good = await sign(claims);
    const [header, , signature] = good.split(".");
    const asOurs: Key = { privateKey: strangers.privateKey, jwk: { ...strangers.jwk, kid: ours.jwk.kid } };
    const tokens: Record<string, string> = {
      "a stranger's signature under our key's name": await sign(claims, { key: asOurs }),
      "a key that is not published": await sign(claims, { key: strangers }),
      "no key named": await sign(claims, { header: { kid: undefined } }),
      "another subject under a signature that was good": `${header}.${
        encode({ ...claims, sub: crypto.randomUUID() })
      }.${signature}`,
      "a signature cut short": good.slice(0, -4),
      "a signature of zeros": good.replace(/[^.]+$/, encode(new Uint8Array(64))),
      "an algorithm the key is not for": await sign(claims, { header: { alg: "RS256" } }),
      "an HMAC with our public key": await signWithPublicKey(claims),
      "a key of its own": await sign(claims, { key: strangers, header: { jwk: strangers.jwk } }),
      "expired a second ago": await sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 }),
      "expired at the beginning of time": await sign({ ...claims, exp: 0 }),
    };
    for (const [name, token] of Object.entries(tokens)) {
      await t.step(name, async () => assertEquals(await verify(token), null));
    }
    assertEquals(await verify(good), USER_ID, "and the good one still stands");
  });
});

Deno.test("createSessionVerifier() leaves a token signed with the project's secret to sign-in", async (t) => {
  // A project that still signs with HS256: only sign-in has the secret, and /user is how it is asked.
  for (
    const [name, status, body, expected] of [
      ["stands", 200, { id: USER_ID }, USER_ID],
      ["does not stand", 403, { code: 403, error_code: "bad_jwt", msg: "invalid JWT" }, null],
      ["was signed out", 403, { code: 403, error_code: "session_not_found", msg: "gone" }, null],
      ["is of nobody any more", 404, { code: 404, error_code: "user_not_found", msg: "gone" }, null],
    ] as const
  ) {
    await t.step(name, async () => {
      const respond = ({ target }: { target: string }) =>
        target === JWKS_PATH ? Response.json({ keys: [] }) : Response.json(body, { status });
      await withSignIn(respond, async ({ url, asked, verify }) => {
        const token = await signWithPublicKey(claimsFor(url));
        assertEquals([await verify(token), await verify(token)], [expected, expected]);
        const users = Array(expected === null ? 1 : 2).fill("/auth/v1/user");
        assertEquals(asked.map(({ target }) => target), [JWKS_PATH, ...users], "what was refused stays so");
      });
    });
  }
});

Deno.test("createSessionVerifier() asks sign-in nothing about tokens that are made up", async (t) => {
  const forgeries: Record<string, (url: URL) => Promise<string>> = {
    "keys nobody published": async (url) =>
      await sign(claimsFor(url), { key: strangers, header: { kid: crypto.randomUUID() } }),
    "no key": async (url) =>
      await sign({ ...claimsFor(url), n: Math.random() }, { header: { kid: undefined } }),
    "the project's secret, where keys are published": async (url) =>
      await signWithPublicKey({ ...claimsFor(url), n: Math.random() }),
  };
  for (const [name, forge] of Object.entries(forgeries)) {
    await t.step(name, async () => {
      await withSignIn(answer, async ({ url, asked, verify }) => {
        for (let i = 0; i < 20; i++) assertEquals(await verify(await forge(url)), null);
        assertEquals(asked.map(({ target }) => target), [JWKS_PATH]);
      });
    });
  }
});

Deno.test("createSessionVerifier() says that it does not know where sign-in does not say", async (t) => {
  const answers: Record<string, () => Response> = {
    "it broke": () => Response.json({ msg: "unexpected" }, { status: 500 }),
    "its gateway is alone": () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
    "it is overloaded": () => Response.json({ message: "busy" }, { status: 503 }),
    "its address answers something else": () => new Response("<h1>Not here</h1>", { status: 404 }),
    "its address answers other JSON": () => Response.json({ message: "no route" }, { status: 404 }),
    "it asks to slow down": () =>
      Response.json({ code: 429, error_code: "over_request_rate_limit" }, { status: 429 }),
    "its keys are no JSON": () => new Response("keys", { status: 200 }),
  };
  for (const [name, respond] of Object.entries(answers)) {
    await t.step(name, async () => {
      await withSignIn(respond, async ({ url, verify }) => {
        const token = await sign(claimsFor(url), { key: await makeKey() });
        await assertRejects(() => verify(token), SignInUnavailable);
      });
    });
  }
  await t.step("it is gone", async () => {
    let token = "", verify = (_: string): Promise<string | null> => Promise.resolve(null);
    await withSignIn(answer, async (signIn) => {
      verify = signIn.verify;
      token = await sign(claimsFor(signIn.url));
    });
    await assertRejects(() => verify(token), SignInUnavailable);
  });
});

Deno.test("createSessionVerifier() gives up on a sign-in that does not answer", async () => {
  const silent = Promise.withResolvers<Response>();
  const upstream = await startUpstream(() => silent.promise);
  const verify = createSessionVerifier({
    supabaseUrl: upstream.url.origin,
    publishableKey: "publishable",
    timeoutMs: 20,
  });
  await assertRejects(async () => verify(await sign(claimsFor(upstream.url))), SignInUnavailable);
  silent.resolve(new Response());
  await upstream.close();
});

Deno.test("createSessionVerifier() asks again after a sign-in that was away", async () => {
  let away = true;
  await withSignIn(
    (request) => away ? new Response(null, { status: 503 }) : answer(request),
    async ({ url, verify }) => {
      const token = await sign(claimsFor(url));
      await assertRejects(() => verify(token), SignInUnavailable);
      away = false;
      assertEquals(await verify(token), USER_ID);
    },
  );
});

Deno.test("createSessionVerifier() does not take the keys of one project for another's at the same place", async () => {
  const sameName = await makeKey(ours.jwk.kid);
  await withSignIn(answer, async ({ url, verify }) => {
    assertEquals(await verify(await sign(claimsFor(url))), USER_ID);
    await withSignIn(() => Response.json({ keys: [sameName.jwk] }), async (other) => {
      assertNotEquals(other.url.port, url.port);
      assertEquals(await other.verify(await sign(claimsFor(other.url), { key: sameName })), USER_ID);
      assertEquals(await other.verify(await sign(claimsFor(other.url))), null);
      assert(other.asked.length > 0);
    });
  });
});
