import { assertEquals, assertRejects } from "@std/assert";
import type { OutgoingRequest } from "../definition/request/request-template.ts";
import type { Egress, SendOptions } from "../egress/guarded-fetch.ts";
import { refuse } from "../outcome/result.ts";
import { meterEgress } from "./meter.ts";

const REQUEST: OutgoingRequest = { method: "GET", url: "https://ledger.example/", headers: [], body: null };
const OPTIONS: SendOptions = { host: "ledger.example", timeoutMs: 1_000, maxBytes: 1_000 };

/** An egress that waits `queued` for its turn and `took` for the answer, on a clock of its own. */
function metered(ends: (tick: (ms: number) => void, options: SendOptions) => ReturnType<Egress["send"]>) {
  let nowMs = 1_000;
  const tick = (ms: number) => void (nowMs += ms);
  const egress: Egress = { send: (_request, options) => ends(tick, options), close: () => Promise.resolve() };
  return meterEgress(egress, { workspaceId: "w", now: () => nowMs });
}

Deno.test("meterEgress() measures nothing where nothing goes out", () => {
  const { measured } = metered(() => Promise.reject(new Error("not asked")));
  assertEquals(measured(), { queue_ms: null, upstream_ms: null, answer_bytes: null });
});

Deno.test("meterEgress() tells waiting for a turn from the other system, summed over a call's requests", async () => {
  const { egress, measured } = metered((tick, { onTurn }) => {
    tick(30);
    onTurn!();
    tick(120);
    const value = { status: 200, headers: new Headers(), body: new Uint8Array(7) };
    return Promise.resolve({ ok: true, value });
  });
  await egress.send(REQUEST, OPTIONS);
  assertEquals(measured(), { queue_ms: 30, upstream_ms: 120, answer_bytes: 7 });
  await egress.send(REQUEST, OPTIONS);
  assertEquals(measured(), { queue_ms: 60, upstream_ms: 240, answer_bytes: 14 });
});

Deno.test("meterEgress() counts the time of a request that failed, and no bytes of it", async () => {
  const { egress, measured } = metered((tick, { onTurn }) => {
    onTurn!();
    tick(500);
    return Promise.resolve({
      ok: false,
      refusal: { ...refuse("upstream_timed_out", {}).refusal, sent: true },
    });
  });
  await egress.send(REQUEST, OPTIONS);
  assertEquals(measured(), { queue_ms: 0, upstream_ms: 500, answer_bytes: null });
});

Deno.test("meterEgress() counts a request that never had its turn as waiting, also when it throws", async () => {
  const { egress, measured } = metered((tick) => {
    tick(300);
    return Promise.reject(new Error("stopped"));
  });
  await assertRejects(() => egress.send(REQUEST, OPTIONS), Error, "stopped");
  assertEquals(measured(), { queue_ms: 300, upstream_ms: 0, answer_bytes: null });
});

Deno.test("meterEgress() tells what the last request that tells anything told of its host", async () => {
  const tells: (boolean | null)[] = [true, null, false];
  const { egress, measured } = metered((_tick, { onHost }) => {
    const answered = tells.shift();
    if (typeof answered === "boolean") onHost!(answered);
    return Promise.resolve({ ok: false, refusal: { reason: "upstream_unreachable", sent: false } });
  });
  const heard: unknown[] = [];
  while (tells.length > 0) {
    await egress.send(REQUEST, OPTIONS);
    heard.push(measured().host_answered);
  }
  assertEquals(heard, [true, true, false]);
});

Deno.test("meterEgress() tells whoever else waits for the turn", async () => {
  let told = 0;
  const { egress } = metered((_tick, { onTurn }) => {
    onTurn!();
    return Promise.reject(new Error("enough"));
  });
  await assertRejects(() => egress.send(REQUEST, { ...OPTIONS, onTurn: () => told++ }));
  assertEquals(told, 1);
});

Deno.test("meterEgress() says whose the request is, and holds an answer's room until the next one or the end", async () => {
  const given: number[] = [];
  let sent = 0;
  const { egress, end } = metered((_tick, { workspaceId, onHeld }) => {
    assertEquals(workspaceId, "w");
    const index = sent++;
    onHeld!(() => given.push(index));
    return Promise.resolve(refuse("upstream_failed")) as ReturnType<Egress["send"]>;
  });
  await egress.send(REQUEST, OPTIONS);
  assertEquals(given, []);
  await egress.send(REQUEST, OPTIONS);
  assertEquals(given, [0]);
  end();
  assertEquals(given, [0, 1]);
});
