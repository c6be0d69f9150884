/**
 * What other programs may know of this machine, at the places that the settings name: metrics to be fetched, metrics that are sent,
 * and queries for a dnstap reader. docs/design/fleet-view.md.
 */
import type { Socket } from 'node:net';
import { say } from '../contract/sentences/sentence.ts';
import { nowhere } from '../contract/settings/fleet-settings.ts';
import type { Settings } from '../contract/settings/settings-shape.ts';
import { hashOfMachine } from './base/machine-id.ts';
import { howToGetRole, knowPeers, type PeerAddon, type ServiceMode } from './control/peer-role.ts';
import { type DnstapCounts, startDnstap } from './dnstap/dnstap.ts';
import { addressesOf } from './engine/addresses-of.ts';
import type { EngineDriver } from './engine/engine-driver.ts';
import type { HealthRegistry } from './health/health-registry.ts';
import { countCleartext } from './metrics/cleartext-count.ts';
import { writeMetrics } from './metrics/exposition.ts';
import { createMetricsNow, type MetricsNowParts } from './metrics/metrics-now.ts';
import { startPush } from './metrics/metrics-push.ts';
import { startServing } from './metrics/metrics-server.ts';
import { otlpRequest } from './metrics/otlp.ts';
import { sendMetrics } from './metrics/send-metrics.ts';
import type { Ledger } from './protection/ledger.ts';
import type { Protection } from './protection/protection.ts';
import type { QueryLog } from './query-log/query-log.ts';

interface Parts extends Pick<MetricsNowParts, 'status' | 'enrolment' | 'audit'> {
  addon: PeerAddon;
  mode: ServiceMode;
  engine: Pick<EngineDriver, 'status' | 'ask'>;
  queryLog: Pick<QueryLog, 'tally' | 'tap'>;
  ledger: Pick<Ledger, 'standing' | 'follow'>;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
  protection: Pick<Protection, 'inForce'>;
  version: string;
  onBug(error: unknown): void;
}

export interface FleetView {
  /** Goes on where nothing changed; waits for nobody. */
  configure(settings: Places): void;
  end(): Promise<void>;
}

type Places = Pick<Settings, 'metrics' | 'dnstap'>;

export function openFleetView(parts: Parts, settings: Places): FleetView {
  const { engine, queryLog, health, mode, version, onBug } = parts;
  const { startedAt } = parts.status();
  const counts: DnstapCounts = { sent: 0, dropped: 0 };
  const now = Date.now;
  const metrics = createMetricsNow({
    ...parts,
    cleartext: countCleartext(parts.ledger),
    dnstap: counts,
    now,
  });
  const peers = knowPeers(parts.addon, mode);
  const instance = hashOfMachine('sotto metrics')?.toString('hex', 0, 16) ?? '';

  async function send(place: string, signal: AbortSignal): Promise<string | null> {
    const origin = { version, instance, startedAt, now: now() };
    return await sendMetrics({
      url: new URL(place),
      resolve: (host) => addressesOf(engine, host),
      body: JSON.stringify(otlpRequest(await metrics(), origin)),
      signal,
      postQuantum: parts.protection.inForce().settings.connections.postQuantum,
    });
  }

  /** A reader gets names, so it needs the role that may read them all. */
  function whyNot(socket: Socket): string | null {
    if (peers.roleOf(socket) === 'administer') return null;
    return `the account of the reader may not read the query log; ${howToGetRole('administer', mode)}`;
  }

  const tell = (setting: Setting) => (why: string | null) => {
    if (why === null) health.clear('fleet-view-stopped', setting);
    else health.raise('fleet-view-stopped', [say('fleet-view-stopped', { setting, why })], setting);
  };

  const listen = keepAt(tell('metrics.listen'), (place, onTrouble) =>
    startServing({
      place,
      isShared: mode === 'system',
      write: async (format) => writeMetrics(await metrics(), format),
      onTrouble,
      onBug,
    }),
  );
  const collector = keepAt(tell('metrics.collector'), (place, onTrouble) =>
    startPush({ send: (signal) => send(place, signal), onTrouble, onBug }),
  );
  const socket = keepAt(tell('dnstap.socket'), (path, onTrouble) =>
    startDnstap({ path, whyNot, tap: queryLog.tap, counts, onTrouble }),
  );

  function configure({ metrics: figures, dnstap }: Places): void {
    listen.move(figures.listen).catch(onBug);
    collector.move(figures.collector).catch(onBug);
    socket.move(dnstap.socket).catch(onBug);
  }

  configure(settings);
  return {
    configure,
    async end() {
      await Promise.all([listen, collector, socket].map((one) => one.move(nowhere)));
    },
  };
}

type Setting = 'metrics.listen' | 'metrics.collector' | 'dnstap.socket';
type OnTrouble = (why: string | null) => void;

/** Begins at a place; the function returned ends it. `onTrouble`: why nobody is served there; null: it works. */
type Start = (place: string, onTrouble: OnTrouble) => () => unknown;

/** One place, which the settings may change at any time. `move` resolves when what was at the place before has ended. */
function keepAt(tell: OnTrouble, start: Start): { move(next: string): Promise<void> } {
  let place: string = nowhere;
  let end: () => unknown = () => {};

  function begin(): () => unknown {
    let isOver = false;
    const stop = start(place, (why) => {
      if (!isOver) tell(why);
    });
    return () => {
      isOver = true;
      return stop();
    };
  }

  return {
    async move(next) {
      if (next === place) return;
      const ended = end();
      place = next;
      tell(null);
      end = place === nowhere ? () => {} : begin();
      await ended;
    },
  };
}
