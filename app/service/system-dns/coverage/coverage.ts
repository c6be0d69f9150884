/**
 * Whether this machine's queries arrive here, and what goes past us: reported on request, and as health issues after each time
 * that the system's DNS was taken.
 */
import { homedir } from 'node:os';
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { SystemDnsStatus } from '../../../contract/system/system-dns.ts';
import { curable, ok, warn } from '../../doctor/finding.ts';
import type { EngineDriver } from '../../engine/engine-driver.ts';
import type { HealthRegistry } from '../../health/health-registry.ts';
import type { NetworkSnapshot } from '../../network/network-snapshot.ts';
import { nameservers, readText } from '../../network/system-resolvers.ts';
import type { CoverageSeen } from '../../status/verdict.ts';
import type { AskBus } from '../system-bus.ts';
import { findBrowsersPast } from './browsers.ts';
import { findContainersPast } from './containers.ts';
import { seenBy } from './goes-around.ts';
import { findWaysHere, lookUpAsPrograms } from './lead-here.ts';
import { systemFiles } from './read-files.ts';

export interface CoverageParts {
  engine: Pick<EngineDriver, 'expectProbe' | 'probeArrived' | 'probe' | 'status'>;
  bus: AskBus;
  systemDns(): SystemDnsStatus | null;
  snapshot(): NetworkSnapshot;
  /** the resolvers that get those queries instead, "ip:port" each */
  own(): string[];
  health: Pick<HealthRegistry, 'replace'>;
  now(): number;
  onChange(): void;
}

export interface Coverage {
  look(): Promise<Finding[]>;
  /** What the newest look found; null: there was none since the system's DNS was led here. */
  seen(): CoverageSeen | null;
  /** The system's DNS is led here again, so earlier findings no longer count. */
  ledHere(): Promise<void>;
  /** To be called every second: it looks again after a while, and sooner where a person may be closing a coverage gap. */
  tick(): void;
}

const againMs = { clean: 600_000, past: 60_000 };

export function createCoverage(parts: CoverageParts, onBug: (error: unknown) => void): Coverage {
  let seen: CoverageSeen | null = null;
  let newest = 0;
  let lookAt = Number.POSITIVE_INFINITY;

  async function look(): Promise<Finding[]> {
    newest += 1;
    const turn = newest;
    lookAt = parts.now() + againMs.past;
    const status = parts.systemDns();
    const findings = status?.taken ? await findAll(status, parts) : [notTaken(status, parts.own())];
    // A later look has newer findings, whichever ends first.
    if (turn === newest) note(findings, status?.taken === true);
    return findings;
  }

  function note(findings: readonly Finding[], taken: boolean): void {
    seen = taken ? seenBy(findings) : null;
    const past = taken ? findings.filter(({ verdict }) => verdict !== 'ok') : [];
    if (taken && past.length === 0) lookAt = parts.now() + againMs.clean;
    parts.health.replace(
      'coverage-gaps',
      new Map(past.map(({ subject, says }) => [subject, says.text])),
    );
    parts.onChange();
  }

  return {
    look,
    seen: () => seen,
    async ledHere() {
      seen = null;
      await look();
    },
    tick() {
      if (parts.now() >= lookAt) look().catch(onBug);
    },
  };
}

async function findAll(status: SystemDnsStatus, parts: CoverageParts): Promise<Finding[]> {
  const { listening } = parts.engine.status();
  const links = parts.snapshot().interfaces.filter(({ name }) => status.links.includes(name));
  return [
    ok('coverage', say('dns-led-here', { mechanism: status.mechanism ?? '' })),
    ...(await findWaysHere({
      engine: parts.engine,
      lookUp: lookUpAsPrograms,
      bus: parts.bus,
      resolvedLinks: status.mechanism === 'resolved' ? links : [],
      nameservers: nameservers(readText('/etc/resolv.conf')),
    })),
    ...findBrowsersPast(systemFiles, homedir()),
    ...findContainersPast(systemFiles, homedir(), listening),
  ];
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
