/** Warn, carried out: a person gets a consent request, and the answer holds here, for its minutes, and nowhere else. */
import { beforeEach, expect, test } from 'vitest';
import { someSnapshot } from '../network/fake-network-watch.ts';
import { consentDeadlineMs } from './consent-requests.ts';
import { someEffective } from './effective-fixture.ts';
import {
  ann,
  corpDot,
  dot,
  elsewhere,
  failing,
  ProtectionStage,
  ready,
} from './protection-stage.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

test('asked once, and nothing is sent until a person allows it', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.tick();
  expect(stage.stateOf(protection)).toEqual({ state: 'asking', upstream: 'A' });
  expect(stage.addon.applied.at(-1)).toMatchObject({ leases: [], groups: [{ hold: false }] });
  expect(protection.consentRequests()).toMatchObject([
    {
      state: 'open',
      why: 'A: timed out.',
      rungs: ['tcp', 'udp'],
      deadline: stage.now + consentDeadlineMs,
    },
  ]);
  const { id } = stage.openConsentRequest(protection);
  expect(await protection.allow(id, 30, ann)).toMatchObject({
    value: { state: 'allowed', who: 'ann', until: stage.now + 30 * 60_000 },
  });
  expect(stage.lastLeases()).toMatchObject([
    { entry: 1, class: 'policy', until: stage.now + 30 * 60_000 },
  ]);
  expect(stage.entries()).toMatchObject([{ who: 'ann', reason: expect.stringMatching(/30 min/) }]);
  expect(stage.stateOf(protection)).toMatchObject({ state: 'exposed', consent: 'allowed by ann' });
});

test('when the time is over the entry is closed and the person asked again', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  const { id } = stage.openConsentRequest(protection);
  await protection.allow(id, 1, ann);
  stage.now += 60_000;
  await protection.tick();
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.entries()).toMatchObject([{ closed: 'its time ran out' }]);
  expect(stage.openConsentRequest(protection).id).not.toBe(id);
});

test('the engine’s clock ends what was allowed, whatever the time of day says', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.allow(stage.openConsentRequest(protection).id, 30, ann);
  stage.addon.ended.add(1);
  await protection.tick();
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.stateOf(protection)).toEqual({ state: 'asking', upstream: 'A' });
});

test('denied, until a person retries in vain: then asked anew', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  const { id } = stage.openConsentRequest(protection);
  await protection.deny(id, ann);
  await protection.tick();
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
  const retried = protection.retry(id, ann);
  await expect.poll(() => stage.addon.reconnects).toBe(1);
  expect(stage.stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
  stage.addon.upstreams.set('a', { ...failing, dials: 1 });
  const value = { state: 'retried', reached: null, whyNot: 'A: timed out.' };
  expect(await retried).toMatchObject({ ok: true, value });
  expect(stage.openConsentRequest(protection).id).not.toBe(id);
  expect(await retried).toMatchObject({ value: { next: stage.openConsentRequest(protection).id } });
});

test('denied, until a private path returns: lost again, asked again', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.deny(stage.openConsentRequest(protection).id, ann);
  stage.addon.upstreams.set('a', ready);
  await protection.settle();
  stage.addon.upstreams.set('a', failing);
  await protection.settle();
  expect(protection.consentRequests().map(({ state }) => state)).toEqual(['open', 'denied']);
});

test('denied, until the network changes', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.deny(stage.openConsentRequest(protection).id, ann);
  stage.watch.change(elsewhere);
  await protection.settle();
  expect(stage.stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
  stage.addon.upstreams.set('a', { ...failing, dials: 1 });
  await protection.settle();
  expect(stage.openConsentRequest(protection)).toMatchObject({
    network: stage.network.stay().partition,
  });
});

test('what was allowed on one network is not allowed on the next, nor after coming back', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.allow(stage.openConsentRequest(protection).id, 30, ann);
  for (const [dials, place] of [elsewhere, someSnapshot()].entries()) {
    stage.watch.change(place);
    await protection.settle();
    stage.addon.upstreams.set('a', { ...failing, dials: dials + 1 });
    await protection.settle();
    expect(stage.lastLeases()).toEqual([]);
  }
  expect(protection.consentRequests().map(({ state }) => state)).toEqual([
    'open',
    'withdrawn',
    'allowed',
  ]);
});

