// Hosts that hang or are gone: what that means for calls to them, and that it means nothing for calls to others.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startRawUpstream, startUpstream } from "../../../../scripts/testing/upstream.ts";
import type { OutgoingRequest } from "../definition/request/request-template.ts";
import { createEgress, type Egress, type SendOptions } from "./guarded-fetch.ts";

Deno.test("send() answers for a healthy host while another hangs on all its connections", async () => {
  const hung = startRawUpstream(async ({ readHead }) => void (await readHead(), await readHead()));
  const healthy = startUpstream(() => new Response("x"));
  const egress = createEgress({
    upstreams: new Map([["hung.example", hung.url], ["healthy.example", healthy.url]]),
  });
  const stop = new AbortController();
  const stuck = Array.from(
    { length: 40 },
    () => send(egress, "hung.example", { signal: stop.signal }).catch((error) => error.message),
  );
  while (hung.received.length < 8) await nextTurn();
  for (let i = 0; i < 20; i++) assert((await send(egress, "healthy.example")).ok);
  assertEquals(hung.received.length, 8, "of 40 calls eight are under way");
  stop.abort(new Error("stopped by the test"));
  assertEquals([...new Set(await Promise.all(stuck))], ["stopped by the test"]);
  await egress.close();
  await hung.close();
  await healthy.close();
});

Deno.test("send() says so when a call's time is over before its turn came, and holds nothing against the host", async () => {
  const hung = startRawUpstream(async ({ readHead }) => void (await readHead(), await readHead()));
  const egress = createEgress({ upstreams: new Map([["hung.example", hung.url]]) });
  const stop = new AbortController();
  const stuck = Array.from(
    { length: 8 },
    () => send(egress, "hung.example", { signal: stop.signal, fresh: true }).catch(() => "stopped"),
  );
  // Those that hold the turns have no end of their own, so that however slow this machine is nobody else gets one.
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, () => send(egress, "hung.example", { timeoutMs: 50 })),
  );
  for (const outcome of outcomes) {
    assert(!outcome.ok);
    const { reason, sent, detail } = outcome.refusal;
    assertEquals([reason, sent], ["upstream_timed_out", false]);
    assertStringIncludes(detail!, "Nothing was sent");
  }
  stop.abort();
  assertEquals(new Set(await Promise.all(stuck)), new Set(["stopped"]));
  assertEquals(await reasonOf(send(egress, "hung.example", { timeoutMs: 50 })), [
    "upstream_timed_out",
    undefined,
  ]);
  await egress.close();
  await hung.close();
});

Deno.test("send() refuses what would be one too many to wait for a host, at once, of a workspace and of all", async () => {
  const hung = startRawUpstream(async ({ readHead }) => void (await readHead(), await readHead()));
  const egress = createEgress({ upstreams: new Map([["hung.example", hung.url]]) });
  const stop = new AbortController();
  const take = (workspaceId: string, length: number) =>
    Array.from(
      { length },
      () => send(egress, "hung.example", { workspaceId, signal: stop.signal }).catch(() => "stopped"),
    );
  const stuck = take("a", 8 + 512);
  assertEquals(await reasonOf(send(egress, "hung.example", { workspaceId: "a" })), ["rate_limited", 5]);
  stuck.push(...take("b", 4 + 512));
  assertEquals(await reasonOf(send(egress, "hung.example", { workspaceId: "c" })), ["rate_limited", 5]);
  stop.abort();
  await Promise.all(stuck);
  await egress.close();
  await hung.close();
});

Deno.test("send() lets a workspace in while another has a host's turns with calls that hang, and many more wait", async () => {
  const end = Promise.withResolvers<void>();
  const upstream = startUpstream(({ target }) =>
    target === "/slow" ? end.promise.then(() => new Response("late")) : new Response("x")
  );
  const egress = createEgress({ upstreams: new Map([["shared.example", upstream.url]]) });
  const stop = new AbortController();
  const slow = Array.from(
    { length: 60 },
    () =>
      send(egress, "shared.example", { workspaceId: "a", path: "/slow", signal: stop.signal }).catch(
        () => {},
      ),
  );
  for (let i = 0; i < 20; i++) {
    assert((await send(egress, "shared.example", { workspaceId: "b" })).ok);
  }
  stop.abort();
  end.resolve();
  await Promise.all(slow);
  await egress.close();
  await upstream.close();
});

