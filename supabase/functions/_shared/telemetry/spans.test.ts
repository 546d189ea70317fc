import { assertEquals } from "@std/assert";
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { createContextManager } from "./active-context.ts";
import { createTracer, type EndedSpan } from "./spans.ts";

context.setGlobalContextManager(createContextManager());

function open() {
  const ended: EndedSpan[] = [];
  let clock = 1_000;
  const tracer = createTracer({ now: () => clock++, onEnd: (span) => ended.push(span) });
  return { tracer, ended };
}

Deno.test("createTracer() makes a span the child of the one that is active where it starts, over whatever is awaited", async () => {
  const { tracer, ended } = open();
  await Promise.all(["a", "b"].map((name) =>
    tracer.startActiveSpan(name, async (outer) => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      await tracer.startActiveSpan(`${name} in it`, { kind: SpanKind.CLIENT }, async (inner) => {
        await Promise.resolve();
        inner.end();
      });
      outer.end();
    })
  ));
  for (const name of ["a", "b"]) {
    const [outer, inner] = [name, `${name} in it`].map((wanted) =>
      ended.find((span) => span.name === wanted)!
    );
    assertEquals([inner!.parentSpanId, inner!.context.traceId, outer!.parentSpanId], [
      outer!.context.spanId,
      outer!.context.traceId,
      null,
    ]);
  }
  assertEquals(new Set(ended.map(({ context }) => context.traceId)).size, 2);
  assertEquals(trace.getActiveSpan(), undefined);
});

Deno.test("createTracer() tells of a span once, as it was when it ended, and of no exception's words", () => {
  const { tracer, ended } = open();
  const span = tracer.startSpan("first name", { attributes: { a: 1 } }, ROOT_CONTEXT);
  span.setAttribute("b", 2).setAttributes({ a: 3 }).setStatus({
    code: SpanStatusCode.ERROR,
    message: "words",
  });
  span.addEvent("words").addLinks([]).updateName("name").recordException(new Error("words"));
  assertEquals([span.isRecording(), ended.length], [true, 0]);
  span.end();
  span.end();
  assertEquals(span.isRecording(), false);
  assertEquals(ended.map(({ context: _, ...rest }) => rest), [{
    parentSpanId: null,
    name: "name",
    kind: SpanKind.INTERNAL,
    startedAt: 1_000,
    endedAt: 1_001,
    attributes: { a: 3, b: 2 },
    status: { code: SpanStatusCode.ERROR, message: "words" },
  }]);
});

Deno.test("createTracer() records nothing under a parent that is not recorded, and passes that on", () => {
  const { tracer, ended } = open();
  const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 0, isRemote: true };
  const span = tracer.startSpan("quiet", {}, trace.setSpanContext(ROOT_CONTEXT, parent));
  const inner = tracer.startSpan("in it", {}, trace.setSpan(ROOT_CONTEXT, span));
  inner.end();
  span.end();
  assertEquals([span.isRecording(), inner.isRecording(), ended.length], [false, false, 0]);
  assertEquals([inner.spanContext().traceId, inner.spanContext().traceFlags], [parent.traceId, 0]);
});
