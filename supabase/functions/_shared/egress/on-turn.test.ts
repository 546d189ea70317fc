import { assert, assertEquals } from "@std/assert";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { createEgress } from "./guarded-fetch.ts";

Deno.test("send() tells when it is its turn: at once where there is room, else when one before it has ended", async () => {
  const gates: PromiseWithResolvers<Response>[] = [];
  const eight = Promise.withResolvers<void>();
  const upstream = startUpstream(() => {
    const gate = Promise.withResolvers<Response>();
    gates.push(gate);
    if (gates.length === 8) eight.resolve();
    return gate.promise;
  });
  const egress = createEgress({ upstreams: new Map([["ledger.example", upstream.url]]) });
  const turns: number[] = [];
  const send = (index: number) =>
    egress.send({ method: "GET", url: "https://ledger.example/", headers: [], body: null }, {
      host: "ledger.example",
      timeoutMs: 10_000,
      maxBytes: 1_000,
      onTurn: () => turns.push(index),
    });
  const sent = Array.from({ length: 9 }, (_, index) => send(index));
  await eight.promise;
  assertEquals(turns, [0, 1, 2, 3, 4, 5, 6, 7]);
  gates[0]!.resolve(new Response("x"));
  await Promise.any(sent);
  while (gates.length < 9) await new Promise((resolve) => setTimeout(resolve));
  assertEquals(turns.at(-1), 8);
  for (const gate of gates) gate.resolve(new Response("x"));
  assert((await Promise.all(sent)).every(({ ok }) => ok));
  await egress.close();
  await upstream.close();
});

Deno.test("send() tells no turn of a request that is refused before", async () => {
  const egress = createEgress();
  let told = false;
  const sent = await egress.send({
    method: "GET",
    url: "https://elsewhere.example/",
    headers: [],
    body: null,
  }, {
    host: "ledger.example",
    timeoutMs: 1_000,
    maxBytes: 1_000,
    onTurn: () => told = true,
  });
  assertEquals([sent.ok, told], [false, false]);
  await egress.close();
});
