/** The official schema of OTLP, as the package opentelemetry-proto has it: it judges what is sent to collectors. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../../build/places.mjs';
import { run, succeed } from './process.ts';

const kept = inRoot('target', 'peers', 'opentelemetry-proto');

/** Null where it is there; downloads it once. */
export async function whyNoOtlpSchema(): Promise<string | null> {
  if (existsSync(kept)) return null;
  await mkdir(inRoot('target', 'peers'), { recursive: true });
  const folder = await mkdtemp(`${kept}-`);
  try {
    const tree = join(folder, 'tree');
    const install = ['-m', 'pip', 'install', '--quiet', '--target', tree, 'opentelemetry-proto'];
    const { code, stderr } = await run('python3', install, { timeoutMs: 120_000 });
    if (code !== 0) return `no opentelemetry-proto: pip says ${stderr.trim().split('\n').at(-1)}`;
    await rename(tree, kept);
    return null;
  } catch (error) {
    return existsSync(kept) ? null : `no opentelemetry-proto: ${(error as Error).message}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const judge = `
import json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest as Request
request = json_format.Parse(sys.argv[1], Request(), ignore_unknown_fields=False)
again = Request.FromString(request.SerializeToString())
print(json_format.MessageToJson(again))
`;

export interface OtlpMetric {
  name: string;
  unit: string;
  sum?: { isMonotonic: boolean; dataPoints: OtlpPoint[] };
  gauge?: { dataPoints: OtlpPoint[] };
  histogram?: { dataPoints: { count: string; bucketCounts: string[] }[] };
}

export interface OtlpPoint {
  asInt?: string;
  asDouble?: number;
  attributes?: { key: string; value: { stringValue: string } }[];
}

interface Decoded {
  resourceMetrics: {
    resource: { attributes: NonNullable<OtlpPoint['attributes']> };
    scopeMetrics: { metrics: OtlpMetric[] }[];
  }[];
}

/** A body in JSON, read by the schema, turned into octets and read again. Throws where a field or a type is not in the schema. */
export async function decodeOtlp(body: string): Promise<Decoded> {
  const options = { env: { PYTHONPATH: kept } };
  return JSON.parse(await succeed('python3', ['-c', judge, body], options)) as Decoded;
}