test('what was allowed on one network is not allowed on the next by settings that change first', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.allow(stage.openConsentRequest(protection).id, 30, ann);
  stage.watch.change(elsewhere);
  await protection.adopt(someEffective({ upstreams: [dot], downgrade: 'warn', strategy: 'race' }));
  expect(stage.entries()).toMatchObject([{ id: 1, closed: 'the network changed' }]);
});

test('an answer counts no more once the clock is before it', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.allow(stage.openConsentRequest(protection).id, 30, ann);
  stage.now -= 60_000;
  await protection.settle();
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.openConsentRequest(protection)).toMatchObject({ state: 'open' });
});

test('nobody answers: refusing, and the consent request hangs no longer', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  const { id } = stage.openConsentRequest(protection);
  stage.now += consentDeadlineMs;
  await protection.tick();
  expect(protection.consentRequests()).toMatchObject([{ id, state: 'unanswered' }]);
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
  expect(await protection.allow(id, 5, ann)).toMatchObject({
    failure: {
      code: 'consent-request-closed',
      remedy: `to be asked anew: sotto consent retry ${id}`,
    },
  });
});

test('an answer a moment too late is none', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  const { id } = stage.openConsentRequest(protection);
  stage.now += consentDeadlineMs;
  expect(await protection.allow(id, 5, ann)).toMatchObject({
    failure: { code: 'consent-request-closed' },
  });
  expect(stage.lastLeases()).toEqual([]);
});

test('consent of an administrator: nobody below may give it', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn', consent: 'administrator' });
  const { id } = stage.openConsentRequest(protection);
  expect(await protection.allow(id, 5, ann)).toMatchObject({ failure: { code: 'forbidden' } });
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.openConsentRequest(protection).id).toBe(id);
  const root = { who: 'root', role: 'administer' } as const;
  expect(await protection.allow(id, 5, root)).toMatchObject({ ok: true });
  expect(stage.entries()).toMatchObject([{ who: 'root' }]);
});

test('after a restart nobody has allowed anything', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  await protection.allow(stage.openConsentRequest(protection).id, 30, ann);
  stage.restart();
  stage.addon.upstreams.set('a', failing);
  const again = await stage.start({ downgrade: 'warn' });
  expect(stage.entries()).toMatchObject([{ id: 1, closed: 'interrupted' }]);
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.stateOf(again)).toEqual({ state: 'asking', upstream: 'A' });
});

test('settings that change the policy withdraw the consent request; others leave it', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  const { id } = stage.openConsentRequest(protection);
  const upstreams = [dot];
  await protection.adopt(someEffective({ upstreams, downgrade: 'warn', 'cache.entries': 5 }));
  expect(stage.openConsentRequest(protection).id).toBe(id);
  await protection.adopt(someEffective({ upstreams, downgrade: 'warn', rungs: ['tcp'] }));
  expect(protection.consentRequests()).toMatchObject([
    { state: 'open', rungs: ['tcp'] },
    { id, state: 'withdrawn' },
  ]);
  await protection.adopt(someEffective({ upstreams }));
  expect(protection.consentRequests().map(({ state }) => state)).toEqual([
    'withdrawn',
    'withdrawn',
  ]);
});

test('settings without the group withdraw what its people were asked', async () => {
  stage.addon.upstreams.set('c', failing);
  const groups = { corp: { names: ['corp.example'] } };
  const upstreams = [dot, corpDot];
  const protection = await stage.start({ downgrade: 'warn', groups, upstreams });
  expect(stage.openConsentRequest(protection)).toMatchObject({ group: 'corp' });
  await protection.adopt(someEffective({ upstreams: [dot], downgrade: 'warn' }));
  expect(protection.consentRequests()).toMatchObject([{ group: 'corp', state: 'withdrawn' }]);
});
