import { assert, assertEquals } from "@std/assert";
import { startRawUpstream } from "../../../../scripts/testing/upstream.ts";
import { createEgress, type SendOptions } from "./guarded-fetch.ts";

const HOST = "stream.example";
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const REQUEST = { method: "GET" as const, url: `https://${HOST}/`, headers: [], body: null };

/** Whether a piece ends with what a test calls the end. */
const untilStop: SendOptions["findEnd"] = () => (piece) => new TextDecoder().decode(piece).includes("stop");

async function ask(
  upstream: { readonly url: URL },
  options: Partial<SendOptions>,
): Promise<Awaited<ReturnType<ReturnType<typeof createEgress>["send"]>>> {
  const egress = createEgress({ upstreams: new Map([[HOST, upstream.url]]) });
  try {
    return await egress.send(REQUEST, { host: HOST, timeoutMs: 10_000, maxBytes: 1000, ...options });
  } finally {
    await egress.close();
  }
}

Deno.test("send() takes an answer for whole where findEnd says so, cuts the connection and reads nothing more", async () => {
  const cut = Promise.withResolvers<string>();
  const upstream = startRawUpstream(async ({ readHead, say }) => {
    await readHead();
    await say(`${HEAD}one `);
    await say("stop");
    // Comes back with nothing once the other side is gone.
    cut.resolve(await readHead());
  });
  const answer = await ask(upstream, { findEnd: untilStop });
  assert(answer.ok);
  assertEquals(new TextDecoder().decode(answer.value.body), "one stop");
  assertEquals(await cut.promise, "");
  await upstream.close();
});

Deno.test("send() takes an answer whose end findEnd never sees as it ends", async () => {
  const upstream = startRawUpstream(async ({ readHead, say }) => {
    await readHead();
    await say(`${HEAD}one two`);
  });
  const answer = await ask(upstream, { findEnd: untilStop });
  assert(answer.ok);
  assertEquals(new TextDecoder().decode(answer.value.body), "one two");
  await upstream.close();
});

Deno.test("send() holds an answer that goes on to its size and its time, whatever findEnd waits for", async () => {
  const endless = startRawUpstream(async ({ readHead, say }) => {
    await readHead();
    await say(HEAD);
    while (await say("data: more\n\n"));
  });
  const tooLong = await ask(endless, { findEnd: untilStop });
  assertEquals(!tooLong.ok && tooLong.refusal.reason, "upstream_too_large");
  await endless.close();

  const silent = startRawUpstream(async ({ readHead, say }) => {
    await readHead();
    await say(`${HEAD}data: one\n\n`);
    await readHead();
  });
  const tooSlow = await ask(silent, { findEnd: untilStop, timeoutMs: 300 });
  assert(!tooSlow.ok);
  assertEquals([tooSlow.refusal.reason, tooSlow.refusal.sent], ["upstream_timed_out", true]);
  await silent.close();
});

Deno.test("send() asks findEnd once, with the head of the answer", async () => {
  const upstream = startRawUpstream(async ({ readHead, say }) => {
    await readHead();
    await say(`${HEAD}stop and more`);
  });
  const asked: (string | null)[] = [];
  const answer = await ask(upstream, {
    findEnd: ({ status, headers }) => {
      asked.push(`${status} ${headers.get("content-type")}`);
      return null;
    },
  });
  assert(answer.ok);
  assertEquals(new TextDecoder().decode(answer.value.body), "stop and more");
  assertEquals(asked, ["200 text/event-stream"]);
  await upstream.close();
});
