/** A signed profile on a machine, through the whole service: what holds, and what waits. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Grant } from '../../contract/settings/profile-methods.ts';
import { settingDeclarations } from '../../contract/settings/settings.ts';
import { dot } from '../service-stage.ts';
import { fingerprintOf, writePublicKey } from './minisign.ts';
import { facts, ProfileStage } from './profile-stage.ts';
import { publicKeyOf } from './secret-key.ts';

const refuse = { downgrade: { value: 'refuse', lock: 'locked', reason: 'names stay private' } };
const bypass = { bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] } };
const past = '2020-01-01T00:00:00Z';

let stage: ProfileStage;

beforeEach(() => {
  stage = new ProfileStage();
});
afterEach(() => stage.close());

test('what a profile locks holds against the person, also after a restart, until the machine leaves', async () => {
  await stage.startWith({ downgrade: 'fallback', cache: { entries: 5 } });
  const version = stage.signed(1, {
    ...refuse,
    'queryLog.mode': { value: 'counts', lock: 'hidden' },
    'cache.entries': { value: 7 },
    'cache.staleHours': { value: 3 },
  });
  expect(await stage.enrol(version)).toMatchObject({
    value: {
      profile: {
        ...facts,
        serial: 1,
        fingerprint: fingerprintOf(publicKeyOf(stage.key)),
        settings: ['downgrade', 'queryLog.mode', 'cache.entries', 'cache.staleHours'],
        waiting: [],
      },
      problems: [],
    },
  });
  const held = async () => {
    expect(await stage.inForce('downgrade')).toMatchObject({
      value: 'refuse',
      source: { layer: 'profile' },
      locked: true,
      hidden: false,
      lockedBy: 'Example Corp',
      reason: 'names stay private',
    });
    expect(await stage.inForce('queryLog.mode')).toMatchObject({ value: 'counts', hidden: true });
    expect(await stage.inForce('cache.entries')).toMatchObject({
      value: 5,
      source: { layer: 'user' },
    });
    expect(await stage.inForce('cache.staleHours')).toMatchObject({ value: 3, locked: false });
  };
  await held();
  expect(
    await stage.service.call('settings.set', { key: 'downgrade', value: 'warn' }),
  ).toMatchObject({
    failure: { code: 'setting-locked', message: expect.stringContaining('Example Corp') },
  });
  await stage.stop();
  await stage.begin();
  await held();

  expect(await stage.service.call('profile.leave', {})).toEqual({
    ok: true,
    value: { id: facts.id },
  });
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'fallback', locked: false });
  expect(await stage.service.call('profile.show', {})).toEqual({
    ok: true,
    value: { profile: null, delivery: null },
  });
  await stage.stop();
  await stage.begin();
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'fallback' });
});

test('a policy of the machine is stronger, and each layer is told', async () => {
  stage.folder.write('policy.d/10.json', {
    name: 'Machine',
    settings: { downgrade: { value: 'warn', lock: true } },
  });
  await stage.startWith({ downgrade: 'fallback' });
  expect(await stage.enrol(stage.signed(1, refuse))).toMatchObject({ value: { problems: [] } });
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'warn', lockedBy: 'Machine' });
  expect(await stage.service.call('profile.effective', { key: 'downgrade' })).toMatchObject({
    value: {
      settings: [
        {
          key: 'downgrade',
          layers: [
            { layer: 'policy', name: 'Machine', value: 'warn', lock: 'locked', inForce: true },
            { layer: 'profile', name: 'Example Corp', value: 'refuse', inForce: false },
            { layer: 'user', value: 'fallback', inForce: false },
            { layer: 'default', value: 'refuse', inForce: false },
          ],
          without: 'refuse',
        },
      ],
    },
  });
});

test('each setting is told with what would hold without the layer in force, and with its end', async () => {
  await stage.startWith({ downgrade: 'fallback' });
  const until = '2099-01-01T00:00:00Z';
  await stage.enrol(
    stage.signed(1, {
      downgrade: { ...refuse.downgrade, until },
      'cache.entries': { value: 7 },
    }),
  );
  const without = async (key: string) => {
    const told = await stage.service.call('profile.effective', { key });
    return told.ok ? told.value.settings[0] : null;
  };
  expect(await without('downgrade')).toMatchObject({
    layers: [{ layer: 'profile', until: Date.parse(until) }, { until: null }, { until: null }],
    without: 'fallback',
  });
  expect(await without('cache.entries')).toMatchObject({
    without: settingDeclarations['cache.entries'].default,
  });
  expect(await without('consent')).toMatchObject({ layers: [{ layer: 'default' }] });
});

describe('what takes protection away', () => {
  const loosening: [string, object, Grant | null][] = [
    ['bypass', bypass, 'bypass'],
    ['downgrade', { downgrade: { value: 'warn' } }, 'downgrade'],
    ['consent', { consent: { value: 'anyone' } }, 'consent'],
    [
      'upstreams',
      { upstreams: { value: [{ ...dot, pins: [`${'A'.repeat(43)}=`] }] } },
      'authorities',
    ],
    [
      'upstreams',
      { upstreams: { value: [{ id: 'b', transport: 'udp', address: '192.0.2.1' }] } },
      'downgrade',
    ],
    ['upstreams', { upstreams: { value: [{ ...dot, identity: 'corp' }] } }, 'identities'],
    ['portal.probes', { 'portal.probes': { value: [] } }, 'probes'],
    ['metrics.listen', { 'metrics.listen': { value: '127.0.0.1:9' } }, 'metrics'],
    ['metrics.collector', { 'metrics.collector': { value: 'https://192.0.2.1/' } }, 'metrics'],
    ['dnstap.socket', { 'dnstap.socket': { value: '/nowhere/dnstap.sock' } }, 'dnstap'],
    ['listen', { listen: { value: ['0.0.0.0:53'] } }, null],
  ];
  test.each(loosening)('%s waits without a grant', async (name, settings, grant) => {
    await stage.startWith({ consent: 'administrator' });
    const before = await stage.inForce(name);
    expect(await stage.enrol(stage.signed(1, settings))).toMatchObject({
      value: {
        profile: {
          settings: [],
          waiting: [
            { key: name, grant, wanted: { lock: 'default', until: null }, holds: before?.value },
          ],
        },
      },
    });
    expect(await stage.inForce(name)).toEqual(before);
    if (grant === null) return;
    await stage.service.call('profile.leave', {});
    expect(await stage.enrol(stage.signed(2, settings), [grant])).toMatchObject({
      value: { profile: { settings: [name], waiting: [] } },
    });
  });

  test('holds once it is approved, in that version and where a later one says the same', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, { ...refuse, ...bypass }));
    expect(await stage.service.call('profile.approve', { serial: 2 })).toMatchObject({
      failure: { code: 'profile-refused' },
    });
    expect(await stage.service.call('profile.approve', { serial: 1 })).toMatchObject({
      value: { profile: { settings: ['downgrade', 'bypass'], waiting: [] } },
    });
    expect(await stage.update(stage.signed(2, { ...refuse, ...bypass }))).toMatchObject({
      value: { profile: { waiting: [] } },
    });
    const wider = { bypass: { value: [{ suffix: 'example', to: ['192.0.2.53'] }] } };
    expect(await stage.update(stage.signed(3, { ...refuse, ...wider }))).toMatchObject({
      value: { profile: { waiting: [{ key: 'bypass', grant: 'bypass' }] } },
    });
    expect(await stage.inForce('bypass')).toMatchObject({ value: bypass.bypass.value });
  });

  test('upstreams that public authorities vouch for need no grant', async () => {
    await stage.startWith();
    expect(
      await stage.enrol(stage.signed(1, { upstreams: { value: [dot], lock: 'locked' } })),
    ).toMatchObject({
      value: { profile: { settings: ['upstreams'], waiting: [] } },
    });
    expect(stage.addon.applied.at(-1)?.upstreams).toMatchObject([{ id: 'a' }]);
  });
});

test('an upstream needs a grant for its authority and one for the identity it is shown', async () => {
  await stage.startWith();
  const both = [{ ...dot, pins: [`${'A'.repeat(43)}=`], identity: 'corp' }];
  const settings = { upstreams: { value: both } };
  for (const [serial, allowed, missing] of [
    [1, [], 'authorities'],
    [2, ['authorities'], 'identities'],
    [3, ['identities'], 'authorities'],
    [4, ['authorities', 'identities'], null],
  ] as const) {
    const waiting = missing === null ? [] : [{ key: 'upstreams', grant: missing }];
    expect(await stage.enrol(stage.signed(serial, settings), [...allowed])).toMatchObject({
      value: { profile: { waiting } },
    });
    await stage.service.call('profile.leave', {});
  }
});

describe('what a version made strict', () => {
  const strict = {
    ...refuse,
    'queryLog.mode': { value: 'off', lock: 'locked' },
    refuseFor: { value: [{ user: ['backup'] }] },
    'cache.entries': { value: 7, lock: 'locked' },
  };
  const later: [string, object, string[]][] = [
    ['says nothing any more', {}, ['downgrade', 'queryLog.mode', 'refuseFor']],
    [
      'no longer locks it',
      { ...strict, downgrade: { value: 'refuse' }, 'queryLog.mode': { value: 'off' } },
      ['downgrade', 'queryLog.mode'],
    ],
    [
      'says something looser',
      { ...strict, 'queryLog.mode': { value: 'counts', lock: 'locked' }, refuseFor: { value: [] } },
      ['queryLog.mode', 'refuseFor'],
    ],
  ];
  test.each(later)(
    'holds where a later one %s, until somebody approves it',
    async (_how, version, waits) => {
      await stage.startWith({ downgrade: 'fallback' });
      await stage.enrol(stage.signed(1, strict));
      const taken = await stage.update(stage.signed(2, version));
      expect(taken).toMatchObject({ ok: true });
      const waiting = taken.ok ? taken.value.profile.waiting.map((one) => one.key) : [];
      expect(waiting.sort()).toEqual(waits);
      expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
      expect(await stage.inForce('queryLog.mode')).toMatchObject({ value: 'off', locked: true });
      expect(await stage.inForce('refuseFor')).toMatchObject({ value: [{ user: ['backup'] }] });
      // A third version can't shake it off either.
      expect(await stage.update(stage.signed(3, version))).toMatchObject({ ok: true });
      expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
      expect(await stage.service.call('profile.approve', { serial: 3 })).toMatchObject({
        value: { profile: { waiting: [] } },
      });
      expect((await stage.inForce('downgrade'))?.value).toBe(
        Object.keys(version).length === 0 || waits.includes('downgrade') ? 'fallback' : 'refuse',
      );
    },
  );

  test('goes with a grant, and a setting that protects nothing goes without', async () => {
    await stage.startWith({ downgrade: 'fallback' });
    await stage.enrol(
      stage.signed(1, { ...refuse, 'cache.entries': { value: 7, lock: 'locked' } }),
      ['downgrade'],
    );
    expect(await stage.update(stage.signed(2, {}))).toMatchObject({
      value: { profile: { waiting: [] } },
    });
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'fallback', locked: false });
    expect(await stage.inForce('cache.entries')).toMatchObject({ locked: false });
  });
});

describe('a faulty version', () => {
  test('loosens nothing: the rest of it holds, and what it said before of the wrong key', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, { ...refuse, 'cache.entries': { value: 7 } }), ['bypass']);
    const faulty = {
      downgrade: { value: 'refuze', lock: 'locked' },
      ...bypass,
      consent: { value: 'administrator', lock: 'locked' },
    };
    expect(await stage.update(stage.signed(2, faulty))).toMatchObject({
      value: {
        profile: {
          serial: 2,
          settings: ['consent', 'downgrade'],
          kept: ['downgrade'],
          waiting: [{ key: 'bypass' }],
        },
        problems: [expect.stringMatching(/line \d+: settings\.downgrade\.value/)],
      },
    });
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
    expect(await stage.inForce('cache.entries')).toMatchObject({ source: { layer: 'default' } });
  });

  test('that was never right locks the policy where it may have meant a lock', async () => {
    await stage.startWith({ downgrade: 'fallback' });
    await stage.enrol(stage.signed(1, { downgrad: { value: 'refuse', lock: 'locked' } }));
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
  });

  test('that is strict is refused as a whole', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse));
    const { failure } = (await stage.update(
      stage.signed(
        2,
        { consent: { value: 'administrator' }, nonsense: { value: 1 } },
        { strict: true },
      ),
    )) as { failure: { code: string; message: string } };
    expect(failure).toMatchObject({
      code: 'profile-refused',
      message: expect.stringContaining('nonsense'),
    });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });

  test('whose settings contradict each other is told, and what contradicts does not hold', async () => {
    await stage.startWith();
    const twice = { listen: { value: ['127.0.0.1:5301', '127.0.0.1:5301'] }, ...refuse };
    expect(await stage.enrol(stage.signed(1, twice))).toMatchObject({
      value: { problems: [expect.stringContaining('is there twice')] },
    });
    expect(await stage.inForce('downgrade')).toMatchObject({ locked: true });
    expect(await stage.inForce('listen')).toMatchObject({ source: { layer: 'default' } });
  });
});

test('an unknown setting is told', async () => {
  await stage.startWith();
  expect(await stage.service.call('profile.effective', { key: 'downgrad' })).toMatchObject({
    failure: { code: 'unknown-setting' },
  });
});

test('an expired version still holds', async () => {
  await stage.startWith();
  expect(await stage.enrol(stage.signed(1, refuse, { notAfter: past }))).toMatchObject({
    ok: true,
  });
  expect(await stage.inForce('downgrade')).toMatchObject({ locked: true });
});

test('without a profile there is nothing to update, approve or leave', async () => {
  await stage.startWith();
  for (const reply of [
    await stage.update(stage.signed(1, {})),
    await stage.service.call('profile.approve', { serial: 1 }),
    await stage.service.call('profile.leave', {}),
  ])
    expect(reply).toMatchObject({ failure: { code: 'no-profile' } });
});

test('a key whose fingerprint differs from the one that a person gave enrols nothing', async () => {
  await stage.startWith();
  const enrol = (fingerprint: string) =>
    stage.service.call('profile.enrol', {
      ...stage.signed(1, refuse),
      key: writePublicKey(publicKeyOf(stage.key)),
      fingerprint,
      grants: [],
    });
  expect(await enrol('a'.repeat(64))).toMatchObject({ failure: { code: 'fingerprint-differs' } });
  expect(await stage.service.call('profile.show', {})).toMatchObject({ value: { profile: null } });
  expect(await enrol(fingerprintOf(publicKeyOf(stage.key)))).toMatchObject({ ok: true });
});
