import { expect, test } from 'vitest';
import { writeMetrics } from './exposition.ts';
import type { Metric } from './metric.ts';
import { otlpRequest } from './otlp.ts';

const metrics: Metric[] = [
  {
    type: 'counter',
    name: 'sotto_queries',
    help: 'Queries by outcome.',
    samples: [{ labels: { outcome: 'cached' }, value: 3 }],
  },
  {
    type: 'gauge',
    name: 'sotto_start_time',
    unit: 'seconds',
    help: 'When the service started.',
    samples: [{ labels: {}, value: 1_767_225_600.25 }],
  },
  {
    type: 'info',
    name: 'sotto_build',
    help: 'The Sotto that runs.',
    samples: [{ version: '1.0 "a\\b"\n' }],
  },
  {
    type: 'histogram',
    name: 'sotto_query_duration',
    unit: 'seconds',
    help: 'Time.',
    distribution: { bounds: [0.5, 1], counts: [2, 0, 1], sum: 3.5 },
  },
];

test('OpenMetrics: counters have their suffix in the samples alone, units are told, and the end is marked', () => {
  expect(writeMetrics(metrics, 'openmetrics')).toBe(String.raw`# TYPE sotto_queries counter
# HELP sotto_queries Queries by outcome.
sotto_queries_total{outcome="cached"} 3.0
# TYPE sotto_start_time_seconds gauge
# UNIT sotto_start_time_seconds seconds
# HELP sotto_start_time_seconds When the service started.
sotto_start_time_seconds 1767225600.25
# TYPE sotto_build info
# HELP sotto_build The Sotto that runs.
sotto_build_info{version="1.0 \"a\\b\"\n"} 1.0
# TYPE sotto_query_duration_seconds histogram
# UNIT sotto_query_duration_seconds seconds
# HELP sotto_query_duration_seconds Time.
sotto_query_duration_seconds_bucket{le="0.5"} 2.0
sotto_query_duration_seconds_bucket{le="1.0"} 2.0
sotto_query_duration_seconds_bucket{le="+Inf"} 3.0
sotto_query_duration_seconds_sum 3.5
sotto_query_duration_seconds_count 3.0
# EOF
`);
});

test('the older format: whole names, and no type that it does not know', () => {
  const lines = writeMetrics(metrics, 'prometheus').split('\n');
  expect(lines).toContain('# TYPE sotto_queries_total counter');
  expect(lines).toContain('# TYPE sotto_build_info gauge');
  expect(lines.filter((line) => /^# (?:UNIT|EOF)/.test(line))).toEqual([]);
});

test('OTLP: integers are texts, buckets count alone, and counts go on from the start', () => {
  const origin = { version: '1.0', instance: 'a1', startedAt: 1_000, now: 2_000 };
  const times = { startTimeUnixNano: '1000000000', timeUnixNano: '2000000000' };
  expect(otlpRequest(metrics, origin)).toMatchObject({
    resourceMetrics: [
      {
        resource: {
          attributes: expect.arrayContaining([
            { key: 'service.instance.id', value: { stringValue: 'a1' } },
          ]),
        },
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'sotto_queries',
                sum: {
                  isMonotonic: true,
                  aggregationTemporality: 2,
                  dataPoints: [{ ...times, asInt: '3' }],
                },
              },
              {
                name: 'sotto_start_time',
                unit: 's',
                gauge: { dataPoints: [{ asDouble: 1_767_225_600.25 }] },
              },
              { name: 'sotto_build_info', gauge: { dataPoints: [{ asInt: '1' }] } },
              {
                name: 'sotto_query_duration',
                histogram: {
                  dataPoints: [
                    {
                      count: '3',
                      sum: 3.5,
                      bucketCounts: ['2', '0', '1'],
                      explicitBounds: [0.5, 1],
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
});
