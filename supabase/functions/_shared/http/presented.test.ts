import { assert, assertEquals } from "@std/assert";
import { createCredential, createKey, hashKey, TOKEN_PREFIX } from "../auth/keys.ts";
import { placeConnect } from "../oauth/place.ts";
import { readPresented } from "./presented.ts";

const key = createKey();
const connect = placeConnect({ url: undefined, functionsUrl: "https://ref.supabase.co/functions/v1" });
const token = createCredential(TOKEN_PREFIX);
const USER_ID = "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11";

/** Reads `headers`, and what sign-in was asked on the way. */
async function read(headers: Record<string, string>) {
  const asked: string[] = [];
  const result = await readPresented(new Headers(headers), {
    connect,
    verifySession(token) {
      asked.push(token);
      return Promise.resolve(token === "good.session.token" ? USER_ID : null);
    },
  });
  return { presented: result.ok ? result.value : result.refusal.reason, asked };
}

Deno.test("readPresented() takes a key by its hash", async () => {
  assertEquals(await read({ "x-framed-api-key": key }), {
    presented: { key_hash: hashKey(key) },
    asked: [],
  });
});

Deno.test("readPresented() takes a session by its person", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    assertEquals(await read({ authorization: `${scheme} good.session.token` }), {
      presented: { user_id: USER_ID },
      asked: ["good.session.token"],
    });
  }
});

Deno.test("readPresented() takes a Connect token by its hash, made out for this stack, and asks sign-in nothing", async () => {
  const audiences = [
    "https://ref.supabase.co/functions/v1/connect/mcp",
    "https://ref.supabase.co/functions/v1/api/connect/mcp",
  ];
  assertEquals(await read({ authorization: `Bearer ${token}` }), {
    presented: { token_hash: hashKey(token), audiences },
    asked: [],
  });
  const broken = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
  assertEquals(await read({ authorization: `Bearer ${broken}` }), {
    presented: "unauthenticated",
    asked: [],
  });
});

Deno.test("readPresented() looks at the key alone where both are there", async () => {
  const authorization = "Bearer good.session.token";
  const { presented, asked } = await read({ "x-framed-api-key": key, authorization });
  assertEquals([typeof presented === "object" && "key_hash" in presented, asked], [true, []]);
  assertEquals(await read({ "x-framed-api-key": "frk_live_no", authorization }), {
    presented: "unauthenticated",
    asked: [],
  });
});

Deno.test("readPresented() refuses everything else alike", async () => {
  const refusals = new Set<string>();
  const cases: Record<string, string>[] = [
    {},
    { "x-framed-api-key": "" },
    { "x-framed-api-key": `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}` },
    { "x-framed-api-key": `${key}, ${key}` },
    { authorization: "" },
    { authorization: "Bearer" },
    { authorization: "Bearer " },
    { authorization: "Basic Z29vZDp0b2tlbg==" },
    { authorization: "Bearer good.session.token and more" },
    { authorization: "Bearer another.session.token" },
    { apikey: key },
    { authorization: `Bearer ${key}` },
    { authorization: "Bearer fct_" },
    { authorization: `Bearer ${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}` },
    { authorization: `Bearer fcr_${token.slice("fct_".length)}` },
  ];
  for (const headers of cases) {
    const result = await readPresented(new Headers(headers), {
      connect,
      verifySession: (token) => Promise.resolve(token === "good.session.token" ? USER_ID : null),
    });
    assert(!result.ok, JSON.stringify(headers));
    refusals.add(JSON.stringify(result.refusal));
  }
  assertEquals(refusals.size, 1);
});
