/** A signed profile on a machine, through the whole service: what holds, what waits, and what is refused. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Grant } from '../../contract/settings/profile-methods.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import { dot, ServiceStage } from '../service-stage.ts';
import { fingerprintOf, writePublicKey, writeSignature } from './minisign.ts';
import { makeSecretKey, publicKeyOf, type SecretKey, signOctets } from './secret-key.ts';

const facts = { id: 'example-corp', issuer: 'Example Corp', name: 'Laptops' };
const refuse = { downgrade: { value: 'refuse', lock: 'locked', reason: 'names stay private' } };
const bypass = { bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] } };
const past = '2020-01-01T00:00:00Z';

let stage: ServiceStage;
let service: ConnectedService;
let key: SecretKey;

beforeEach(() => {
  stage = new ServiceStage();
  key = makeSecretKey();
});
afterEach(() => stage.close());

async function start(settings: object = {}): Promise<void> {
  stage.folder.write('settings.json', settings);
  await begin();
}

async function begin(): Promise<void> {
  await stage.start();
  service = await stage.client();
}

function signed(serial: number, settings: object, more: object = {}, by = key) {
  const octets = Buffer.from(JSON.stringify({ ...facts, serial, settings, ...more }, null, 1));
  const signature = writeSignature(signOctets(octets, by, `serial:${serial}`));
  return { profile: octets.toString('base64'), signature };
}

const enrol = (version: ReturnType<typeof signed>, grants: Grant[] = [], by = key) =>
  service.call('profile.enrol', { ...version, key: writePublicKey(publicKeyOf(by)), grants });
const update = (version: ReturnType<typeof signed>) => service.call('profile.update', version);

async function inForce(name: string) {
  const found = await service.call('settings.effective', {});
  return found.ok ? found.value.settings.find((one) => one.key === name) : undefined;
}

test('what a profile locks holds against the person, also after a restart, until the machine leaves', async () => {
  await start({ downgrade: 'fallback', cache: { entries: 5 } });
  const version = signed(1, {
    ...refuse,
    'queryLog.mode': { value: 'counts', lock: 'hidden' },
    'cache.entries': { value: 7 },
    'cache.staleHours': { value: 3 },
  });
  expect(await enrol(version)).toMatchObject({
    value: {
      profile: {
        ...facts,
        serial: 1,
        fingerprint: fingerprintOf(publicKeyOf(key)),
        settings: ['downgrade', 'queryLog.mode', 'cache.entries', 'cache.staleHours'],
        waiting: [],
      },
      problems: [],
    },
  });
  const held = async () => {
    expect(await inForce('downgrade')).toMatchObject({
      value: 'refuse',
      source: { layer: 'profile' },
      locked: true,
      hidden: false,
      lockedBy: 'Example Corp',
      reason: 'names stay private',
    });
    expect(await inForce('queryLog.mode')).toMatchObject({ value: 'counts', hidden: true });
    expect(await inForce('cache.entries')).toMatchObject({ value: 5, source: { layer: 'user' } });
    expect(await inForce('cache.staleHours')).toMatchObject({ value: 3, locked: false });
  };
  await held();
  expect(await service.call('settings.set', { key: 'downgrade', value: 'warn' })).toMatchObject({
    failure: { code: 'setting-locked', message: expect.stringContaining('Example Corp') },
  });
  await stage.stop();
  await begin();
  await held();

  expect(await service.call('profile.leave', {})).toEqual({ ok: true, value: { id: facts.id } });
  expect(await inForce('downgrade')).toMatchObject({ value: 'fallback', locked: false });
  expect(await service.call('profile.show', {})).toEqual({ ok: true, value: { profile: null } });
  await stage.stop();
  await begin();
  expect(await inForce('downgrade')).toMatchObject({ value: 'fallback' });
});

test('a policy of the machine is stronger, and each layer is told', async () => {
  stage.folder.write('policy.d/10.json', {
    name: 'Machine',
    settings: { downgrade: { value: 'warn', lock: true } },
  });
  await start({ downgrade: 'fallback' });
  expect(await enrol(signed(1, refuse))).toMatchObject({ value: { problems: [] } });
  expect(await inForce('downgrade')).toMatchObject({ value: 'warn', lockedBy: 'Machine' });
  expect(await service.call('profile.effective', { key: 'downgrade' })).toMatchObject({
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
        },
      ],
    },
  });
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
    ['portal.probes', { 'portal.probes': { value: [] } }, 'probes'],
    ['listen', { listen: { value: ['0.0.0.0:53'] } }, null],
  ];
  test.each(loosening)('%s waits without a grant', async (name, settings, grant) => {
    await start({ consent: 'administrator' });
    const before = await inForce(name);
    expect(await enrol(signed(1, settings))).toMatchObject({
      value: { profile: { settings: [], waiting: [{ key: name, grant }] } },
    });
    expect(await inForce(name)).toEqual(before);
    if (grant === null) return;
    await service.call('profile.leave', {});
    expect(await enrol(signed(2, settings), [grant])).toMatchObject({
      value: { profile: { settings: [name], waiting: [] } },
    });
  });

  test('holds once it is approved, in that version and where a later one says the same', async () => {
    await start();
    await enrol(signed(1, { ...refuse, ...bypass }));
    expect(await service.call('profile.approve', { serial: 2 })).toMatchObject({
      failure: { code: 'profile-refused' },
    });
    expect(await service.call('profile.approve', { serial: 1 })).toMatchObject({
      value: { profile: { settings: ['downgrade', 'bypass'], waiting: [] } },
    });
    expect(await update(signed(2, { ...refuse, ...bypass }))).toMatchObject({
      value: { profile: { waiting: [] } },
    });
    const wider = { bypass: { value: [{ suffix: 'example', to: ['192.0.2.53'] }] } };
    expect(await update(signed(3, { ...refuse, ...wider }))).toMatchObject({
      value: { profile: { waiting: [{ key: 'bypass', grant: 'bypass' }] } },
    });
    expect(await inForce('bypass')).toMatchObject({ value: bypass.bypass.value });
  });

  test('upstreams that public authorities vouch for need no grant', async () => {
    await start();
    expect(await enrol(signed(1, { upstreams: { value: [dot], lock: 'locked' } }))).toMatchObject({
      value: { profile: { settings: ['upstreams'], waiting: [] } },
    });
    expect(stage.addon.applied.at(-1)?.upstreams).toMatchObject([{ id: 'a' }]);
  });
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
      await start({ downgrade: 'fallback' });
      await enrol(signed(1, strict));
      const taken = await update(signed(2, version));
      expect(taken).toMatchObject({ ok: true });
      const waiting = taken.ok ? taken.value.profile.waiting.map((one) => one.key) : [];
      expect(waiting.sort()).toEqual(waits);
      expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
      expect(await inForce('queryLog.mode')).toMatchObject({ value: 'off', locked: true });
      expect(await inForce('refuseFor')).toMatchObject({ value: [{ user: ['backup'] }] });
      // A third version can't shake it off either.
      expect(await update(signed(3, version))).toMatchObject({ ok: true });
      expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
      expect(await service.call('profile.approve', { serial: 3 })).toMatchObject({
        value: { profile: { waiting: [] } },
      });
      expect((await inForce('downgrade'))?.value).toBe(
        Object.keys(version).length === 0 || waits.includes('downgrade') ? 'fallback' : 'refuse',
      );
    },
  );

  test('goes with a grant, and a setting that protects nothing goes without', async () => {
    await start({ downgrade: 'fallback' });
    await enrol(signed(1, { ...refuse, 'cache.entries': { value: 7, lock: 'locked' } }), [
      'downgrade',
    ]);
    expect(await update(signed(2, {}))).toMatchObject({ value: { profile: { waiting: [] } } });
    expect(await inForce('downgrade')).toMatchObject({ value: 'fallback', locked: false });
    expect(await inForce('cache.entries')).toMatchObject({ locked: false });
  });
});

describe('a faulty version', () => {
  test('loosens nothing: the rest of it holds, and what it said before of the wrong key', async () => {
    await start();
    await enrol(signed(1, { ...refuse, 'cache.entries': { value: 7 } }), ['bypass']);
    const faulty = {
      downgrade: { value: 'refuze', lock: 'locked' },
      ...bypass,
      consent: { value: 'administrator', lock: 'locked' },
    };
    expect(await update(signed(2, faulty))).toMatchObject({
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
    expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
    expect(await inForce('cache.entries')).toMatchObject({ source: { layer: 'default' } });
  });

  test('that was never right locks the policy where it may have meant a lock', async () => {
    await start({ downgrade: 'fallback' });
    await enrol(signed(1, { downgrad: { value: 'refuse', lock: 'locked' } }));
    expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
  });

  test('that is strict is refused as a whole', async () => {
    await start();
    await enrol(signed(1, refuse));
    const { failure } = (await update(
      signed(2, { consent: { value: 'administrator' }, nonsense: { value: 1 } }, { strict: true }),
    )) as { failure: { code: string; message: string } };
    expect(failure).toMatchObject({
      code: 'profile-refused',
      message: expect.stringContaining('nonsense'),
    });
    expect(await service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });

  test('whose settings contradict each other is told, and what contradicts does not hold', async () => {
    await start();
    const twice = { listen: { value: ['127.0.0.1:5301', '127.0.0.1:5301'] }, ...refuse };
    expect(await enrol(signed(1, twice))).toMatchObject({
      value: { problems: [expect.stringContaining('is there twice')] },
    });
    expect(await inForce('downgrade')).toMatchObject({ locked: true });
    expect(await inForce('listen')).toMatchObject({ source: { layer: 'default' } });
  });
});

describe('a version is refused', () => {
  const refused: [string, () => ReturnType<typeof signed>, RegExp][] = [
    ['of another key', () => signed(2, {}, {}, makeSecretKey()), /another key/],
    [
      'that was changed',
      () => ({ ...signed(2, {}), profile: signed(3, {}).profile }),
      /not what was signed/,
    ],
    [
      'that is cut',
      () => ({ ...signed(2, {}), profile: signed(2, {}).profile.slice(0, -8) }),
      /not what was signed/,
    ],
    ['without a signature', () => ({ ...signed(2, {}), signature: 'x' }), /not one/],
    [
      'with the same serial',
      () => signed(1, { consent: { value: 'administrator' } }),
      /does not come after/,
    ],
    ['of before', () => signed(0, {}), /serial/],
    ['of another profile', () => signed(2, {}, { id: 'other' }), /this machine has "example-corp"/],
    [
      'that does not hold yet',
      () => signed(2, {}, { notBefore: '2999-01-01T00:00:00Z' }),
      /holds from 2999/,
    ],
    ['that is no profile', () => signed(2, {}, { serial: 'x' }), /serial/],
  ];
  test.each(refused)('%s', async (_why, version, message) => {
    await start();
    await enrol(signed(1, refuse));
    expect(await update(version())).toMatchObject({
      failure: { code: 'profile-refused', message: expect.stringMatching(message) },
    });
    expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
    expect(await service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });

  test('of a second organisation', async () => {
    await start();
    await enrol(signed(1, refuse));
    const other = makeSecretKey();
    expect(await enrol(signed(1, {}, { id: 'other' }, other), [], other)).toMatchObject({
      failure: { code: 'profile-refused', message: expect.stringContaining('already') },
    });
  });

  test('that the engine refuses, and the one before holds', async () => {
    await start();
    await enrol(signed(1, refuse));
    stage.addon.onApply = ({ cache }) => {
      if (cache.entries === 9)
        throw new Error(JSON.stringify({ code: 'engine-refused', message: 'no', remedy: 'x' }));
    };
    expect(await update(signed(2, { 'cache.entries': { value: 9 } }))).toMatchObject({ ok: false });
    expect(await service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });
});

test('where the disk refuses, the version before holds', async () => {
  await start();
  await enrol(signed(1, refuse));
  mkdirSync(stage.file('profile.json.new'));
  const entries = stage.addon.applied.at(-1)?.cache.entries;
  expect(await update(signed(2, { ...refuse, 'cache.entries': { value: 9 } }))).toMatchObject({
    failure: { code: 'state-unwritable', subject: stage.file('profile.json') },
  });
  expect(stage.addon.applied.at(-1)?.cache.entries).toBe(entries);
  expect(await service.call('profile.show', {})).toMatchObject({
    value: { profile: { serial: 1 } },
  });
});

test('a version and a change of a setting at the same moment both hold', async () => {
  await start();
  await enrol(signed(1, refuse));
  await Promise.all([
    update(signed(2, { ...refuse, 'cache.entries': { value: 9 } })),
    service.call('settings.set', { key: 'cache.staleHours', value: 3 }),
    update(signed(3, { ...refuse, 'cache.entries': { value: 8 } })),
  ]);
  expect(stage.addon.applied.at(-1)?.cache).toMatchObject({ entries: 8 });
  expect(await inForce('cache.staleHours')).toMatchObject({ value: 3 });
  expect(await inForce('cache.entries')).toMatchObject({ value: 8 });
});

test('a lock that an enrolment holds and this Sotto does not know keeps everything private', async () => {
  await start({ downgrade: 'fallback' });
  await enrol(signed(1, { consent: { value: 'administrator', lock: 'locked' } }));
  await stage.stop();
  const file = stage.file('profile.json');
  const enrolment = JSON.parse(readFileSync(file, 'utf8')) as { holds: string };
  const holds = enrolment.holds.replace('"consent"', '"aLaterSetting"');
  writeFileSync(file, JSON.stringify({ ...enrolment, holds }));
  await begin();
  expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
});

test('an unknown setting is told', async () => {
  await start();
  expect(await service.call('profile.effective', { key: 'downgrad' })).toMatchObject({
    failure: { code: 'unknown-setting' },
  });
});

test('an expired version still holds', async () => {
  await start();
  expect(await enrol(signed(1, refuse, { notAfter: past }))).toMatchObject({ ok: true });
  expect(await inForce('downgrade')).toMatchObject({ locked: true });
});

test.each([
  ['is gone', (file: string) => rmSync(file)],
  ['is empty', (file: string) => writeFileSync(file, '')],
  ['is cut', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 200))],
])('where the enrolment %s, what it said last still holds, and is told', async (_how, damage) => {
  await start({ downgrade: 'fallback' });
  await enrol(signed(1, refuse));
  await stage.stop();
  damage(stage.file('profile.json'));
  await begin();
  expect(await inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
  const status = await service.call('status.get', {});
  expect(status).toMatchObject({
    value: {
      health: expect.arrayContaining([expect.objectContaining({ code: 'settings-vanished' })]),
    },
  });
  expect(await service.call('settings.accept', {})).toMatchObject({ ok: true });
  expect(await inForce('downgrade')).toMatchObject({ value: 'fallback' });
});

test('without a profile there is nothing to update, approve or leave', async () => {
  await start();
  for (const reply of [
    await update(signed(1, {})),
    await service.call('profile.approve', { serial: 1 }),
    await service.call('profile.leave', {}),
  ])
    expect(reply).toMatchObject({ failure: { code: 'no-profile' } });
});
