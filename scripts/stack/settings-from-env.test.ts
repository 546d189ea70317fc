import { assertEquals, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "../../supabase/functions/_shared/limits/limits.ts";
import { readSettings } from "./settings-from-env.ts";
import { StackProblem } from "./stack-problem.ts";

Deno.test("readSettings() reads limits and telemetry as the functions do", () => {
  assertEquals(readSettings(() => undefined), { limits: DEFAULT_LIMITS, telemetry: null });
  const variables: Record<string, string> = {
    FRAMED_CALLS_BURST: "7",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
  };
  const { limits, telemetry } = readSettings((name) => variables[name]);
  assertEquals([limits?.principal.burst, telemetry?.endpoint], [7, "http://127.0.0.1:4318"]);
});

Deno.test("readSettings() tells the person who starts the stack what cannot be read", () => {
  assertThrows(
    () => readSettings((name) => name === "FRAMED_CALLS_PER_MINUTE" ? "fast" : undefined),
    StackProblem,
    "FRAMED_CALLS_PER_MINUTE",
  );
});
