/** A profile as the file of another program, or why not. Pure. */
import type { Finding } from '../finding.ts';
import { apple, writeApple } from './apple.ts';
import { dnscryptProxy, writeDnscryptProxy } from './dnscrypt-proxy.ts';
import type { ExportSource } from './export-source.ts';
import type { HttpsAddress } from './https-address.ts';
import { networkManager, writeNetworkManager } from './network-manager.ts';
import { type Plan, type PlanOptions, type Program, planExport } from './plan.ts';
import { stubby, writeStubby } from './stubby.ts';
import { systemdResolved, writeSystemdResolved } from './systemd-resolved.ts';
import { unbound, writeUnbound } from './unbound.ts';

interface Format {
  program: Program;
  /** whether it reaches upstreams by HTTPS: it may, it must, or it can't */
  https: 'may' | 'must' | 'never';
  write(source: ExportSource, plan: Plan, https: HttpsAddress | null): string;
}

const formats = {
  mobileconfig: { program: apple, https: 'may', write: writeApple },
  'systemd-resolved': { program: systemdResolved, https: 'never', write: writeSystemdResolved },
  networkmanager: { program: networkManager, https: 'never', write: writeNetworkManager },
  stubby: { program: stubby, https: 'never', write: writeStubby },
  'dnscrypt-proxy': {
    program: dnscryptProxy,
    https: 'must',
    write: (source, plan, https) => (https === null ? '' : writeDnscryptProxy(source, plan, https)),
  },
  unbound: { program: unbound, https: 'never', write: writeUnbound },
} satisfies Record<string, Format>;

export type ExportFormat = keyof typeof formats;
export const exportFormats = Object.keys(formats) as ExportFormat[];

/** What each format's program can do. */
export function programOf(format: ExportFormat): Program {
  return formats[format].program;
}

export interface ExportOptions extends Omit<PlanOptions, 'host'> {
  /** of the upstream whose name is its host */
  https: HttpsAddress | null;
}

/** Without `text`, `reason` says why there is none. */
export interface Exported {
  text: string | null;
  reason: string;
  findings: readonly Finding[];
}

export function exportProfile(
  source: ExportSource,
  format: ExportFormat,
  { https, ...options }: ExportOptions,
): Exported {
  const { program, https: byHttps, write } = formats[format] as Format;
  const misplaced = whyNotHttps(program, byHttps, https);
  if (misplaced !== null) return { text: null, reason: misplaced, findings: [] };
  const plan = planExport(source, program, { ...options, host: https?.host ?? null });
  const { findings } = plan;
  if (!plan.upstreams.some(({ group }) => group === ''))
    return { text: null, reason: whyNone(program, https), findings };
  const refused = findings.filter(({ needs }) => needs !== null && !options.allowed.has(needs));
  const words = [...new Set(refused.map(({ needs }) => needs))].join(',');
  if (refused.length > 0)
    return {
      text: null,
      reason: `the file would protect less; if you accept that: --allow ${words}`,
      findings,
    };
  return { text: write(source, plan, https), reason: '', findings };
}

function whyNotHttps(
  { name }: Program,
  byHttps: Format['https'],
  https: HttpsAddress | null,
): string | null {
  if (https !== null && byHttps === 'never')
    return `${name} is given no address by HTTPS, so leave out --doh`;
  return https === null && byHttps === 'must'
    ? `${name} speaks no DNS over TLS: give the address of an upstream by HTTPS with --doh`
    : null;
}

function whyNone({ name }: Program, https: HttpsAddress | null): string {
  return https === null
    ? `no upstream is left that ${name} could reach as safely as Sotto does`
    : `no upstream that ${name} could use has the name ${https.host}`;
}
