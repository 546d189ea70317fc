import { assertEquals, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS, limitRefusal, limitsJson, readLimits } from "./limits.ts";

Deno.test("readLimits() takes what the environment says and the defaults for the rest", () => {
  assertEquals(readLimits(() => undefined), {
    principal: { callsPerMinute: 600, burst: 60 },
    workspace: { callsPerMinute: 3_000, burst: 300 },
  });
  const settings: Record<string, string> = {
    FRAMED_CALLS_PER_MINUTE: "1",
    FRAMED_CALLS_BURST: "2",
    FRAMED_WORKSPACE_CALLS_PER_MINUTE: "1000000000",
    FRAMED_WORKSPACE_CALLS_BURST: "",
  };
  assertEquals(readLimits((name) => settings[name]), {
    principal: { callsPerMinute: 1, burst: 2 },
    workspace: { callsPerMinute: 1_000_000_000, burst: 300 },
  });
});

for (const text of ["0", "-1", "1.5", "1e3", "many", "1000000001", " 5"]) {
  Deno.test(`readLimits() refuses ${JSON.stringify(text)} and names the setting`, () => {
    assertThrows(
      () => readLimits((name) => name === "FRAMED_CALLS_BURST" ? text : undefined),
      Error,
      "FRAMED_CALLS_BURST is no whole number from 1 to 1000000000",
    );
  });
}

Deno.test("limitsJson() says in seconds what a call takes and what a bucket holds", () => {
  assertEquals(JSON.parse(limitsJson(DEFAULT_LIMITS)), {
    principal_step: 0.1,
    principal_room: 6,
    workspace_step: 0.02,
    workspace_room: 6,
  });
});

Deno.test("limitRefusal() tells whose limit it is, and when to come back in whole seconds that suffice", () => {
  const waits = [[0.001, 1], [1, 1], [1.2, 2], [3600, 3600]] as const;
  for (const [waitSeconds, retryAfterSeconds] of waits) {
    const { refusal } = limitRefusal(DEFAULT_LIMITS, { limitedBy: "principal", waitSeconds });
    assertEquals([refusal.retryAfterSeconds, refusal.hint], [
      retryAfterSeconds,
      `Try again in ${retryAfterSeconds} s.`,
    ]);
  }
  assertEquals(
    limitRefusal(DEFAULT_LIMITS, { limitedBy: "workspace", waitSeconds: 1 }).refusal.detail,
    "This workspace may make 3,000 calls a minute, 300 of them at once. This one was not made.",
  );
});
