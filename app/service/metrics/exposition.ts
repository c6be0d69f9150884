/**
 * Metrics as text: OpenMetrics 1.0, or the older format of Prometheus for readers that do not ask for it. The two differ in the
 * names of counters, in info metrics and in the last line. Pure.
 */
import { countOf, type Distribution, type Labels, type Metric } from './metric.ts';

export type TextFormat = 'openmetrics' | 'prometheus';

export const contentTypes: Record<TextFormat, string> = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
};

export function writeMetrics(metrics: readonly Metric[], format: TextFormat): string {
  const lines = metrics.flatMap((metric) => [...headOf(metric, format), ...samplesOf(metric)]);
  return [...lines, ...(format === 'openmetrics' ? ['# EOF', ''] : [''])].join('\n');
}

/** With its unit, and without the suffix of its type. */
export function familyOf({ name, unit }: Metric): string {
  return unit === undefined ? name : `${name}_${unit}`;
}

function headOf(metric: Metric, format: TextFormat): string[] {
  const family = familyOf(metric);
  const { type, unit, help } = metric;
  if (format === 'openmetrics')
    return [
      `# TYPE ${family} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${family} ${unit}`]),
      `# HELP ${family} ${escaped(help)}`,
    ];
  const name = `${family}${suffixes[type]}`;
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type === 'info' ? 'gauge' : type}`];
}

const suffixes = { counter: '_total', gauge: '', info: '_info', histogram: '' } as const;

function samplesOf(metric: Metric): string[] {
  const name = `${familyOf(metric)}${suffixes[metric.type]}`;
  switch (metric.type) {
    case 'histogram':
      return bucketsOf(name, metric.distribution);
    case 'info':
      return metric.samples.map((labels) => line(name, labels, 1));
    default:
      return metric.samples.map(({ labels, value }) => line(name, labels, value));
  }
}

/** Each bucket counts what is in the smaller ones, too. */
function bucketsOf(name: string, distribution: Distribution): string[] {
  let within = 0;
  const buckets = distribution.counts.map((count, index) => {
    within += count;
    const bound = distribution.bounds[index];
    return line(`${name}_bucket`, { le: bound === undefined ? '+Inf' : written(bound) }, within);
  });
  return [
    ...buckets,
    line(`${name}_sum`, {}, distribution.sum),
    line(`${name}_count`, {}, countOf(distribution)),
  ];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${written(value)}`;
}

/** OpenMetrics wants bounds written as floats ("1.0"); of others it takes either. */
function written(value: number): string {
  return Number.isInteger(value) ? `${value}${value < 1e15 ? '.0' : ''}` : String(value);
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