Deno.test("send() leaves a dead host alone, says so, and finds it again when it is back", async () => {
  const first = startUpstream(() => new Response("x"));
  await first.close();
  const healthy = startUpstream(() => new Response("x"));
  let nowMs = 0;
  const egress = createEgress({
    upstreams: new Map([["dead.example", first.url], ["healthy.example", healthy.url]]),
    now: () => nowMs,
  });
  for (let i = 0; i < 5; i++) {
    assertEquals(await reasonOf(send(egress, "dead.example")), ["upstream_unreachable", undefined]);
  }
  const refused = await send(egress, "dead.example");
  assert(!refused.ok);
  assertEquals(
    [refused.refusal.reason, refused.refusal.retryAfterSeconds, refused.refusal.sent],
    ["upstream_unreachable", 15, false],
  );
  assertStringIncludes(refused.refusal.detail!, "left alone");
  assertStringIncludes(refused.refusal.detail!, "the port is closed");
  assert((await send(egress, "healthy.example")).ok);

  const back = startUpstream(() => new Response("x"), { port: first.port });
  assertEquals(await reasonOf(send(egress, "dead.example")), ["upstream_unreachable", 15]);
  assertEquals(back.requests.length, 0, "nothing was tried meanwhile");
  nowMs = 15_000;
  assert((await send(egress, "dead.example")).ok);
  assert((await send(egress, "dead.example")).ok);
  await egress.close();
  await back.close();
  await healthy.close();
});

Deno.test("send() counts nothing against a host that answers, whatever it answers", async () => {
  const rude = startRawUpstream(async ({ readHead, say }) =>
    void (await readHead(), await say("220 mail ESMTP\r\n"))
  );
  const egress = createEgress({ upstreams: new Map([["rude.example", rude.url]]) });
  for (let i = 0; i < 10; i++) {
    assertEquals(await reasonOf(send(egress, "rude.example")), ["upstream_bad_answer", undefined]);
  }
  await egress.close();
  await rude.close();
});

Deno.test("send() tells whether its host answered or could not be reached, and nothing where that says neither", async () => {
  const up = startUpstream(() => new Response("no", { status: 503 }));
  const gone = startUpstream(() => new Response());
  await gone.close();
  const cut = startRawUpstream(async ({ readHead }) => void (await readHead()));
  const egress = createEgress({
    upstreams: new Map([["up.example", up.url], ["gone.example", gone.url], ["cut.example", cut.url]]),
  });
  const told = async (host: string, options: Partial<SendOptions> = {}) => {
    const heard: boolean[] = [];
    await send(egress, host, { ...options, onHost: (answered) => heard.push(answered) });
    return heard;
  };
  assertEquals(await told("up.example"), [true]);
  assertEquals(await told("up.example", { maxBytes: 1 }), [true], "an answer that is refused is one");
  assertEquals(await told("cut.example"), []);
  assertEquals(await told("up.example", { mayLeave: () => ({ reason: "call_cancelled" }) }), []);
  for (let i = 1; i <= 6; i++) {
    assertEquals(await told("gone.example"), [false], `try ${i}, the last left alone`);
  }
  await egress.close();
  await up.close();
  await cut.close();
});

function send(
  egress: Egress,
  host: string,
  { path = "/", ...options }: Partial<SendOptions> & { path?: string } = {},
) {
  const request: OutgoingRequest = { method: "GET", url: `https://${host}${path}`, headers: [], body: null };
  return egress.send(request, { host, timeoutMs: 10_000, maxBytes: 1000, ...options });
}

async function reasonOf(answer: ReturnType<Egress["send"]>): Promise<[reason: string, retryAfter?: number]> {
  const { ok, ...rest } = await answer;
  if (ok || !("refusal" in rest)) return ["answered"];
  return [rest.refusal.reason, rest.refusal.retryAfterSeconds];
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
