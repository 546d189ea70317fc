import { assert, assertEquals } from "@std/assert";
import { startOtlpReceiver } from "../../../../scripts/testing/otlp-receiver.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { createExporter, type ExporterMeans } from "./exporter.ts";
import type { EndedSpan } from "./spans.ts";

const SECRET = "key-of-the-receiver";

function span(name: string): EndedSpan {
  return {
    context: { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 },
    parentSpanId: null,
    name,
    kind: 1,
    startedAt: 1,
    endedAt: 2,
    attributes: {},
    status: { code: 0 },
  };
}

/** An exporter to `endpoint`, what it reported, and what was to be done before the process may end. */
function open(endpoint: string, more: Partial<ExporterMeans> = {}) {
  const reported: string[] = [];
  const work: Promise<unknown>[] = [];
  const exporter = createExporter({ endpoint, headers: { authorization: SECRET }, serviceName: "test" }, {
    collect: () => [],
    now: () => 0,
    fetch,
    report: (line) => reported.push(line),
    waitUntil: (promise) => work.push(promise),
    delayMs: 0,
    ...more,
  });
  return { exporter, reported, work };
}

Deno.test("createExporter() sends what ended together at once, by itself, and keeps the process until then", async () => {
  const receiver = startOtlpReceiver();
  const { exporter, work } = open(receiver.settings.endpoint);
  for (const name of ["one", "two", "three"]) {
    exporter.add(span(name));
    exporter.soon();
  }
  assertEquals(work.length, 1);
  await work[0];
  assertEquals(receiver.spans().map(({ name }) => name), ["one", "two", "three"]);
  assertEquals(receiver.upstream.requests.length, 1, "nothing was counted, so no metrics were sent");
  exporter.add(span("four"));
  exporter.soon();
  await work[1];
  assertEquals(receiver.spans().map(({ name }) => name).at(-1), "four");
  exporter.add(span("five"));
  exporter.soon();
  await exporter.flush();
  await work[2];
  await exporter.flush();
  assertEquals(receiver.upstream.requests.length, 3, "what is sent is not sent again");
  await receiver.close();
});

Deno.test("createExporter() drops what cannot be delivered, and says so once a minute without a value of its headers", async () => {
  const failing = startUpstream(() => new Response("no", { status: 503 }));
  const stolen: string[] = [];
  const thief = startUpstream(({ headers }) => {
    stolen.push(headers.get("authorization") ?? "");
    return new Response();
  });
  const redirecting = startUpstream(() => Response.redirect(thief.url.href, 307));
  const gone = startUpstream(() => new Response());
  await gone.close();
  let now = 0;
  for (
    const [endpoint, cause] of [[failing.url.origin, "answered 503"], [gone.url.origin, ""], [
      redirecting.url.origin,
      "",
    ]]
  ) {
    const { exporter, reported } = open(endpoint!, { now: () => now });
    exporter.add(span("lost"));
    await exporter.flush();
    exporter.add(span("lost too"));
    await exporter.flush();
    assertEquals(reported.length, 1, endpoint);
    assert(
      reported[0]!.includes(`"event":"telemetry_not_exported"`) && reported[0]!.includes(cause!),
      reported[0],
    );
    assert(!reported[0]!.includes(SECRET));
    now += 60_000;
    exporter.add(span("lost later"));
    await exporter.flush();
    assertEquals(reported.length, 2, endpoint);
  }
  assertEquals(stolen, []);
  await Promise.all([failing.close(), redirecting.close(), thief.close()]);
});

Deno.test("createExporter() lets only so many spans wait, and asks one thing at a time", async () => {
  let atOnce = 0;
  let most = 0;
  const sizes: number[] = [];
  const { exporter } = open("http://receiver.example", {
    async fetch(_url, init) {
      most = Math.max(most, ++atOnce);
      sizes.push(JSON.parse(init!.body as string).resourceSpans[0].scopeSpans[0].spans.length);
      await Promise.resolve();
      atOnce--;
      return new Response();
    },
  });
  for (let i = 0; i < 5_000; i++) exporter.add(span("many"));
  const first = exporter.flush();
  await Promise.resolve();
  exporter.add(span("one more"));
  await Promise.all([first, exporter.flush(), exporter.flush()]);
  assertEquals([sizes, most], [[2_048, 1], 1]);
});
