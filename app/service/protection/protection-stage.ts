/**
 * Protection with the engine, the ledger and a person, for tests: files are real; engine, network and clock are fakes. Each
 * test has one of its own.
 */
import { join } from 'node:path';
import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { MachineClock } from '../base/machine-clock.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { nobody } from '../conditions/account-numbers.ts';
import { type EngineDriver, startEngine } from '../engine/engine-driver.ts';
import { type FakeEngine, fakeEngine } from '../engine/fake-engine.ts';
import { createHealthRegistry, type HealthRegistry } from '../health/health-registry.ts';
import { type CurrentNetwork, followNetwork } from '../network/current-network.ts';
import {
  createFakeNetworkWatch,
  type FakeNetworkWatch,
  someSnapshot,
} from '../network/fake-network-watch.ts';
import { type NetworkMemory, openNetworkMemory } from '../network/network-memory.ts';
import { createRulesNow } from '../rules/rules-now.ts';
import { someEffective } from './effective-fixture.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type Protection, startProtection } from './protection.ts';

export const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' } as const;
export const corpDot = { ...dot, id: 'c', group: 'corp' } as const;
export const error = { code: 'timeout', text: 'timed out' };
export const tls = {
  version: '1.3',
  cipher: '',
  group: '',
  resumed: false,
  name: null,
  pinned: false,
};
export const failing = { state: 'resting', lastError: error } as const;
export const ready = { state: 'ready', tls } as const;
export const ann = { who: 'ann', role: 'control' } as const;
export const elsewhere = someSnapshot({ gatewayMac: '02:00:5e:00:00:02' });

export class ProtectionStage {
  now = 1_000_000;
  /** of the machine */
  machine = { starts: 1, at: 0 };
  /** what the guardian was told */
  told: string[] = [];
  /** how long a pause lasts: for ever, unless a test says otherwise */
  paused: Promise<void> = new Promise(() => {});
  addon: FakeEngine = fakeEngine();
  ledger: Ledger;
  readonly folder: TestFolder = testFolder();
  readonly health: HealthRegistry = createHealthRegistry(
    () => this.now,
    () => {},
  );
  readonly memory: NetworkMemory = openNetworkMemory(
    join(this.folder.path, 'networks.sqlite'),
    () => this.now,
  );
  readonly watch: FakeNetworkWatch = createFakeNetworkWatch(someSnapshot());
  readonly network: CurrentNetwork = followNetwork(this.watch, this.memory);

  constructor() {
    this.ledger = this.openLedger();
  }

  openLedger(counted?: () => Map<number, number>): Ledger {
    return openLedger(join(this.folder.path, 'ledger.sqlite'), () => this.now, counted);
  }

  /** With one upstream, `dot`, where the settings say nothing else. */
  async start(settings: Parameters<typeof someEffective>[0]): Promise<Protection> {
    const { ledger, network, memory, health } = this;
    const serversFor = () => ['192.0.2.53:53'];
    const started = await startProtection(
      {
        engine: this.#engine(),
        ledger,
        health,
        switchFile: join(this.folder.path, 'switch.json'),
        clock: this.#clock(),
        serversFor,
        rulesFor: createRulesNow({ network, memory, serversFor, now: () => this.now, built: 0 })
          .under,
        accounts: { ...nobody, known: nobody },
        forwarders: () => [],
        identities: () => new Map(),
        onBattery: () => false,
        network,
        labelOf: (id) => id.toUpperCase(),
        tellGuardian: ({ policy, locked }) => this.told.push(`${policy} ${locked}`),
        now: () => this.now,
        built: 0,
        pause: () => this.paused,
        onChange: () => {},
      },
      someEffective({ upstreams: [dot], ...settings }),
    );
    if (!started.ok) throw new Error(started.failure.message);
    return started.value;
  }

  /** The service died and starts again on the files that are there; `counted`: what the engine had counted by then. */
  restart(counted?: () => Map<number, number>): void {
    this.ledger.release();
    this.ledger = this.openLedger(counted);
    this.addon = fakeEngine();
  }

  /** Of the engine's last configuration. */
  lastLeases() {
    return this.addon.applied.at(-1)?.leases;
  }

  /** Of the ledger, the newest first. */
  entries(): LedgerEntry[] {
    return this.ledger.list({ limit: 99 });
  }

  view(protection: Protection) {
    return protection.view(this.#engine().status());
  }

  stateOf(protection: Protection) {
    return this.view(protection).state;
  }

  openConsentRequest(protection: Protection): ConsentRequest {
    const request = protection.consentRequests().find(({ state }) => state === 'open');
    if (request === undefined) throw new Error('nobody is asked');
    return request;
  }

  close(): void {
    this.ledger.release();
    this.memory.close();
    this.folder.remove();
  }

  #clock(): MachineClock {
    const boot = `start ${this.machine.starts}`;
    return { wall: () => this.now, sinceBoot: () => this.now - this.machine.at, boot };
  }

  /** Somebody sets the clock. */
  setClock(byMs: number): void {
    this.now += byMs;
    this.machine.at += byMs;
  }

  /** The machine starts again; its clock says by then that so much time has passed. */
  reboot(afterMs: number): void {
    this.now += afterMs;
    this.machine = { starts: this.machine.starts + 1, at: this.now };
    this.restart();
  }

  #engine(): EngineDriver {
    return startEngine(this.addon, { onEvents: () => {}, onChange: () => {} });
  }
}
