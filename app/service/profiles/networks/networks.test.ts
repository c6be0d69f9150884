/** Settings of a profile for some networks: read, judged, and held where the machine is. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Here } from '../../network/current-network.ts';
import { diffProfiles } from '../before-signing/profile-diff.ts';
import { readProfile } from '../profile-file.ts';
import { facts, ProfileStage } from '../profile-stage.ts';
import { fits, holdingHere } from './holding-here.ts';

const office = { domain: 'corp.example', prefix: '10.1.0.0/16' };
const bypass = { value: [{ suffix: 'corp.example', to: ['10.1.0.53'] }] };
const strict = { downgrade: { value: 'refuse', lock: 'locked' } };

function read(networks: unknown, settings: object = {}) {
  return readProfile(
    'corp.json',
    Buffer.from(JSON.stringify({ ...facts, serial: 1, settings, networks }, null, 1)),
  );
}

const said = (networks: unknown) =>
  read(networks).problems.map(({ path, reason }) => `${path}: ${reason}`);

describe('as they are written', () => {
  test.each([
    [{ settings: {} }, /networks\[0\]\.match: this field is missing/],
    [{ match: {}, settings: {} }, /networks\[0\]\.match: it says of no network/],
    [{ match: { gatewayMac: '02-00' }, settings: {} }, /gatewayMac: a hardware address/],
    [{ match: { prefix: '10.1.0.0' }, settings: {} }, /prefix: a prefix is written like/],
    [{ match: { ...office, ssid: 'Office' }, settings: {} }, /match\.ssid: unknown field/],
    [
      { match: office, settings: { downgrad: { value: 'refuse' } } },
      /settings\.downgrad: there is no/,
    ],
  ])('%j is told', (one, expected) => {
    expect(said([one])).toEqual([expect.stringMatching(expected)]);
    expect(read([one]).profile).not.toBeNull();
  });

  test('the same network twice is told, and so are more than a machine compares', () => {
    const one = { match: office, settings: {} };
    expect(said([one, one])).toEqual(['networks[1].match: an earlier one means the same network']);
    const byPrefix = (prefix: string) => ({ match: { prefix }, settings: {} });
    const twice = [byPrefix('2001:DB8:0:0::/56'), byPrefix('2001:db8::/56')];
    expect(said(twice), 'in two spellings').toEqual([expect.stringContaining('the same network')]);
    expect(said([byPrefix('10.1.0.0/16'), byPrefix('10.1.0.0/17')])).toEqual([]);
    expect(read(new Array(65).fill(one)).profile).toBeNull();
  });

  test('an error has its line', () => {
    const { problems } = read([{ match: office, settings: { downgrade: { value: 'refus' } } }]);
    expect(problems).toEqual([expect.objectContaining({ line: 15 })]);
  });
});

const nowhere: Here = {
  id: 'a'.repeat(12),
  hints: { interface: 'eth0', gateway: null, gatewayMac: null, prefix: null, domain: null },
  confirmed: false,
};
const at = (hints: Partial<Here['hints']>, confirmed = false): Here => ({
  ...nowhere,
  hints: { ...nowhere.hints, ...hints },
  confirmed,
});

test.each([
  [{ domain: 'corp.example' }, { domain: 'Berlin.Corp.Example.' }, true],
  [{ domain: 'corp.example' }, { domain: 'notcorp.example' }, false],
  [{ domain: 'corp.example' }, {}, false],
  [{ prefix: '10.1.0.0/16' }, { prefix: '10.1.7.0/24' }, true],
  [{ prefix: '10.1.0.0/16' }, { prefix: '10.0.0.0/8' }, false],
  [{ prefix: '10.1.0.0/16' }, { prefix: '2001:db8::/64' }, false],
  [{ prefix: '2001:db8::/32' }, { prefix: '2001:db8:1::/64' }, true],
  [{ gatewayMac: '02:00:5e:10:00:0a' }, { gatewayMac: '02:00:5E:10:00:0A' }, true],
  [{ gatewayMac: '02:00:5e:10:00:0a' }, { gatewayMac: null }, false],
  [office, { domain: 'corp.example', prefix: '192.168.0.0/24' }, false],
])('%j at %j: %j', (match, hints, expected) => {
  expect(fits(match, at(hints))).toBe(expected ? 'unconfirmed' : 'no');
  expect(fits(match, at(hints, true))).toBe(expected ? 'yes' : 'no');
});

describe('on a network', () => {
  const inOffice = { domain: 'corp.example', prefix: '10.1.7.0/24' };

  function held(hints: Partial<Here['hints']>, confirmed: boolean, networks: unknown[]) {
    const { profile } = read(networks, { 'cache.entries': { value: 1 } });
    const all = (profile?.networks ?? []).map(({ match, entries }) => ({
      ...{ match, entries },
      loosening: entries.filter(({ key }) => key === 'bypass').map(({ key }) => key),
    }));
    const here = at(hints, confirmed);
    const holding = holdingHere(profile?.entries ?? [], all, here);
    return Object.fromEntries(holding.map(({ key, value }) => [key, value]));
  }

  const networks = [
    { match: office, settings: { bypass, 'cache.entries': { value: 2 }, ...strict } },
    { match: { domain: 'corp.example' }, settings: { 'cache.entries': { value: 3 } } },
  ];
  const bound = [{ ...bypass.value[0], when: { network: [nowhere.id] } }];

  test('what makes things stricter holds at once, and what loosens once it is confirmed', () => {
    const stricter = { 'cache.entries': 2, downgrade: 'refuse' };
    expect(held(inOffice, false, networks)).toEqual(stricter);
    expect(held(inOffice, true, networks)).toEqual({ ...stricter, bypass: bound });
  });

  test('the first that fits counts, and elsewhere nothing of it', () => {
    expect(held({ domain: 'corp.example' }, true, networks)).toEqual({ 'cache.entries': 3 });
    expect(held({}, true, networks)).toEqual({ 'cache.entries': 1 });
  });

  test('a rule with a network of its own keeps it', () => {
    const own = {
      ...bypass.value[0],
      when: { network: ['Office'], hours: [{ from: '08:00', to: '18:00' }] },
    };
    const one = { match: office, settings: { bypass: { value: [own] } } };
    expect(held(inOffice, true, [one])).toMatchObject({ bypass: [own] });
  });
});

describe('in a version', () => {
  let stage: ProfileStage;
  beforeEach(async () => {
    stage = new ProfileStage();
    await stage.startWith();
  });
  afterEach(() => stage.close());

  const on = (settings: object) => ({ networks: [{ match: office, settings }] });
  const officeText = 'prefix 10.1.0.0/16, domain corp.example';

  async function shown() {
    const found = await stage.service.call('profile.show', {});
    const profile = found.ok ? found.value.profile : null;
    const waiting = profile?.waiting.map(({ key, grant, network }) => ({ key, grant, network }));
    return { networks: profile?.networks, waiting };
  }

  test('what would loosen there waits without leave, and holds with it', async () => {
    const version = stage.signed(1, strict, on({ bypass, 'cache.entries': { value: 9 } }));
    await stage.enrol(version);
    expect(await shown()).toEqual({
      networks: [{ match: officeText, fits: 'no', settings: ['cache.entries'] }],
      waiting: [{ key: 'bypass', grant: 'bypass', network: officeText }],
    });
    const approved = await stage.service.call('profile.approve', { serial: 1 });
    expect(approved.ok).toBe(true);
    expect(await shown()).toMatchObject({
      networks: [{ settings: ['bypass', 'cache.entries'] }],
      waiting: [],
    });
  });

  test('it may not be looser there than the version is elsewhere', async () => {
    await stage.enrol(stage.signed(1, strict, on({ downgrade: { value: 'warn' } })));
    expect((await shown()).waiting).toEqual([
      { key: 'downgrade', grant: null, network: officeText },
    ]);
    await stage.update(stage.signed(2, strict, on({ downgrade: { value: 'refuse' } })));
    expect((await shown()).waiting).toEqual([
      { key: 'downgrade', grant: null, network: officeText },
    ]);
  });

  test.each([
    ['downgrade', 'warn'],
    ['rungs', ['udp']],
    ['upstreams', [{ id: 'clear', transport: 'udp', address: '10.1.0.53' }]],
  ])('%s lets no names out on one network, whoever allows it', async (key, value) => {
    const elsewhere = { ...strict, rungs: { value: [], lock: 'locked' } };
    const grants = ['downgrade', 'rungs', 'authorities'] as const;
    await stage.enrol(stage.signed(1, elsewhere, on({ [key]: { value, lock: 'locked' } })), [
      ...grants,
    ]);
    await stage.service.call('profile.approve', { serial: 1 });
    expect(await shown()).toEqual({
      networks: [],
      waiting: [{ key, grant: null, network: officeText }],
    });
  });

  test('what a version made strict there stays, also where a later one forgets the network', async () => {
    await stage.enrol(stage.signed(1, {}, on(strict)));
    await stage.update(stage.signed(2, {}));
    expect(await shown()).toEqual({
      networks: [{ match: officeText, fits: 'no', settings: ['downgrade'] }],
      waiting: [{ key: 'downgrade', grant: 'downgrade', network: officeText }],
    });
  });

  test('a version with an error anywhere loosens nothing there', async () => {
    await stage.enrol(stage.signed(1, strict), ['bypass']);
    await stage.update(
      stage.signed(2, { ...strict, downgrad: { value: 'refuse' } }, on({ bypass })),
    );
    expect(await shown()).toMatchObject({
      networks: [],
      waiting: [{ key: 'bypass', network: officeText }],
    });
  });

  test('it is kept over a restart', async () => {
    await stage.enrol(stage.signed(1, strict, on({ bypass })), ['bypass']);
    const before = await shown();
    await stage.stop();
    await stage.begin();
    expect(await shown()).toEqual(before);
    expect(before.networks).toEqual([{ match: officeText, fits: 'no', settings: ['bypass'] }]);
  });
});

test('a diff tells what is otherwise on a network, and compares it with elsewhere', () => {
  const version = (networks: unknown[]) => {
    const { profile } = read(networks, strict);
    if (profile === null) throw new Error('the profile of the test has an error');
    return profile;
  };
  const without = version([]);
  const loose = version([{ match: office, settings: { downgrade: { value: 'warn' } } }]);
  expect(diffProfiles(without, loose).entries).toMatchObject([
    { key: 'downgrade', network: 'prefix 10.1.0.0/16, domain corp.example', loosens: true },
  ]);
  expect(diffProfiles(loose, without).entries).toMatchObject([
    { key: 'downgrade', loosens: false },
  ]);
});
