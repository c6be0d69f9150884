/**
 * The addon's interface without its engine, for tests of the control plane. It keeps what it was given, and returns what a test
 * sets.
 */

import type { CacheEntry } from '../../contract/status/cache-entry.ts';
import { someSnapshot } from '../network/fake-network-watch.ts';
import type {
  AuditReport,
  DowngradeEvidence,
  EngineConfig,
  EngineStatus,
  EngineUpstreamStatus,
  ProbeReport,
  Simulated,
  SupposedQueries,
} from './boundary.ts';
import type { Engine, EngineAddon } from './engine-addon.ts';
import { neverUsed } from './never-used.ts';

export interface FakeEngine extends EngineAddon {
  /** every configuration applied, the last one in force */
  applied: EngineConfig[];
  /** packets sent in cleartext, by ledger entry */
  sent: Map<number, number>;
  /** overrides of the upstreams' status, by id */
  upstreams: Map<string, Partial<EngineUpstreamStatus>>;
  events: EngineStatus['events'];
  looping: string[];
  holding: number;
  downgradeEvidence: DowngradeEvidence[];
  rungs: EngineStatus['rungs'];
  /** ledger entries whose lease the engine's own clock has ended */
  ended: Set<number>;
  /** counts that were reported as on disk, by ledger entry */
  counted: Map<number, number>;
  reconnects: number;
  /** "NAME TYPE" each */
  askedNetwork: string[];
  captivitiesForgotten: number;
  evidenceForgotten: number;
  audit: AuditReport | null;
  auditsForgotten: number;
  /** tickets in stock, by upstream */
  tickets: Map<string, number>;
  cached: CacheEntry[];
  /** names expected, and whether one has come in */
  probes: string[];
  arrives(name: string): boolean;
  /** the record that every query leaves */
  event: Buffer;
  /** called before a configuration is accepted; throwing refuses it */
  onApply(config: EngineConfig): void;
  /** called when an upstream is tested; rejects unless a test sets the report */
  onTest(id: string): Promise<ProbeReport>;
  /** returns the explanation of a query, "NAME TYPE" */
  onExplain(query: string): object | null;
  onAskUpstream(id: string): Promise<object | null>;
  /** returns what is known of queries, "NAME TYPE" each, under a configuration that is not in force; throwing refuses it */
  onSuppose(config: EngineConfig, queries: readonly string[]): Simulated;
  change(): void;
  deliver(batch: Buffer): void;
  stopped: boolean;
}

