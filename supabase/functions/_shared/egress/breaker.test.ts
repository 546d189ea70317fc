import { assertEquals } from "@std/assert";
import { createBreaker, type Tried } from "./breaker.ts";

const HOST = "ledger.example";

/** A breaker on a clock that stands still until it is moved. */
function openBreaker() {
  let nowMs = 1_000;
  const breaker = createBreaker({ now: () => nowMs });
  return {
    ask: (host = HOST) => breaker.ask(host),
    /** Tries as a request does: asks, and reports what became of it. Tells whether it was let through. */
    attempt(tried: Tried, host = HOST): boolean {
      if (breaker.ask(host) !== null) return false;
      breaker.report(host, tried);
      return true;
    },
    report: (tried: Tried) => breaker.report(HOST, tried),
    pass: (ms: number) => nowMs += ms,
  };
}

const failed = (why = "the port is closed"): Tried => ({ failed: why });

Deno.test("createBreaker() leaves a host alone after five failures in a row, and says for how long and why", () => {
  const breaker = openBreaker();
  for (let i = 1; i <= 5; i++) assertEquals(breaker.attempt(failed(`try ${i}`)), true);
  assertEquals(breaker.ask(), { retryAfterSeconds: 15, lastFailure: "try 5" });
  breaker.pass(14_001);
  assertEquals(breaker.ask(), { retryAfterSeconds: 1, lastFailure: "try 5" });
  assertEquals(breaker.ask("other.example"), null);
});

Deno.test("createBreaker() counts failures in a row only, and what says nothing about the host not at all", () => {
  const breaker = openBreaker();
  for (let i = 0; i < 4; i++) breaker.attempt(failed());
  breaker.attempt("reached");
  for (let i = 0; i < 4; i++) breaker.attempt(failed());
  for (let i = 0; i < 4; i++) breaker.attempt("unknown");
  assertEquals(breaker.ask(), null);
  breaker.attempt(failed());
  assertEquals(breaker.ask()?.retryAfterSeconds, 15);
});

Deno.test("createBreaker() lets one try through when the time is over, and the others once it has reached the host", () => {
  const breaker = openBreaker();
  for (let i = 0; i < 5; i++) breaker.attempt(failed());
  breaker.pass(15_000);
  assertEquals(breaker.ask(), null, "the try");
  assertEquals(breaker.ask()?.retryAfterSeconds, 1, "another beside it");
  breaker.report("reached");
  assertEquals([breaker.ask(), breaker.ask()], [null, null]);
});

Deno.test("createBreaker() leaves the host alone again when the one try fails, and tries anew when it tells nothing", () => {
  const breaker = openBreaker();
  for (let i = 0; i < 5; i++) breaker.attempt(failed());
  breaker.pass(15_000);
  assertEquals(breaker.attempt(failed("still down")), true);
  assertEquals(breaker.ask(), { retryAfterSeconds: 15, lastFailure: "still down" });
  breaker.pass(15_000);
  assertEquals(breaker.attempt("unknown"), true);
  assertEquals(breaker.attempt("reached"), true);
  assertEquals(breaker.ask(), null);
});

Deno.test("createBreaker() remembers a bounded number of hosts, the latest ones", () => {
  const breaker = openBreaker();
  for (let i = 0; i < 5; i++) breaker.attempt(failed());
  for (let i = 0; i < 1_000; i++) breaker.attempt(failed(), `h${i}.example`);
  assertEquals(breaker.ask(), null);
});
