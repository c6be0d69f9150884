/** When the version before stands in, and when the new one is back: the engine's replies are given, and time is turned on. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fail, succeed } from '../../../contract/errors.ts';
import { noNetwork } from '../../../contract/system/no-network.ts';
import { inOrder } from '../../base/in-order.ts';
import type { LoadedSettings } from '../../settings/load-settings.ts';
import type { PolicyFile } from '../../settings/policy-file.ts';
import { readPolicy } from '../../settings/policy-file.ts';
import { type Enrolment, type EnrolmentStore, formerAt, holdsText } from '../enrolment.ts';
import { startTrial, trialOf } from './trial.ts';

const [before, after] = ['192.0.2.1:853', '192.0.2.99:853'];

function holds(address: string, more: object = {}): string {
  const upstreams = [{ id: 'corp', transport: 'dot', address, name: 'dns.corp.example', ...more }];
  const settings = { upstreams: { value: upstreams }, downgrade: { value: 'refuse', lock: true } };
  const { policy } = readPolicy('', JSON.stringify({ name: 'Example Corp', settings }));
  return holdsText('Example Corp', policy?.entries ?? []);
}

const enrolment = (serial: number, address: string) =>
  ({
    id: 'corp',
    serial,
    holds: holds(address),
    networks: [],
    trial: null,
  }) as Partial<Enrolment> as Enrolment;

/** A version that puts the server somewhere else. */
function pushed(serial = 2): Enrolment {
  const next = enrolment(serial, after);
  return { ...next, trial: trialOf(enrolment(1, before), next) };
}

const noHints = { interface: null, gateway: null, gatewayMac: null, prefix: null, domain: null };

class Machine {
  current: Enrolment | null = pushed();
  network = 'home';
  /** addresses whose server authenticates */
  readonly working = new Set<string>();
  /** the disk refuses */
  isFull = false;
  inForce: string | null = after;
  readonly noted: string[] = [];
  readonly trial = startTrial({
    enrolment: this.#store(),
    file: '/state/profile.json',
    store: {
      current: () => ({ settings: { upstreams: [{ address: this.inForce }] } }) as never,
      considerProfile: (layer) => this.#consider(layer),
    },
    adopt: async (effective) => {
      this.inForce = addressOf(effective);
      return succeed(null);
    },
    reload: () => {},
    servers: () => [],
    engine: {
      askUpstream: async () =>
        this.working.has(this.inForce ?? '')
          ? succeed({ response: {} } as never)
          : fail('engine-failed', 'it does not respond', ''),
      probe: async (_query, { addresses: [address = ''] }) =>
        succeed({ ok: this.working.has(address) } as never),
    },
    inTurn: inOrder(),
    journal: { note: (event: string) => this.noted.push(event) } as never,
    onBug: (error) => {
      throw error;
    },
  });

  async pass(seconds: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(seconds * 1000);
  }

  #store(): EnrolmentStore {
    return {
      current: () => this.current,
      here: () => ({ id: this.network, hints: noHints, confirmed: false }),
      layer: () => null,
      keep: (next) => {
        if (this.isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        this.current = next;
      },
    };
  }

  #consider(layer: PolicyFile | null): LoadedSettings {
    const upstreams = layer?.entries.find(({ key }) => key === 'upstreams')?.value;
    const effective = {
      settings: { upstreams, connections: { postQuantum: 'prefer' } },
      certificates: new Map(),
      sources: { upstreams: { layer: 'profile' } },
    };
    return { effective, policyProblems: [] } as never;
  }
}

function addressOf({ settings }: { settings: { upstreams: { address: string | string[] }[] } }) {
  return [settings.upstreams[0]?.address].flat()[0] ?? null;
}

let machine: Machine;

beforeEach(() => {
  vi.useFakeTimers();
  machine = new Machine();
});
afterEach(() => {
  machine.trial.end();
  vi.useRealTimers();
});

function standsIn(): number | null {
  return machine.current && (formerAt(machine.current, machine.network)?.serial ?? null);
}

test('a version whose upstreams authenticate stays, and is not looked at again', async () => {
  machine.working.add(after);
  await machine.pass(3);
  expect(machine.current?.trial).toMatchObject({ worked: ['home'], resting: [] });
  machine.working.clear();
  machine.working.add(before);
  await machine.pass(3600);
  expect([machine.inForce, standsIn(), machine.noted]).toEqual([after, null, []]);
});

test('within a minute the version before stands in, where its upstreams work', async () => {
  machine.working.add(before);
  await machine.pass(10);
  expect(machine.inForce).toBe(after);
  await machine.pass(49);
  expect([machine.inForce, standsIn(), machine.noted]).toEqual([before, 1, ['profile-rests']]);
});

test('where neither works, nothing changes, until one does', async () => {
  await machine.pass(600);
  expect([machine.inForce, machine.noted]).toEqual([after, []]);
  machine.working.add(before);
  await machine.pass(10);
  expect(machine.inForce).toBe(before);
});

test('the new one is tried again, and is back once it works', async () => {
  machine.working.add(before);
  await machine.pass(60);
  machine.working.add(after);
  await machine.pass(61);
  expect([machine.inForce, standsIn()]).toEqual([after, null]);
  expect(machine.noted).toEqual(['profile-rests', 'profile-works']);
});

test('on another network it is judged anew, and each keeps its verdict', async () => {
  machine.working.add(before);
  await machine.pass(60);
  machine.network = 'office';
  machine.inForce = after;
  machine.working.add(after);
  machine.trial.lookSoon();
  await machine.pass(5);
  expect(machine.current?.trial).toMatchObject({ worked: ['office'], resting: ['home'] });
});

test('without a network it is not judged', async () => {
  machine.network = noNetwork;
  machine.working.add(before);
  await machine.pass(600);
  expect(machine.inForce).toBe(after);
});

test('where the disk refuses, what was in force is in force, and it is tried again', async () => {
  machine.working.add(before);
  machine.isFull = true;
  await machine.pass(60);
  expect(machine.noted).toContain('not-kept');
  expect(standsIn()).toBeNull();
  machine.isFull = false;
  await machine.pass(120);
  expect([machine.inForce, standsIn()]).toEqual([before, 1]);
});

test('a look that ends after another version came says nothing of that one', async () => {
  machine.working.add(before);
  await machine.pass(15);
  machine.current = { ...pushed(3), trial: null };
  await machine.pass(600);
  expect([machine.current.serial, machine.noted]).toEqual([3, []]);
});

test('to come back to there is the last version that worked, or had nothing new', () => {
  const first = enrolment(1, before);
  const bad = pushed(2);
  const worse = enrolment(3, '192.0.2.98:853');
  expect(trialOf(bad, worse)?.former.serial).toBe(1);
  const good = { ...bad, trial: bad.trial && { ...bad.trial, worked: ['home'] } };
  expect(trialOf(good, worse)?.former.serial).toBe(2);
  expect(trialOf(first, enrolment(2, before))).toBeNull();
  expect(trialOf(null, first)).toBeNull();
  expect(trialOf(bad, bad)).toBe(bad.trial);
});
