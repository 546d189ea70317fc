import { assertEquals } from "@std/assert";
import { createMeter } from "./metrics.ts";
import { metricsBody } from "./otlp.ts";

Deno.test("createMeter() counts under each set of attributes what came since it was last collected", () => {
  const { meter, collect } = createMeter();
  const calls = meter.createCounter("calls", { description: "Calls.", unit: "{call}" });
  calls.add(1, { outcome: "ok" });
  calls.add(2, { outcome: "ok" });
  calls.add(1, { outcome: "internal" });
  assertEquals(collect(), [{
    name: "calls",
    description: "Calls.",
    unit: "{call}",
    bounds: null,
    points: [{ attributes: { outcome: "ok" }, count: 3 }, { attributes: { outcome: "internal" }, count: 1 }],
  }]);
  assertEquals(collect(), []);
});

Deno.test("createMeter() puts a value into the first bucket whose bound it does not exceed", () => {
  const { meter, collect } = createMeter();
  const took = meter.createHistogram("took", { advice: { explicitBucketBoundaries: [1, 2] } });
  for (const value of [0.5, 1, 1.5, 2, 2.5, 100]) took.record(value);
  assertEquals(collect()[0]!.points, [{ attributes: {}, count: 6, sum: 107.5, buckets: [2, 2, 2] }]);
});

Deno.test("createMeter() holds no more sets of attributes than fit, and does not break on other instruments", () => {
  const { meter, collect } = createMeter();
  const counter = meter.createCounter("counter");
  for (let i = 0; i < 1_500; i++) counter.add(1, { i });
  counter.add(1, { i: 0 });
  meter.createGauge("gauge").record(1);
  const [only, ...more] = collect();
  assertEquals([only!.points.length, only!.points[0]!.count, more.length], [1_000, 2, 0]);
});

Deno.test("metricsBody() says it as the protocol has it", () => {
  const { meter, collect } = createMeter();
  meter.createCounter("calls").add(3, {
    outcome: "ok",
    status: 200,
    live: true,
    share: 0.5,
    none: undefined,
  });
  meter.createHistogram("took", { unit: "s", advice: { explicitBucketBoundaries: [1] } }).record(0.25);
  const body = metricsBody(collect(), {
    origin: { serviceName: "tools", scopeName: "framed-tools" },
    from: 1_700_000_000_000.25,
    to: 1_700_000_001_000,
  });
  const times = { startTimeUnixNano: "1700000000000250000", timeUnixNano: "1700000001000000000" };
  assertEquals(body, {
    resourceMetrics: [{
      resource: { attributes: [{ key: "service.name", value: { stringValue: "tools" } }] },
      scopeMetrics: [{
        scope: { name: "framed-tools" },
        metrics: [
          {
            name: "calls",
            description: "",
            unit: "",
            sum: {
              dataPoints: [{
                ...times,
                attributes: [
                  { key: "outcome", value: { stringValue: "ok" } },
                  { key: "status", value: { intValue: "200" } },
                  { key: "live", value: { boolValue: true } },
                  { key: "share", value: { doubleValue: 0.5 } },
                ],
                asInt: "3",
              }],
              aggregationTemporality: 1,
              isMonotonic: true,
            },
          },
          {
            name: "took",
            description: "",
            unit: "s",
            histogram: {
              dataPoints: [{
                ...times,
                attributes: [],
                count: "1",
                sum: 0.25,
                bucketCounts: ["1", "0"],
                explicitBounds: [1],
              }],
              aggregationTemporality: 1,
            },
          },
        ],
      }],
    }],
  });
});
