/** Versions over time: entries that end, versions for some machines first, a new key, and what was never readable. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writePublicKey } from './minisign.ts';
import { placeInRollout } from './place-in-rollout.ts';
import { ProfileStage } from './profile-stage.ts';
import { makeSecretKey, publicKeyOf } from './secret-key.ts';

const refuse = { downgrade: { value: 'refuse', lock: 'locked' } };
const bypass = { bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] } };
const soon = new Date(Date.now() + 3_600_000).toISOString();
const later = new Date(Date.now() + 7_200_000).toISOString();

let stage: ProfileStage;

beforeEach(() => {
  stage = new ProfileStage();
});
afterEach(async () => {
  vi.useRealTimers();
  await stage.close();
});

describe('an entry with an end', () => {
  const until = (end: string, settings: typeof refuse | typeof bypass) =>
    Object.fromEntries(
      Object.entries(settings).map(([key, entry]) => [key, { ...entry, until: end }]),
    );
  const setClock = (time: string) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) });
    return stage.running?.reload();
  };

  test('holds until then, and no longer', async () => {
    await stage.startWith({ downgrade: 'fallback' });
    await stage.enrol(stage.signed(1, until(soon, refuse)));
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
    await setClock(later);
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'fallback', locked: false });
    await setClock(new Date().toISOString());
  });

  test('of a policy ends as well', async () => {
    const settings = { consent: { value: 'administrator', lock: true, until: soon } };
    stage.folder.write('policy.d/10.json', { name: 'Machine', settings });
    await stage.startWith();
    expect(await stage.inForce('consent')).toMatchObject({ locked: true });
    await setClock(later);
    expect(await stage.inForce('consent')).toMatchObject({ locked: false });
  });

  test('can not be given to what a version before made strict without one', async () => {
    await stage.startWith({ downgrade: 'fallback' });
    await stage.enrol(stage.signed(1, refuse));
    expect(await stage.update(stage.signed(2, until(soon, refuse)))).toMatchObject({
      value: { profile: { waiting: [{ key: 'downgrade', grant: 'downgrade' }] } },
    });
    await setClock(later);
    expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
  });

  test('that was approved does not hold longer in the next version', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, until(soon, bypass)));
    await stage.service.call('profile.approve', { serial: 1 });
    expect(await stage.update(stage.signed(2, until(later, bypass)))).toMatchObject({
      value: { profile: { waiting: [{ key: 'bypass', grant: 'bypass' }] } },
    });
    expect(await stage.update(stage.signed(3, until(soon, bypass)))).toMatchObject({
      value: { profile: { waiting: [] } },
    });
  });
});

describe('a version for some machines first', () => {
  const place = placeInRollout('example-corp');
  const cases: [string, object, string | undefined, boolean][] = [
    ['of a ring, and the machine is in it', { ring: 'canary' }, 'canary', true],
    ['of a ring, and the machine is in another', { ring: 'canary' }, 'office', false],
    ['of a ring, and the machine is in none', { ring: 'canary' }, undefined, false],
    ['for more machines than stand before this one', { percent: place + 0.1 }, undefined, true],
    ['for fewer machines', { percent: Math.max(0, place - 0.1) }, undefined, false],
    ['for nobody', { percent: 0 }, undefined, false],
    ['for all', { percent: 100 }, undefined, true],
  ];
  test.each(cases)('%s', async (_how, rollout, ring, comes) => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse), [], stage.key, ring);
    const reply = await stage.update(stage.signed(2, refuse, { rollout }));
    if (comes) expect(reply).toMatchObject({ value: { profile: { serial: 2, rollout } } });
    else expect(reply).toMatchObject({ failure: { code: 'profile-not-yet' } });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: comes ? 2 : 1, ring: ring ?? null } },
    });
  });

  test('places are spread evenly, and do not depend on each other', () => {
    const places = Array.from({ length: 1000 }, (_, n) => placeInRollout('p', `machine ${n}`));
    expect(places.filter((one) => one < 10).length).toBeGreaterThan(60);
    expect(places.filter((one) => one < 10).length).toBeLessThan(140);
    expect(places.every((one) => one >= 0 && one < 100)).toBe(true);
    expect(placeInRollout('p', 'machine 1')).toBe(places[1]);
    expect(placeInRollout('q', 'machine 1')).not.toBe(places[1]);
  });
});

describe('a new key', () => {
  const next = makeSecretKey();
  const nextKey = writePublicKey(publicKeyOf(next)).split('\n')[1];

  test('is taken once the old one announced it, and ends the old one', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, refuse));
    expect(await stage.update(stage.signed(2, refuse, {}, next))).toMatchObject({
      failure: { message: expect.stringContaining('another key') },
    });
    await stage.update(stage.signed(2, refuse, { nextKey }));
    expect(await stage.update(stage.signed(3, refuse))).toMatchObject({ ok: true });
    expect(await stage.update(stage.signed(4, refuse, {}, next))).toMatchObject({
      failure: { message: expect.stringContaining('another key') },
    });
    await stage.update(stage.signed(4, refuse, { nextKey }));
    await stage.stop();
    await stage.begin();
    expect(await stage.update(stage.signed(5, refuse, {}, next))).toMatchObject({ ok: true });
    expect(await stage.update(stage.signed(6, refuse))).toMatchObject({
      failure: { message: expect.stringContaining('another key') },
    });
    expect(stage.lines.filter((line) => line.includes('profile-key-changed'))).toHaveLength(1);
    const announced = stage.lines.filter((line) => line.includes('profile-key-announced'));
    expect(announced).toEqual([
      expect.stringMatching(/"serial":2,"fingerprint":"[0-9a-f]{64}"/),
      expect.stringMatching(/"serial":4,/),
    ]);
  });

  test('that is none is told', async () => {
    await stage.startWith();
    expect(await stage.enrol(stage.signed(1, refuse, { nextKey: 'x' }))).toMatchObject({
      failure: { code: 'profile-refused', message: expect.stringContaining('nextKey') },
    });
  });
});

test('what could never be read is as strict as it can be', async () => {
  await stage.startWith({ queryLog: { mode: 'full' }, downgrade: 'fallback' });
  await stage.enrol(
    stage.signed(1, {
      'queryLog.mode': { value: 'ful', lock: 'locked' },
      consent: { value: 'nobody' },
      ...bypass,
    }),
    ['bypass', 'downgrade', 'log'],
  );
  expect(await stage.inForce('queryLog.mode')).toMatchObject({ value: 'off', locked: true });
  expect(await stage.inForce('consent')).toMatchObject({ value: 'administrator', locked: false });
  expect(await stage.inForce('downgrade')).toMatchObject({ value: 'refuse', locked: true });
  expect(await stage.inForce('bypass')).toMatchObject({ value: [] });
});
