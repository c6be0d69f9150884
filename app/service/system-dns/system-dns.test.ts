import { expect, test, vi } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { Closed } from '../../contract/gate-protocol.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import type { HeldLink } from '../network/behind-us.ts';
import type { NetworkChange } from '../network/current-network.ts';
import { someSnapshot } from '../network/fake-network-watch.ts';
import { Listeners } from '../network/listeners.ts';
import { createClosing } from './closing.ts';
import { type FakeMechanism, fakeMechanism } from './fake-mechanism.ts';
import { createSystemDns, type Wanted } from './system-dns.ts';

function scene(...mechanisms: FakeMechanism[]) {
  const [fake = fakeMechanism()] = mechanisms;
  const changed = new Listeners<NetworkChange>();
  const wanted: Wanted = {
    strict: false,
    close: 'contested',
    take: true,
    mechanism: 'auto',
    position: 'on',
    listening: ['127.0.0.1:5300', '127.0.0.1:53'],
  };
  const clock = { now: 1_000_000 };
  const health = createHealthRegistry(
    () => clock.now,
    () => {},
  );
  /** as the gate is, and since when queries may go past us */
  const gate = {
    closed: null as Closed | null,
    missing: false,
    passingSince: null as number | null,
  };
  const place = { snapshot: someSnapshot(), held: [] as readonly HeldLink[], takings: 0 };
  /** what whoever outlives us was told, beside what was changed */
  const told: string[] = [];
  const systemDns = createSystemDns({
    mechanisms: mechanisms.length === 0 ? [fake] : mechanisms,
    listen: () => wanted.listening,
    wanted: () => wanted,
    closing: createClosing({
      async ask(request) {
        if (gate.missing) return fail('gate-missing', 'nftables is not installed', 'install it');
        if (request.verb === 'close') gate.closed = { since: clock.now, why: request.why };
        if (request.verb === 'open') gate.closed = null;
        return succeed(gate.closed);
      },
    }),
    noteContest: (since) => {
      gate.passingSince = since;
    },
    network: { snapshot: () => place.snapshot, onChange: (listener) => changed.add(listener) },
    tellTaken(taken) {
      const last = told.at(-1)?.split(' ')[0];
      if (last !== `${taken}`) told.push(`${taken} after ${fake.changes.length} changes`);
    },
    weHold: (links) => {
      place.held = links;
    },
    own: () => ['192.0.2.1:53'],
    health,
    now: () => clock.now,
    onTaken: () => {
      place.takings += 1;
    },
    onChange: () => {},
  });
  const codes = () => health.list().map(({ code }) => code);
  return { fake, wanted, clock, gate, place, systemDns, codes, changed, told };
}

