import { assert, assertEquals, assertThrows } from "@std/assert";
import { readTelemetrySettings } from "./settings.ts";

function readFrom(variables: Record<string, string>) {
  return readTelemetrySettings((name) => variables[name]);
}

Deno.test("readTelemetrySettings() is null without an endpoint, whatever else is set", () => {
  assertEquals(readFrom({}), null);
  assertEquals(readFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: " ", OTEL_SERVICE_NAME: "x" }), null);
});

Deno.test("readTelemetrySettings() reads the standard variables", () => {
  assertEquals(
    readFrom({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example/base/",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b%3D, x-tenant = t ,",
      OTEL_SERVICE_NAME: "tools",
    }),
    {
      endpoint: "https://otlp.example/base",
      headers: { "api-key": "a b=", "x-tenant": "t" },
      serviceName: "tools",
    },
  );
  assertEquals(readFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }), {
    endpoint: "http://127.0.0.1:4318",
    headers: {},
    serviceName: "framed-tools",
  });
});

const BAD: readonly [endpoint: string, headers: string, names: string][] = [
  ["otlp.example", "", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["ftp://otlp.example", "", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["https://otlp.example/?key=hidden-value", "", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["https://user:hidden-value@otlp.example", "", "OTEL_EXPORTER_OTLP_HEADERS"],
  ["https://otlp.example", "hidden-value", "OTEL_EXPORTER_OTLP_HEADERS"],
  ["https://otlp.example", "a=%zz hidden-value", "OTEL_EXPORTER_OTLP_HEADERS"],
  ["https://otlp.example", "a=hidden-value%0Ab", "OTEL_EXPORTER_OTLP_HEADERS"],
];

for (const [endpoint, headers, names] of BAD) {
  Deno.test(`readTelemetrySettings() refuses ${endpoint} with ${JSON.stringify(headers)}, and shows no value`, () => {
    const error = assertThrows(() =>
      readFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers })
    ) as Error;
    assert(error.message.includes(names), error.message);
    assert(!error.message.includes("hidden-value"));
  });
}
