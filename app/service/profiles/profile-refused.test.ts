/** Versions of a profile that a machine refuses, and files that were damaged: what held before still holds. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProfileStage, type SignedVersion } from './profile-stage.ts';
import { makeSecretKey } from './secret-key.ts';

const refuse = { downgrade: { value: 'refuse', lock: 'locked', reason: 'names stay private' } };

let stage: ProfileStage;

beforeEach(() => {
  stage = new ProfileStage();
});
afterEach(() => stage.close());

describe('a version is refused', () => {
  const refused: [string, () => SignedVersion, RegExp][] = [
    ['of another key', () => stage.signed(2, {}, {}, makeSecretKey()), /another key/],
    [
      'that was changed',
      () => ({ ...stage.signed(2, {}), profile: stage.signed(3, {}).profile }),
      /not what was signed/,
    ],
    [
      'that is cut',
      () => ({ ...stage.signed(2, {}), profile: stage.signed(2, {}).profile.slice(0, -8) }),
      /not what was signed/,
    ],
    ['without a signature', () => ({ ...stage.signed(2, {}), signature: 'x' }), /not one/],
    [
      'with the same serial',
      () => stage.signed(1, { consent: { value: 'administrator' } }),
      /does not come after/,
    ],
    ['of before', () => stage.signed(0, {}), /serial/],
    [
      'of another profile',
      () => stage.signed(2, {}, { id: 'other' }),
      /this machine has "example-corp"/,
    ],
    ['that is no profile', () => stage.signed(2, {}, { serial: 'x' }), /serial/],
  ];
  test.each(refused)('%s', async (_why, version, message) => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse));
    expect(await stage.update(version())).toMatchObject({
      failure: { code: 'profile-refused', message: expect.stringMatching(message) },
    });
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });

  test('that does not hold yet', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse));
    const early = stage.signed(2, {}, { notBefore: '2999-01-01T00:00:00Z' });
    expect(await stage.update(early)).toMatchObject({
      failure: { code: 'profile-not-yet', message: expect.stringContaining('holds from 2999') },
    });
  });

  test('of a second organisation', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse));
    const other = makeSecretKey();
    expect(await stage.enrol(stage.signed(1, {}, { id: 'other' }, other), [], other)).toMatchObject(
      {
        failure: { code: 'profile-refused', message: expect.stringContaining('already') },
      },
    );
  });

  test('that the engine refuses, and the one before holds', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse));
    stage.addon.onApply = ({ cache }) => {
      if (cache.entries === 9)
        throw new Error(JSON.stringify({ code: 'engine-refused', message: 'no', remedy: 'x' }));
    };
    expect(await stage.update(stage.signed(2, { 'cache.entries': { value: 9 } }))).toMatchObject({
      ok: false,
    });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });
});

test('where the disk refuses, the version before holds', async () => {
  await stage.startWith();
  await stage.enrol(stage.signed(1, refuse));
  mkdirSync(stage.file('profile.json.new'));
  const entries = stage.addon.applied.at(-1)?.cache.entries;
  expect(
    await stage.update(stage.signed(2, { ...refuse, 'cache.entries': { value: 9 } })),
  ).toMatchObject({
    failure: { code: 'state-unwritable', subject: stage.file('profile.json') },
  });
  expect(stage.addon.applied.at(-1)?.cache.entries).toBe(entries);
  expect(await stage.service.call('profile.show', {})).toMatchObject({
    value: { profile: { serial: 1 } },
  });
});

test('a version and a change of a setting at the same moment both hold', async () => {
  await stage.startWith();
  await stage.enrol(stage.signed(1, refuse));
  await Promise.all([
    stage.update(stage.signed(2, { ...refuse, 'cache.entries': { value: 9 } })),
    stage.service.call('settings.set', { key: 'cache.staleHours', value: 3 }),
    stage.update(stage.signed(3, { ...refuse, 'cache.entries': { value: 8 } })),
  ]);
  expect(stage.addon.applied.at(-1)?.cache).toMatchObject({ entries: 8 });
  expect(await stage.inForce('cache.staleHours')).toMatchObject({ value: 3 });
  expect(await stage.inForce('cache.entries')).toMatchObject({ value: 8 });
});

test('a lock that an enrolment holds and this Sotto does not know keeps everything private', async () => {
  await stage.startWith({ downgrade: 'fallback' });
  await stage.enrol(stage.signed(1, { consent: { value: 'administrator', lock: 'locked' } }));
  await stage.stop();
  const file = stage.file('profile.json');
  const enrolment = JSON.parse(readFileSync(file, 'utf8')) as { holds: string };
  const holds = enrolment.holds.replace('"consent"', '"aLaterSetting"');
  writeFileSync(file, JSON.stringify({ ...enrolment, holds }));
  await stage.begin();
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
});

test.each([
  ['is gone', (file: string) => rmSync(file)],
  ['is empty', (file: string) => writeFileSync(file, '')],
  ['is cut', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 200))],
])('where the enrolment %s, what it said last still holds, and is told', async (_how, damage) => {
  await stage.startWith({ downgrade: 'fallback' });
  await stage.enrol(stage.signed(1, refuse));
  await stage.stop();
  damage(stage.file('profile.json'));
  await stage.begin();
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
  const status = await stage.service.call('status.get', {});
  expect(status).toMatchObject({
    value: {
      health: expect.arrayContaining([expect.objectContaining({ code: 'settings-vanished' })]),
    },
  });
  expect(await stage.service.call('settings.accept', {})).toMatchObject({ ok: true });
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'fallback' });
});
