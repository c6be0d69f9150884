/** Whether this machine's questions arrive here, and what goes past: told when asked, and as health issues after each taking. */
import { homedir } from 'node:os';
import type { Finding } from '../../../contract/finding.ts';
import { say } from '../../../contract/sentence.ts';
import type { SystemDnsStatus } from '../../../contract/system-dns.ts';
import { curable, ok, warn } from '../../doctor/finding.ts';
import type { EngineDriver } from '../../engine/engine-driver.ts';
import type { HealthRegistry } from '../../health/health-registry.ts';
import type { NetworkSnapshot } from '../../network/network-snapshot.ts';
import { nameservers, readText } from '../../network/system-resolvers.ts';
import { askSystemBus } from '../system-bus.ts';
import { findBrowsersPast } from './browsers.ts';
import { findContainersPast } from './containers.ts';
import { findWaysHere, lookUpAsPrograms } from './lead-here.ts';
import { systemFiles } from './read-files.ts';

export interface CoverageParts {
  engine: Pick<EngineDriver, 'expectProbe' | 'probeArrived' | 'probe' | 'status'>;
  systemDns(): SystemDnsStatus | null;
  snapshot(): NetworkSnapshot;
  /** the resolvers that are asked instead, "ip:port" each */
  own(): string[];
  health: Pick<HealthRegistry, 'replace'>;
}

export type Coverage = () => Promise<Finding[]>;

export function createCoverage(parts: CoverageParts): Coverage {
  return async () => {
    const status = parts.systemDns();
    if (status === null || !status.taken) {
      parts.health.replace('questions-go-past', new Map());
      return [notTaken(status, parts.own())];
    }
    const { listening } = parts.engine.status();
    const links = parts.snapshot().interfaces.filter(({ name }) => status.links.includes(name));
    const findings = [
      ok('coverage', say('dns-led-here', { mechanism: status.mechanism ?? '' })),
      ...(await findWaysHere({
        engine: parts.engine,
        lookUp: lookUpAsPrograms,
        bus: askSystemBus,
        resolvedLinks: status.mechanism === 'resolved' ? links : [],
        nameservers: nameservers(readText('/etc/resolv.conf')),
      })),
      ...findBrowsersPast(systemFiles, homedir()),
      ...findContainersPast(systemFiles, homedir(), listening),
    ];
    const past = findings.filter(({ verdict }) => verdict !== 'ok');
    parts.health.replace(
      'questions-go-past',
      new Map(past.map(({ subject, says }) => [subject, says.text])),
    );
    return findings;
  };
}

function notTaken(status: SystemDnsStatus | null, own: readonly string[]): Finding {
  const text =
    own.length === 0
      ? say('programs-ask-unknown')
      : say('programs-ask', { others: own.join(', ') });
  if (status === null) return warn('coverage', text, say('point-at-status'));
  if (status.trouble !== null) return warn('coverage', text, status.trouble.remedy);
  if (status.wanted) return warn('coverage', text, say('see-system-status'));
  return curable(warn('coverage', text, say('take-system')), 'system.take', {});
}
