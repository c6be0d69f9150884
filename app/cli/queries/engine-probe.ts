/** The only use of the engine by the command line: a query to a server, without a service in between. */
import { type DnsMessage, dnsMessage } from '../../contract/dns/dns-message.ts';
import {
  type ProbeReport,
  type ProbeStep,
  probeReport,
  probeStep,
} from '../../contract/probing/probe-report.ts';
// biome-ignore lint/style/noRestrictedImports: `query --at` works where no service runs, so it loads the addon itself.
import { type EngineAddon, loadEngineAddon } from '../../service/engine/engine-addon.ts';
// biome-ignore lint/style/noRestrictedImports: as above.
import type { ProbedServer } from '../../service/engine/engine-driver.ts';
// biome-ignore lint/style/noRestrictedImports: one reader of PEM files for settings and command line.
import { readCertificates } from '../../service/settings/certificate-file.ts';
import { badUsage, CommandFailed, unwrap } from '../failure.ts';

export { loadEngineAddon };

export interface ProbeTrust {
  pins: string[];
  /** absent: none */
  certificatePins?: string[];
  ca: string | null;
  starttls: 'draft' | 'compat';
  /** absent: where server and path take it */
  postQuantum?: ProbedServer['postQuantum'];
}

export interface Probed {
  report: ProbeReport;
  /** null when no response came */
  response: DnsMessage | null;
}

export async function probeServer(
  query: { name: string; type: string },
  server: Omit<ProbedServer, 'timeoutMs'>,
  trust: ProbeTrust,
  timeoutMs: number,
  onStep: (step: ProbeStep) => void,
): Promise<Probed> {
  const addon = unwrap(loadEngineAddon());
  const request = {
    ...server,
    ...trust,
    query: encodeQuery(addon, query).toString('base64'),
    timeoutMs,
  };
  const report = await addon
    .probe(JSON.stringify(request), (step) => onStep(probeStep.parse(JSON.parse(step))))
    .catch((error: unknown) => {
      throw refusal(error);
    });
  const parsed = probeReport.parse(JSON.parse(report));
  return {
    report: parsed,
    response: parsed.response === null ? null : decodeResponse(addon, parsed.response),
  };
}

export function readCa(file: string): string {
  const read = readCertificates(file);
  if ('pem' in read) return read.pem;
  throw badUsage(read.reason, 'give --ca a PEM file with the certificate of the authority');
}

function encodeQuery(addon: EngineAddon, { name, type }: { name: string; type: string }): Buffer {
  try {
    return addon.encodeQuery(name, type);
  } catch (error) {
    throw new CommandFailed({
      code: 'bad-query',
      message: error instanceof Error ? error.message : String(error),
      remedy: 'check the name and the type; unknown types are written TYPE65280',
    });
  }
}

function decodeResponse(addon: EngineAddon, response: string): DnsMessage | null {
  const parsed = dnsMessage.safeParse(JSON.parse(addon.describe(Buffer.from(response, 'base64'))));
  return parsed.success ? parsed.data : null;
}

/** The engine refuses with JSON {code, path, message, remedy}. */
function refusal(error: unknown): CommandFailed {
  const text = error instanceof Error ? error.message : String(error);
  let told: { message?: unknown; remedy?: unknown; path?: unknown } = {};
  try {
    told = JSON.parse(text) as typeof told;
  } catch {
    told = { message: text };
  }
  const path = typeof told.path === 'string' && told.path !== '' ? `${told.path}: ` : '';
  return new CommandFailed({
    code: 'params-invalid',
    message: `${path}${String(told.message ?? text)}`,
    remedy: String(told.remedy ?? 'check the address and the options after --at'),
  });
}
