import { expect, test } from 'vitest';
import type { NetworkChange } from '../network/current-network.ts';

import { scene } from './system-dns-fixture.ts';

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
  await expect.poll(() => gate.closed?.why).toBe('contested');
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
  // It is looked at once more, and from then on only the time passes.
  clock.now += 10_000;
  systemDns.tick();
  await systemDns.settle();
  expect(systemDns.status()).toMatchObject({ taken: true, contest: { closed: false } });
  clock.now += 180_000;
  expect(systemDns.status()).toMatchObject({ taken: true, contest: { closed: false } });
  systemDns.tick();
  await systemDns.settle();
  expect([gate.passingSince, codes(), systemDns.status()?.contest]).toEqual([null, [], null]);
});

test('what an earlier life closed stays closed here, and is opened by giving back', async () => {
  const { wanted, systemDns, gate } = scene();
  wanted.strict = true;
  gate.closed = { since: 5, why: 'contested' };
  await systemDns.learn();
  await systemDns.begin();
  expect(systemDns.status()?.contest).toEqual({ since: 5, closed: true, constant: false });
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
