/**
 * Metrics as the body of an OTLP request, in its JSON encoding (OpenTelemetry protocol 1.x, ExportMetricsServiceRequest). Pure.
 * Integers of 64 bits are texts there, as in every JSON of Protocol Buffers.
 */
import { countOf, type Labels, type Metric } from './metric.ts';

interface Origin {
  version: string;
  /** stands for this machine; empty: it has none */
  instance: string;
  /** unix milliseconds */
  startedAt: number;
  now: number;
}

/** All counts go on from the start of the service. */
const cumulative = 2;
const units = { seconds: 's', bytes: 'By' } as const;

export function otlpRequest(metrics: readonly Metric[], origin: Origin): object {
  const { version, instance } = origin;
  const resource = {
    'service.name': 'sotto',
    'service.version': version,
    ...(instance === '' ? {} : { 'service.instance.id': instance }),
  };
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeMetrics: [
          {
            scope: { name: 'sotto', version },
            metrics: metrics.map((metric) => metricOf(metric, origin)),
          },
        ],
      },
    ],
  };
}

function metricOf(metric: Metric, { startedAt, now }: Origin): object {
  const { name, help, unit } = metric;
  const times = { startTimeUnixNano: nanoseconds(startedAt), timeUnixNano: nanoseconds(now) };
  const named = {
    name: metric.type === 'info' ? `${name}_info` : name,
    description: help,
    unit: unit === undefined ? '1' : units[unit],
  };
  const point = (labels: Labels, value: number) => ({
    ...times,
    attributes: attributesOf(labels),
    ...(Number.isSafeInteger(value) ? { asInt: String(value) } : { asDouble: value }),
  });
  switch (metric.type) {
    case 'counter': {
      const dataPoints = metric.samples.map(({ labels, value }) => point(labels, value));
      return {
        ...named,
        sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true },
      };
    }
    case 'gauge':
      return {
        ...named,
        gauge: { dataPoints: metric.samples.map(({ labels, value }) => point(labels, value)) },
      };
    case 'info':
      return { ...named, gauge: { dataPoints: metric.samples.map((labels) => point(labels, 1)) } };
    case 'histogram': {
      const { bounds, counts, sum } = metric.distribution;
      const counted = {
        count: String(countOf(metric.distribution)),
        sum,
        bucketCounts: counts.map(String),
        explicitBounds: bounds,
      };
      return {
        ...named,
        histogram: {
          dataPoints: [{ ...times, ...counted }],
          aggregationTemporality: cumulative,
        },
      };
    }
  }
}

function attributesOf(labels: Labels): object[] {
  return Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** More digits than a number has. */
function nanoseconds(unixMilliseconds: number): string {
  return String(BigInt(Math.round(unixMilliseconds)) * 1_000_000n);
}
