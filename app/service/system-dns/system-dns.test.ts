import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import { someSnapshot } from '../network/fake-network-watch.ts';
import { createClosing } from './closing.ts';
import { fakeMechanism } from './fake-mechanism.ts';
import { createSystemDns } from './system-dns.ts';

import { scene } from './system-dns-fixture.ts';

test('not wanted and never taken: it says what could hold it, and changes nothing', async () => {
  const { fake, wanted, systemDns, codes } = scene();
  wanted.take = false;
  fake.refuses = fail('helper-missing', 'no helper', 'install it').failure;
  await systemDns.begin();
  expect(systemDns.status()).toEqual({
    mechanism: 'resolved',
    wanted: false,
    taken: false,
    since: null,
    links: [],
    givenBackFor: null,
    contest: null,
    trouble: null,
  });
  expect([fake.changes, codes()]).toEqual([[], []]);
});

test.each([
  ['no helper answers', true, 'resolved'],
  ['this system has no such mechanism', false, null],
])('not wanted, and %s: what is offered', async (_, usable, mechanism) => {
  const { fake, wanted, systemDns } = scene();
  wanted.take = false;
  fake.usable = usable;
  fake.holdings = async () => fail('helper-missing', 'no helper', 'install it');
  await systemDns.begin();
  expect(systemDns.status()).toMatchObject({ mechanism, trouble: null });
});

test('whoever outlives us is told before anything is taken, and once nothing is', async () => {
  const { fake, wanted, systemDns, told } = scene();
  await systemDns.learn();
  await systemDns.begin();
  expect(fake.changes).toEqual(['take eth0', 'flush']);
  wanted.position = 'off';
  await systemDns.settle();
  expect(told).toEqual(['false after 0 changes', 'true after 0 changes', 'false after 4 changes']);
});

test('without a wish everything is left as it is, whatever is settled meanwhile', async () => {
  const { fake, wanted, systemDns } = scene();
  await systemDns.begin();
  const changes = [...fake.changes];
  await systemDns.end({ giveBack: false });
  wanted.position = 'off';
  await systemDns.settle();
  expect(fake.changes).toEqual(changes);
  expect([fake.held.length, fake.followers]).toEqual([1, 0]);
});

test('nothing is said of what nobody could be asked about', async () => {
  const { fake, systemDns, told } = scene();
  fake.holdings = async () => fail('helper-missing', 'no helper', 'install it');
  await systemDns.learn();
  await systemDns.begin();
  expect(told).toEqual([]);
});

test('a system without any way has no status, and nothing to end', async () => {
  const { systemDns } = scene();
  const none = createSystemDns({ ...partsOfNothing });
  await none.begin();
  await none.end({ giveBack: true });
  expect(none.status()).toBeNull();
  expect(systemDns.status()).not.toBeNull();
});

test('taken, told once, given back when off and at the end', async () => {
  const { fake, wanted, place, systemDns } = scene();
  await systemDns.begin();
  expect(fake.changes).toEqual(['take eth0', 'flush']);
  expect(systemDns.status()).toMatchObject({ mechanism: 'resolved', taken: true, links: ['eth0'] });
  expect(place.held).toEqual([
    {
      interface: 'eth0',
      servers: ['127.0.0.1:5300', '127.0.0.1:53'],
      before: { servers: ['192.0.2.1:53'], domains: [] },
    },
  ]);
  await systemDns.settle();
  wanted.position = 'paused';
  await systemDns.settle();
  expect([fake.changes.length, place.takings]).toEqual([2, 1]);
  wanted.position = 'off';
  await systemDns.settle();
  expect(fake.changes.slice(2)).toEqual(['give back eth0', 'flush']);
  expect(systemDns.status()).toMatchObject({ taken: false, givenBackFor: 'off' });
  wanted.position = 'on';
  await systemDns.settle();
  expect([systemDns.status()?.taken, place.takings]).toEqual([true, 2]);
  await systemDns.end({ giveBack: true });
  expect([fake.held, fake.followers]).toEqual([[], 0]);
});

test('what an earlier life took is known before anything is changed, and is not told twice', async () => {
  const { fake, place, systemDns, wanted } = scene();
  fake.held = [
    {
      link: { index: 2, name: 'eth0' },
      servers: [
        { address: '127.0.0.1', port: 5300 },
        { address: '127.0.0.1', port: 53 },
      ],
      search: null,
      since: 7,
      inPlace: true,
      before: { servers: ['192.0.2.9:53'], domains: [] },
    },
  ];
  await systemDns.learn();
  expect(place.held).toMatchObject([{ before: { servers: ['192.0.2.9:53'] } }]);
  await systemDns.begin();
  expect([fake.changes, systemDns.status()?.since]).toEqual([[], 7]);
  wanted.take = false;
  await systemDns.settle();
  expect(fake.changes).toEqual(['give back eth0', 'flush']);
});

