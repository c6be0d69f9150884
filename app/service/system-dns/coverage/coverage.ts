/**
 * Whether this machine's queries arrive here, and what goes past us: reported on request, as health issues after each time that
 * the system's DNS was taken, and as the coverage map.
 */
import { homedir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { GoesAround } from '../../../contract/protection/verdict.ts';
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { CoverageMap } from '../../../contract/system/coverage.ts';
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
import type { Counting } from './counting.ts';
import { findFlatpaksPast } from './flatpak.ts';
import { aroundNow, seenBy, together } from './goes-around.ts';
import { findWaysHere, lookUpAsPrograms } from './lead-here.ts';
import { findClaims } from './links-claiming.ts';
import { rowOfConnection, rowOfFinding, rowOfTally, type Viewer } from './map-rows.ts';
import { systemFiles } from './read-files.ts';
import { findVirtualNetworksPast } from './virtual-networks.ts';

export interface CoverageParts {
  engine: Pick<EngineDriver, 'expectProbe' | 'probeArrived' | 'probe' | 'status'>;
  bus: AskBus;
  counting: Counting;
  /** this service runs as the person whose browsers it looks at */
  ownPerson: boolean;
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
  map(viewer: Viewer): Promise<CoverageMap>;
  /** Something was counted. */
  counted(): void;
  /** What the newest look found, and what is counted; null: there was no look since the system's DNS was led here. */
  seen(): CoverageSeen | null;
  /** The system's DNS is led here again, so earlier findings no longer count. */
  ledHere(): Promise<void>;
  /** To be called every second: it looks again after a while, and sooner where a person may be closing a coverage gap. */
  tick(): void;
  /** Resolves when counting has ended, where it is to end. */
  end(): Promise<void>;
}

const againMs = { clean: 600_000, past: 60_000 };

export function createCoverage(parts: CoverageParts, onBug: (error: unknown) => void): Coverage {
  let seen: CoverageSeen | null = null;
  let past: FoundPast[] = [];
  let around: GoesAround[] = [];
  const { counting } = parts;
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
    const found = taken ? findings.filter(({ verdict }) => verdict !== 'ok') : [];
    past = foundPast(found, past, parts.now());
    if (taken && found.length === 0) lookAt = parts.now() + againMs.clean;
    parts.health.replace(
      'coverage-gaps',
      new Map(found.map(({ subject, says }) => [subject, says.text])),
    );
    parts.onChange();
  }

  return {
    look,
    seen: () => seen && { ...seen, around: together([...around, ...seen.around]) },
    counted() {
      const now = parts.now();
      const before = around;
      around = aroundNow(counting.tallies(), counting.connections(), now);
      if (!isDeepStrictEqual(around, before)) parts.onChange();
    },
    async map(viewer) {
      await counting.read();
      const now = parts.now();
      const rows = [
        ...counting.tallies().map((tally) => rowOfTally(tally, now, viewer)),
        ...counting.connections().map((connection) => rowOfConnection(connection, viewer)),
        ...past.map(({ finding, since, newest }) => rowOfFinding(finding, since, newest)),
        ...findClaims(parts.snapshot(), parts.systemDns()).map((claim) => ({
          ...rowOfFinding(claim, null, now),
          weighs: false,
        })),
      ];
      const uncounted = counting.unavailable();
      return {
        at: now,
        countsSince: counting.since(),
        uncounted,
        rows,
        limits: [
          ...(uncounted === null ? [] : [say('limit-uncounted', { why: uncounted })]),
          say('limit-https'),
          say('limit-raw'),
          ...(parts.ownPerson ? [] : [say('limit-profiles')]),
        ],
      };
    },
    async ledHere() {
      seen = null;
      await look();
    },
    tick() {
      counting.tick();
      if (parts.now() >= lookAt) look().catch(onBug);
    },
    end: counting.settled,
  };
}

interface FoundPast {
  finding: Finding;
  /** unix milliseconds */
  since: number;
  newest: number;
}

function foundPast(
  findings: readonly Finding[],
  before: readonly FoundPast[],
  now: number,
): FoundPast[] {
  return findings.map((finding) => {
    const known = before.find(
      (one) => one.finding.subject === finding.subject && one.finding.text === finding.text,
    );
    return { finding, since: known?.since ?? now, newest: now };
  });
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
    ...findFlatpaksPast(systemFiles, homedir(), status.mechanism),
    ...findVirtualNetworksPast(systemFiles),
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
