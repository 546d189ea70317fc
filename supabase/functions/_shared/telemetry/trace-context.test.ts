import { assertEquals } from "@std/assert";
import { ASKS_FOR_TRACEPARENT, readTraceparent, writeTraceparent } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const HEADERS: readonly [header: string | null, flags: number | null][] = [
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-03`, 1],
  [`01-${TRACE}-${SPAN}-01-what-comes-later`, 1],
  [`00-${TRACE}-${SPAN}-01-more`, null],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${"0".repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${"0".repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}`, null],
  [ASKS_FOR_TRACEPARENT, null],
  ["", null],
  [null, null],
];

for (const [header, flags] of HEADERS) {
  Deno.test(`readTraceparent() of ${header}`, () => {
    assertEquals(
      readTraceparent(header),
      flags === null ? null : { traceId: TRACE, spanId: SPAN, traceFlags: flags, isRemote: true },
    );
  });
}

Deno.test("writeTraceparent() writes what readTraceparent() reads", () => {
  for (const traceFlags of [0, 1]) {
    const context = { traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true };
    assertEquals(readTraceparent(writeTraceparent(context)), context);
  }
});