test('not wanted and never taken: nothing is looked at, nothing is said', async () => {
  const { fake, wanted, systemDns, codes } = scene();
  wanted.take = false;
  fake.refuses = fail('helper-missing', 'no helper', 'install it').failure;
  await systemDns.begin();
  expect(systemDns.status()).toEqual({
    mechanism: null,
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

test('who overwrites it is answered four times, then left alone until a person insists', async () => {
  const { fake, systemDns, codes } = scene();
  await systemDns.begin();
  for (let times = 1; times <= 5; times++) {
    fake.overwrite();
    await systemDns.settle();
    expect(systemDns.status()?.taken).toBe(times < 5);
  }
  expect(systemDns.status()).toMatchObject({ givenBackFor: 'contested' });
  expect(codes()).toEqual(['system-dns-contested']);
  fake.overwrite();
  await systemDns.settle();
  expect(fake.held).toEqual([]);
  await systemDns.insist();
  expect([systemDns.status()?.taken, codes()]).toEqual([true, []]);
});

test.each([
  ['refuse', true, true],
  ['refuse', false, false],
  ['fallback', true, false],
])(
  'under %s, seen to lead away: %s, rejected before anybody else is asked: %s',
  async (policy, away, closed) => {
    const { fake, wanted, gate, systemDns } = scene();
    wanted.strict = policy === 'refuse';
    await systemDns.begin();
    const whenAsked: boolean[] = [];
    const { holdings } = fake;
    fake.holdings = () => {
      whenAsked.push(gate.closed !== null);
      return holdings();
    };
    fake.leadsAway = () => away;
    fake.overwrite();
    await systemDns.settle();
    expect(whenAsked[0]).toBe(closed);
  },
);

test.each([
  ['so, it is of then', true, 1_000_000],
  ['nothing, it is of when it was found', false, 1_000_250],
])(
  'an entry that stands only after the system was asked: whoever is followed said %s',
  async (_what, away, since) => {
    const { fake, gate, clock, systemDns } = scene();
    await systemDns.begin();
    const { holdings } = fake;
    fake.holdings = () => {
      clock.now += 250;
      return holdings();
    };
    fake.leadsAway = () => away;
    fake.overwrite();
    await systemDns.settle();
    expect(gate.passingSince).toBe(since);
  },
);

test('what leads away while something else is under way is rejected at once, and stays so until it was looked at', async () => {
  const { fake, wanted, gate, systemDns } = scene();
  wanted.strict = true;
  await systemDns.begin();
  const { holdings } = fake;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const whenAskedAgain: unknown[] = [];
  fake.holdings = async () => {
    fake.holdings = () => {
      whenAskedAgain.push(gate.closed?.why);
      return holdings();
    };
    const read = await holdings();
    asked.resolve();
    await answer.promise;
    return read;
  };
  const earlier = systemDns.insist();
  await asked.promise;
  fake.leadsAway = () => true;
  fake.disturb();
  await vi.waitFor(() => expect(gate.closed?.why).toBe('contested'));
  answer.resolve();
  await earlier;
  expect(whenAskedAgain[0]).toBe('contested');
  await systemDns.settle();
  expect([gate.closed, systemDns.status()?.contest]).toEqual([null, null]);
});

test.each([
  ['in place', true, null, undefined],
  ['still not in place', false, 1_000_300, 'contested'],
])(
  'somebody else seems to be asked while what was told settles, and a second later it is %s',
  async (_what, settles, since, closed) => {
    for (const strict of [false, true]) {
      const { fake, wanted, gate, clock, systemDns } = scene();
      wanted.strict = strict;
      const { take } = fake;
      const setInPlace = (inPlace: boolean) => {
        fake.held = fake.held.map((one) => ({ ...one, inPlace }));
      };
      fake.take = async (target, servers) => {
        const taken = await take(target, servers);
        setInPlace(false);
        return taken;
      };
      await systemDns.begin();
      clock.now += 300;
      fake.leadsAway = () => true;
      fake.disturb();
      await systemDns.settle();
      expect([gate.closed?.why, gate.passingSince]).toEqual([
        strict ? 'contested' : undefined,
        null,
      ]);
      expect(systemDns.status()?.contest).toBeNull();
      setInPlace(settles);
      clock.now += 1000;
      systemDns.tick();
      await systemDns.settle();
      expect([gate.closed?.why, gate.passingSince]).toEqual(
        strict ? [closed, null] : [undefined, since],
      );
    }
  },
);

test('nothing was told by a look, and what is changed meanwhile is somebody else’s overwrite', async () => {
  const { fake, wanted, gate, clock, systemDns } = scene();
  wanted.strict = true;
  await systemDns.begin();
  clock.now += 60_000;
  const { look } = fake;
  fake.look = async () => {
    fake.look = look;
    fake.held = fake.held.map((one) => ({ ...one, inPlace: false }));
    return await look();
  };
  await systemDns.insist();
  expect(gate.closed?.why).toBe('contested');
});

test('a suspicion that came to nothing dates no later entry', async () => {
  const { fake, gate, clock, systemDns } = scene();
  await systemDns.begin();
  fake.leadsAway = () => true;
  fake.disturb();
  await systemDns.settle();
  expect(gate.passingSince).toBeNull();
  clock.now += 60_000;
  fake.leadsAway = () => false;
  fake.overwrite();
  await systemDns.settle();
  expect(gate.passingSince).toBe(1_060_000);
});

test('under refuse it is told again for ever, and nothing goes past us until this network is left', async () => {
  const { fake, wanted, systemDns, clock, gate, codes, changed } = scene();
  wanted.strict = true;
  await systemDns.begin();
  expect(gate.closed).toBeNull();
  for (let times = 1; times <= 30; times++) {
    fake.overwrite();
    await systemDns.settle();
    expect(gate).toMatchObject({ closed: { why: 'contested' }, passingSince: null });
    expect(systemDns.status()).toMatchObject({ contest: { closed: true }, givenBackFor: null });
    clock.now += 4000;
    systemDns.tick();
    await systemDns.settle();
    expect(systemDns.status()?.taken).toBe(true);
  }
  expect(codes()).toEqual(['system-dns-contested']);
  changed.tell({ moved: true } as NetworkChange);
  await systemDns.settle();
  expect([systemDns.status()?.taken, gate.closed, codes()]).toEqual([true, null, []]);
});

test('links that are overwritten at one moment count once', async () => {
  const { fake, systemDns } = scene();
  await systemDns.begin();
  const [link] = fake.held;
  if (link === undefined) throw new Error('nothing is held');
  for (let times = 1; times <= 4; times++) {
    fake.held = [1, 2, 3, 4].map((index) => ({ ...link, link: { index, name: `eth${index}` } }));
    fake.overwrite();
    await systemDns.settle();
  }
  expect(systemDns.status()).toMatchObject({ taken: true, givenBackFor: null });
});

test('what takes a moment to be in place is nobody’s overwrite; what takes longer is', async () => {
  const { fake, wanted, systemDns, gate, clock } = scene();
  wanted.strict = true;
  const take = fake.take;
  fake.take = async (link, servers) => {
    const taken = await take(link, servers);
    fake.held = fake.held.map((one) => ({ ...one, inPlace: false }));
    return taken;
  };
  await systemDns.begin();
  expect([gate.closed, systemDns.status()?.contest]).toEqual([null, null]);
  clock.now += 3000;
  systemDns.tick();
  await systemDns.settle();
  expect(gate.closed?.why).toBe('contested');
});

test('what is kept for the next boot is nobody’s overwrite in this one', async () => {
  const { fake, wanted, systemDns, gate } = scene();
  wanted.strict = true;
  await systemDns.begin();
  const [link] = fake.held;
  if (link === undefined) throw new Error('nothing is held');
  fake.held = [link, { ...link, link: null, inPlace: false, overBoot: true }];
  await systemDns.insist();
  expect([gate.closed, systemDns.status()?.contest]).toEqual([null, null]);
});

test('the gate closes before anything slower is done about an overwrite', async () => {
  const { fake, wanted, systemDns, gate } = scene();
  wanted.strict = true;
  await systemDns.begin();
  const look = fake.look;
  const seen: unknown[] = [];
  fake.look = async () => {
    seen.push(gate.closed?.why);
    return await look();
  };
  fake.overwrite();
  await systemDns.settle();
  expect(seen).toEqual(['contested']);
});

test('where nothing can be rejected it is told, and in the ledger until it has stayed for a while', async () => {
  const { fake, wanted, systemDns, clock, gate, codes } = scene();
  wanted.strict = true;
  gate.missing = true;
  await systemDns.begin();
  fake.overwrite();
  await systemDns.settle();
  expect([gate.passingSince, codes()]).toEqual([1_000_000, ['system-dns-contested']]);
  expect(systemDns.status()).toMatchObject({ taken: true, contest: { closed: false } });
  clock.now += 200_000;
  systemDns.tick();
  await systemDns.settle();
  expect([gate.passingSince, codes()]).toEqual([null, []]);
});

test('what an earlier life closed stays closed here, and is opened by giving back', async () => {
  const { wanted, systemDns, gate } = scene();
  wanted.strict = true;
  gate.closed = { since: 5, why: 'contested' };
  await systemDns.learn();
  await systemDns.begin();
  expect(systemDns.status()?.contest).toEqual({ since: 5, closed: true });
  wanted.take = false;
  await systemDns.settle();
  expect(gate.closed).toBeNull();
});

test('always: closed as long as it is taken, under any policy', async () => {
  const { wanted, systemDns, gate } = scene();
  wanted.close = 'always';
  await systemDns.begin();
  expect([gate.closed?.why, systemDns.status()?.contest]).toEqual(['always', null]);
  wanted.position = 'off';
  await systemDns.settle();
  expect(gate.closed).toBeNull();
});

test('overwritten now and then it is told again for ever', async () => {
  const { fake, systemDns, clock } = scene();
  await systemDns.begin();
  for (let times = 1; times <= 20; times++) {
    clock.now += 60_000;
    fake.overwrite();
    await systemDns.settle();
  }
  expect(systemDns.status()?.taken).toBe(true);
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
  const { systemDns, wanted, clock } = scene(resolved, file);
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
