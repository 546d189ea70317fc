import { assertEquals } from "@std/assert";
import { createPublishedKeys } from "./published-keys.ts";

const key = (kid: string) => ({ kid, kty: "EC" });

/** Keys of a sign-in whose answers are set, at a time that is set. */
function open(answer: () => Response | Promise<Response>) {
  const sign = { asked: 0, nowMs: 0, answer };
  const keys = createPublishedKeys({
    ask: async () => {
      sign.asked++;
      return await sign.answer();
    },
    nowMs: () => sign.nowMs,
  });
  const read = async (kid: string | null) => (await keys.read(kid))?.map(({ kid }) => kid) ?? null;
  return { sign, read };
}

Deno.test("createPublishedKeys() asks again after ten minutes", async () => {
  const { sign, read } = open(() => Response.json({ keys: [key("a")] }));
  for (const [nowMs, asked] of [[0, 1], [599_999, 1], [600_000, 2]] as const) {
    sign.nowMs = nowMs;
    assertEquals([await read("a"), await read(null), sign.asked], [["a"], ["a"], asked]);
  }
});

Deno.test("createPublishedKeys() asks about a name nobody published once in ten seconds, whoever makes names up", async () => {
  const { sign, read } = open(() => Response.json({ keys: [key("a")] }));
  for (let i = 0; i < 50; i++) assertEquals(await read(crypto.randomUUID()), ["a"]);
  assertEquals(sign.asked, 1);
  sign.answer = () => Response.json({ keys: [key("a"), key("b")] });
  sign.nowMs = 9_999;
  assertEquals(await read("b"), ["a"]);
  sign.nowMs = 10_000;
  assertEquals([await read("b"), sign.asked], [["a", "b"], 2], "a new key is found");
});

Deno.test("createPublishedKeys() asks once for all who want to know at the same time", async () => {
  const { sign, read } = open(() => Response.json({ keys: [] }));
  assertEquals(await Promise.all(["a", "b", null].map(read)), [[], [], []]);
  assertEquals(sign.asked, 1);
});

Deno.test("createPublishedKeys() tells none where sign-in does not tell, and asks again", async () => {
  const { sign, read } = open(() => Response.json({ keys: [key("a")] }, { status: 500 }));
  assertEquals(await read("a"), null);
  for (const body of ["no JSON", "{}", "null", '{"keys":7}']) {
    sign.answer = () => new Response(body);
    assertEquals(await read("a"), null, body);
  }
  sign.answer = () => Promise.reject(new TypeError("gone"));
  assertEquals(await read("a"), null);
  sign.answer = () => Response.json({ keys: [key("a"), null, {}, { kid: 7 }] });
  assertEquals(await read("a"), ["a"]);
});