test('what leads to another Sotto of this machine is left to it, until a person insists', async () => {
  const { fake, systemDns, wanted } = scene();
  wanted.take = false;
  fake.held = [
    {
      link: { index: 2, name: 'eth0' },
      servers: [{ address: '127.0.0.1', port: 5999 }],
      search: null,
      since: 7,
      inPlace: true,
      before: { servers: [], domains: [] },
    },
  ];
  await systemDns.learn();
  await systemDns.begin();
  expect([fake.changes, systemDns.status()?.taken]).toEqual([[], false]);
  await systemDns.insist();
  expect(fake.changes).toEqual(['give back eth0', 'flush']);
});

test('a failure is told with its remedy, tried again later, and forgotten once it is mended', async () => {
  const { fake, systemDns, clock, codes } = scene();
  fake.refuses = fail('helper-refused', 'the bus said no', 'wait').failure;
  await systemDns.begin();
  expect(systemDns.status()).toMatchObject({
    taken: false,
    trouble: { message: 'the bus said no' },
  });
  expect(codes()).toEqual(['system-dns-not-taken']);
  fake.refuses = null;
  systemDns.tick();
  await systemDns.settle();
  expect(systemDns.status()?.taken).toBe(true);
  expect([systemDns.status()?.trouble, codes()]).toEqual([null, []]);
  clock.now += 60_000;
  fake.refuses = fail('helper-refused', 'the file is read-only', 'remount it').failure;
  await systemDns.end({ giveBack: true });
  expect(codes()).toEqual(['system-dns-stuck']);
});

test('a way that restarts is waited for, one that is gone is left for the next', async () => {
  const [resolved, file] = [fakeMechanism('resolved'), fakeMechanism('file')];
  const { systemDns, clock } = scene(resolved, file);
  await systemDns.begin();
  resolved.usable = false;
  resolved.overwrite();
  await systemDns.settle();
  expect([resolved.held.length, file.held.length]).toEqual([1, 0]);
  clock.now += 31_000;
  systemDns.tick();
  await systemDns.settle();
  expect([resolved.held.length, file.held.length]).toEqual([0, 1]);
  resolved.usable = true;
  await systemDns.insist();
  expect([resolved.held.length, file.held.length]).toEqual([1, 0]);
});

test('a mechanism that can not be used takes nothing from the one that holds, and others do not get it', async () => {
  const [resolved, file] = [fakeMechanism('resolved'), fakeMechanism('file')];
  const { systemDns, wanted, codes, clock } = scene(resolved, file);
  await systemDns.begin();
  for (const mechanism of ['file', 'resolvconf'] as const) {
    wanted.mechanism = mechanism;
    await systemDns.settle();
    expect([resolved.held.length, file.held.length]).toEqual([1, 0]);
    expect(systemDns.status()).toMatchObject({
      taken: true,
      mechanism: 'resolved',
      trouble: { code: 'no-mechanism' },
    });
    clock.now += 60_000;
    resolved.overwrite();
    await systemDns.settle();
    expect(resolved.held).toMatchObject([{ inPlace: true }]);
  }
  expect(codes()).toContain('system-dns-otherwise');
  wanted.mechanism = 'auto';
  await systemDns.settle();
  expect(systemDns.status()?.trouble).toBeNull();
  expect(codes()).not.toContain('system-dns-otherwise');
  resolved.usable = false;
  wanted.mechanism = 'file';
  await systemDns.settle();
  expect([resolved.held.length, file.held.length]).toEqual([0, 1]);
  expect(systemDns.status()).toMatchObject({ mechanism: 'file', links: [] });
});

const partsOfNothing = {
  mechanisms: [],
  listen: () => [],
  closing: createClosing({ ask: async () => succeed(null) }),
  noteContest: () => {},
  wanted: () => ({
    strict: true,
    close: 'contested' as const,
    take: true,
    mechanism: 'auto' as const,
    position: 'on' as const,
    listening: [],
  }),
  network: { snapshot: someSnapshot, onChange: () => () => {} },
  tellTaken: () => {},
  weHold: () => {},
  own: () => [],
  health: createHealthRegistry(Date.now, () => {}),
  now: Date.now,
  onTaken: () => {},
  onChange: () => {},
};
