/** Counters and histograms behind the interface of OpenTelemetry, summed up until they are collected. */

import { type Attributes, createNoopMeter, type Meter, type MetricOptions } from "@opentelemetry/api";

/** What was counted under one set of attributes since the last collection. */
export type Point =
  & { readonly attributes: Attributes }
  & ({ readonly count: number } | {
    readonly count: number;
    readonly sum: number;
    /** One more than there are bounds: the last counts what is above all of them. */
    readonly buckets: readonly number[];
  });

/** One instrument with what it has counted. */
export interface Metric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** Null of a counter. */
  readonly bounds: readonly number[] | null;
  readonly points: readonly Point[];
}

/** Seconds. Source: the semantic conventions of OpenTelemetry for durations over HTTP. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];

/** The most sets of attributes of one instrument between two collections; what is beyond is not counted. */
const MAX_POINTS = 1_000;

/** A meter, and what takes what it has counted; instruments of other kinds count nothing. */
export function createMeter(): { meter: Meter; collect: () => Metric[] } {
  const instruments: (() => Metric | null)[] = [];

  function instrument(name: string, options: MetricOptions | undefined, bounds: readonly number[] | null) {
    let points = new Map<string, { attributes: Attributes; count: number; sum: number; buckets: number[] }>();
    instruments.push(() => {
      if (points.size === 0) return null;
      const { description = "", unit = "" } = options ?? {};
      const taken = [...points.values()].map(({ attributes, count, sum, buckets }) =>
        bounds === null ? { attributes, count } : { attributes, count, sum, buckets }
      );
      points = new Map();
      return { name, description, unit, bounds, points: taken };
    });
    return (value: number, attributes: Attributes = {}) => {
      const key = JSON.stringify(attributes);
      let point = points.get(key);
      if (point === undefined) {
        if (points.size === MAX_POINTS) return;
        point = {
          attributes,
          count: 0,
          sum: 0,
          buckets: Array(bounds === null ? 0 : bounds.length + 1).fill(0),
        };
        points.set(key, point);
      }
      if (bounds === null) {
        point.count += value;
        return;
      }
      const above = bounds.findIndex((bound) => value <= bound);
      point.buckets[above === -1 ? bounds.length : above]! += 1;
      point.count += 1;
      point.sum += value;
    };
  }

  const meter = Object.assign(createNoopMeter(), {
    createCounter: ((name, options) => ({ add: instrument(name, options, null) })) as Meter["createCounter"],
    createHistogram: ((name, options) => ({
      record: instrument(name, options, options?.advice?.explicitBucketBoundaries ?? SECONDS),
    })) as Meter["createHistogram"],
  });
  return { meter, collect: () => instruments.map((take) => take()).filter((metric) => metric !== null) };
}
