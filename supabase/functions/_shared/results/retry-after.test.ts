import { assertEquals } from "@std/assert";
import { MAX_WAIT_SECONDS, readRetryAfter } from "./retry-after.ts";

const NOW = Date.parse("2026-03-02T09:00:00Z");
const EPOCH = NOW / 1000;

const WAITS: readonly [string, Record<string, string>, number | undefined][] = [
  ["seconds from now", { "retry-after": "12" }, 12],
  ["a date", { "retry-after": "Mon, 02 Mar 2026 09:01:30 GMT" }, 90],
  ["a date of the old form", { "retry-after": "Monday, 02-Mar-26 09:01:30 GMT" }, 90],
  ["an instant in epoch seconds", { "retry-after": `${EPOCH + 45}` }, 45],
  ["an instant in epoch milliseconds", { "retry-after": `${NOW + 45_000}` }, 45],
  ["RateLimit-Reset as seconds from now", { "ratelimit-reset": "30" }, 30],
  ["RateLimit-Reset as an instant", { "ratelimit-reset": `${EPOCH + 30}` }, 30],
  ["X-RateLimit-Reset as an instant", { "x-ratelimit-reset": `${EPOCH + 30}` }, 30],
  ["Retry-After before RateLimit-Reset", { "retry-after": "5", "ratelimit-reset": "50" }, 5],
  ["the next header where the first says nothing", { "retry-after": "soon", "ratelimit-reset": "50" }, 50],
  ["a part of a second as a whole one", { "retry-after": "0.2" }, 1],
  ["no time as one second", { "retry-after": "0" }, 1],
  ["an instant that has passed as one second", { "retry-after": `${EPOCH - 900}` }, 1],
  ["a date that has passed as one second", { "retry-after": "Sun, 01 Mar 2026 09:00:00 GMT" }, 1],
  ["a year as the longest wait", { "retry-after": "31536000" }, MAX_WAIT_SECONDS],
  ["the end of time as the longest wait", { "retry-after": "999999999999999" }, MAX_WAIT_SECONDS],
  ["nothing", {}, undefined],
  ["no text a clock knows", { "retry-after": "2026-03-02" }, undefined],
  ["a negative number", { "retry-after": "-5" }, undefined],
];

for (const [name, headers, expected] of WAITS) {
  Deno.test(`readRetryAfter() reads ${name}`, () => {
    assertEquals(readRetryAfter(new Headers(headers), { nowMs: NOW }), expected);
  });
}