export function fakeEngine(): FakeEngine {
  let listener = { onEvents: (_batch: Buffer) => {}, onChange: () => {} };

  class FakeOne implements Engine {
    constructor(onEvents: (batch: Buffer) => void, onChange: () => void) {
      listener = { onEvents, onChange };
    }
    async apply(text: string) {
      const config = JSON.parse(text) as EngineConfig;
      fake.onApply(config);
      fake.applied.push(config);
    }
    status() {
      return JSON.stringify(statusOf(fake));
    }
    counted(counts: { entry: number; count: number }[]) {
      for (const { entry, count } of counts) fake.counted.set(entry, count);
    }
    async ask() {
      return { response: Buffer.from('response'), event: fake.event };
    }
    async tryOut() {
      return { response: Buffer.from('response'), event: fake.event };
    }
    async audit() {
      return fake.audit === null ? null : JSON.stringify(fake.audit);
    }
    async markEvents() {
      listener.onEvents(Buffer.alloc(0));
    }
    forgetAudit() {
      fake.auditsForgotten++;
    }
    flushCache(filter?: string) {
      const { name, suffix } = JSON.parse(filter ?? '{}') as { name?: string; suffix?: string };
      const stays = fake.cached.filter(
        (entry) =>
          (name !== undefined && entry.name !== name) ||
          (suffix !== undefined && !`.${entry.name}`.endsWith(`.${suffix}`)),
      );
      const removed = fake.cached.length - stays.length;
      fake.cached = stays;
      return removed;
    }
    showCache(name: string) {
      if (name.includes('..')) throw new Error('a label is empty');
      return JSON.stringify(fake.cached.filter((entry) => entry.name === name));
    }
    expectProbe() {
      const name = `sotto-probe-${fake.probes.length}.test.`;
      fake.probes.push(name);
      return name;
    }
    probeArrived(name: string) {
      return fake.arrives(name);
    }
    explain(query: Buffer) {
      return JSON.stringify(fake.onExplain(query.toString()));
    }
    async askUpstream(id: string) {
      return JSON.stringify(await fake.onAskUpstream(id));
    }
    async suppose(text: string) {
      const config = JSON.parse(text) as EngineConfig;
      const asked: string[] = [];
      fake.onSuppose(config, asked);
      return {
        async add(queries: string) {
          const { queries: added } = JSON.parse(queries) as SupposedQueries;
          for (const [name, type] of added) asked.push(`${name} ${type}`);
        },
        result: () => JSON.stringify(fake.onSuppose(config, asked)),
        end: () => {},
      };
    }
    async askNetwork(query: Buffer) {
      fake.askedNetwork.push(query.toString());
      return Buffer.from('response');
    }
    forgetCaptivity() {
      fake.captivitiesForgotten++;
    }
    async testUpstream(id: string): Promise<string> {
      return JSON.stringify(await fake.onTest(id));
    }
    forgetUpstream(id: string | undefined | null, withEvidence: boolean) {
      if (withEvidence) fake.evidenceForgotten++;
      const meant = [...fake.tickets].filter(([upstream]) => id === undefined || upstream === id);
      for (const [upstream] of meant) fake.tickets.delete(upstream);
      return meant.reduce((sum, [, count]) => sum + count, 0);
    }
    reconnect() {
      fake.reconnects++;
    }
    async stop() {
      fake.stopped = true;
    }
  }

  /** One network, which is never left. */
  class FakeWatch {
    current() {
      const { interfaces, defaultRoutes, networkChanges } = someSnapshot();
      return JSON.stringify({ interfaces, defaultRoutes, networkChanges });
    }
    warn() {}
    close() {}
  }

  const fake: FakeEngine = {
    applied: [],
    sent: new Map(),
    upstreams: new Map(),
    events: { delivered: 0, dropped: 0 },
    looping: [],
    holding: 0,
    downgradeEvidence: [],
    rungs: [],
    ended: new Set(),
    counted: new Map(),
    reconnects: 0,
    askedNetwork: [],
    captivitiesForgotten: 0,
    evidenceForgotten: 0,
    audit: null,
    auditsForgotten: 0,
    tickets: new Map(),
    cached: [],
    probes: [],
    arrives: () => false,
    event: Buffer.alloc(0),
    stopped: false,
    onApply: () => {},
    onTest: (id) => Promise.reject(new Error(`no upstream ${id}`)),
    onExplain: () => null,
    onAskUpstream: () => Promise.resolve(null),
    onSuppose: (_config, { length }) => ({
      queries: length,
      unresolved: 0,
      decisions: [],
      pairs: [],
      untried: [],
    }),
    change: () => listener.onChange(),
    deliver: (batch) => listener.onEvents(batch),
    Engine: FakeOne,
    NetworkWatch: FakeWatch,
    joinBus: () => Promise.reject(new Error('the fake engine knows no bus')),
    probe: () => Promise.reject(new Error('the fake engine probes nothing')),
    encodeQuery(name, type) {
      if (name.includes('..')) throw new Error('a label is empty');
      return Buffer.from(`${name} ${type}`);
    },
    describe: () =>
      JSON.stringify({
        id: 1,
        rcode: 'NOERROR',
        flags: ['qr'],
        question: null,
        answer: [],
        authority: [],
        additional: [],
        edns: null,
      }),
  };
  return fake;
}

function statusOf(fake: FakeEngine): EngineStatus {
  const { applied, sent, upstreams, events, looping, cached, ended } = fake;
  const config = applied.at(-1);
  const mode = config?.mode ?? 'private';
  return {
    listening: config?.listen ?? [],
    elsewhere: [],
    mode: mode === 'private' ? 'private' : (mode.direct.class as 'off' | 'paused'),
    upstreams: (config?.upstreams ?? []).map(({ id, transport, group = '' }) => ({
      ...idleUpstream,
      id,
      transport,
      group,
      ...upstreams.get(id),
    })),
    outcomes: {},
    clear: applied
      .slice(-2)
      .flatMap(({ leases }) => leases)
      .map(({ entry, class: clearClass }) => ({
        entry,
        class: clearClass,
        count: sent.get(entry) ?? 0,
        ended: ended.has(entry),
        suspended: false,
      })),
    events,
    cache: {
      entries: cached.length,
      capacity: 384 * (config?.cache.entries ?? 0),
      octets: cached.reduce((sum, entry) => sum + entry.octets, 0),
      hits: 0,
      misses: 0,
      stale: 0,
      prefetched: 0,
      hotNames: 0,
      sentAhead: 0,
    },
    looping,
    knownPrivate: [],
    strays: 0,
    brokenListeners: [],
    turnedAway: { count: 0, standing: false },
    ownProbes: [],
    acceptFailures: { count: 0, standing: false, lastError: null },
    rungs: fake.rungs,
    downgradeEvidence: fake.downgradeEvidence,
    holding: fake.holding,
  };
}

export const idleUpstream: EngineUpstreamStatus = {
  id: 'a',
  transport: 'dot',
  group: '',
  ...neverUsed,
};
