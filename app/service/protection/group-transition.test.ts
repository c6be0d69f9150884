import { describe, expect, test } from 'vitest';
import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import { fallbackLeaseMs, type GroupFacts, groupTransition } from './group-transition.ts';
import { noPortal } from './portal-facts.ts';
import { retryGraceMs } from './private-path-retry.ts';
import {
  entry,
  group,
  here,
  none,
  now,
  reached,
  rules,
  someConsentRequest,
  trying,
} from './protection-fixture.ts';

function move(facts: Partial<GroupFacts>, exposures: LedgerEntry[] = [], at = now) {
  const surroundings = { now: at, here, exposures, portal: noPortal };
  const { says, ...moved } = groupTransition(group(facts), surroundings);
  const { state } = moved;
  if (says !== undefined) {
    const why = state.state === 'refusing' ? state.why : state.state === 'exposed' && state.consent;
    expect(inEnglish(says).replace(/\.$/, '')).toBe(String(why).replace(/\.$/, ''));
  }
  return moved;
}

const isPrivate = { state: 'private', upstream: 'A', tls: 'TLS 1.3' };
const starting = { state: 'starting', upstream: 'A' };
const asking = { state: 'asking', upstream: 'A' };
const refusing = (why = 'A: timed out.') => ({ state: 'refusing', why });
const stays = { permission: null, request: null };

describe('without a network', () => {
  const offline = { kind: 'offline', upstream: 'A' } as const;
  const nothing = { state: refusing('There is no network here.'), permission: null, request: null };
  const chosenClear = { reason: 'every upstream is without TLS: a', who: 'your settings' };

  test.each<[string, Partial<GroupFacts>, LedgerEntry[]]>([
    ['refuse', {}, []],
    ['warn', { rules: rules({ policy: 'warn' }) }, []],
    ['fallback', { rules: rules({ policy: 'fallback' }) }, []],
    ['fallback, exposed before', { rules: rules({ policy: 'fallback' }) }, [entry()]],
    ['only clear upstreams', { chosenClear }, []],
  ])('%s: nothing is asked or permitted', (_what, facts, exposures) => {
    expect(move({ ...facts, path: offline }, exposures)).toEqual(nothing);
  });

  test.each(['open', 'allowed', 'denied', 'retried'] as const)(
    'what was %s counts no more',
    (state) => {
      const request = someConsentRequest({
        state,
        until: now + 60_000,
        who: 'ann',
        answeredAt: now,
      });
      const moved = move({ rules: rules({ policy: 'warn' }), path: offline, request });
      expect(moved).toEqual({ ...nothing, request: 'drop' });
    },
  );
});

describe('refuse', () => {
  test.each([
    ['a private path', reached, isPrivate],
    ['one is being tried', trying, starting],
    ['none works', none, refusing()],
  ])('%s', (_what, path, state) => {
    expect(move({ path })).toEqual({ state, ...stays });
  });

  test('a consent request that was open under another policy counts no more', () => {
    expect(move({ request: someConsentRequest() })).toEqual({
      state: refusing(),
      permission: null,
      request: 'drop',
    });
  });
});

describe('warn', () => {
  const warn = rules({ policy: 'warn' });
  const minute = 60_000;
  const allowed = someConsentRequest({
    state: 'allowed',
    who: 'ann',
    answeredAt: now - minute,
    until: now + 29 * minute,
  });
  const allowedEntry = entry({ who: 'ann', until: allowed.until });
  const permission = {
    class: 'policy',
    network: 'cafe',
    networkLabel: 'the café',
    group: '',
    rule: '',
    reason: 'allowed for 30 min: no private path (A: timed out); rungs allowed: tcp, udp',
    who: 'ann',
    until: allowed.until,
  };
  const exposed = {
    state: 'exposed',
    since: allowedEntry.since,
    until: allowed.until,
    consent: 'allowed by ann',
  };
  const denied = someConsentRequest({ state: 'denied', who: 'ann', answeredAt: now });
  const retried = someConsentRequest({ state: 'retried', who: 'ann', answeredAt: now });
  const unanswered = someConsentRequest({ state: 'unanswered', deadline: now - 1 });

  test.each<[string, Partial<GroupFacts>, object]>([
    ['a private path', { path: reached }, { state: isPrivate, ...stays }],
    ['one is being tried', { path: trying }, { state: starting, ...stays }],
    ['none works: a person is asked', {}, { state: asking, permission: null, request: 'open' }],
    ['the consent request is open', { request: someConsentRequest() }, { state: asking, ...stays }],
    [
      'the consent request is open while paths are tried again',
      { request: someConsentRequest(), path: trying },
      { state: asking, ...stays },
    ],
    [
      'its deadline passes',
      { request: someConsentRequest({ deadline: now }) },
      {
        state: refusing(
          'A: timed out. Nobody answered the consent request; "sotto consent retry kfpm" tries again.',
        ),
        permission: null,
        request: 'expire',
      },
    ],
    [
      'nobody answered',
      { request: unanswered },
      {
        state: refusing(
          'A: timed out. Nobody answered the consent request; "sotto consent retry kfpm" tries again.',
        ),
        ...stays,
      },
    ],
    [
      'denied',
      { request: denied },
      {
        state: refusing(
          'A: timed out. ann chose to stay private here; "sotto consent retry kfpm" tries again.',
        ),
        ...stays,
      },
    ],
    [
      'denied, and paths are tried again',
      { request: denied, path: trying },
      { state: starting, ...stays },
    ],
    ['retried: given time', { request: retried }, { state: starting, ...stays }],
    [
      'no rung is allowed: nothing to ask about',
      { rules: rules({ policy: 'warn', rungs: [] }) },
      { state: refusing(), ...stays },
    ],
  ])('%s', (_what, facts, expected) => {
    expect(move({ rules: warn, ...facts })).toEqual(expected);
  });

  test('retried in vain: asked anew', () => {
    const later = move({ rules: warn, request: retried }, [], now + retryGraceMs);
    expect(later).toEqual({ state: asking, permission: null, request: 'open' });
  });

  test('allowed: nothing is exposed before the entry is written', () => {
    const before = move({ rules: warn, request: allowed });
    expect(before).toEqual({ state: refusing(), permission, request: null });
    const after = move({ rules: warn, request: allowed }, [allowedEntry]);
    expect(after).toEqual({ state: exposed, permission, request: null });
  });

  test('allowed, until the time is over: asked again', () => {
    const until = allowed.until ?? 0;
    const last = move({ rules: warn, request: allowed }, [allowedEntry], until - 1);
    expect(last).toMatchObject({ state: exposed, request: null });
    const over = move({ rules: warn, request: allowed }, [allowedEntry], until);
    expect(over).toEqual({ state: asking, permission: null, request: 'open' });
  });

  test('a private path returns while exposed: private at once, and no permission; the time allowed goes on', () => {
    const back = move({ rules: warn, request: allowed, path: reached }, [allowedEntry]);
    expect(back).toEqual({ state: isPrivate, ...stays });
    const gone = move({ rules: warn, request: allowed });
    expect(gone).toMatchObject({ permission, request: null });
  });

  test.each<[string, ConsentRequest]>([
    ['open', someConsentRequest()],
    ['denied', denied],
    ['unanswered', unanswered],
    ['retried', retried],
    ['allowed and over', { ...allowed, until: now }],
  ])('a private path ends what was asked: %s', (_what, request) => {
    expect(move({ rules: warn, request, path: reached })).toEqual({
      state: isPrivate,
      permission: null,
      request: 'drop',
    });
  });

  test('the entry of another group, network or person is not ours', () => {
    for (const other of [{ group: 'corp' }, { network: 'home' }, { who: 'bob' }])
      expect(
        move({ rules: warn, request: allowed }, [{ ...allowedEntry, ...other }]),
      ).toMatchObject({
        state: refusing(),
        permission,
      });
  });
});

describe('fallback', () => {
  const fallback = rules({ policy: 'fallback' });
  const fresh = {
    class: 'policy',
    network: 'cafe',
    networkLabel: 'the café',
    group: '',
    rule: '',
    reason: 'no private path (A: timed out); rungs allowed: tcp, udp',
    who: 'your settings',
    until: now + fallbackLeaseMs,
  };
  const exposed = {
    state: 'exposed',
    since: now - 60_000,
    until: null,
    consent: 'fallback, by your settings',
  };

  test.each<[string, Partial<GroupFacts>, object]>([
    ['a private path', { path: reached }, { state: isPrivate, ...stays }],
    ['one is being tried', { path: trying }, { state: starting, ...stays }],
    [
      'none works: a permission is wanted',
      {},
      { state: refusing(), permission: fresh, request: null },
    ],
    [
      'no rung is allowed',
      { rules: rules({ policy: 'fallback', rungs: [] }) },
      { state: refusing(), ...stays },
    ],
    [
      'nobody is asked any more',
      { request: someConsentRequest() },
      { state: refusing(), permission: fresh, request: 'drop' },
    ],
  ])('%s', (_what, facts, expected) => {
    expect(move({ rules: fallback, ...facts })).toEqual(expected);
  });

  test('a lease that lasts is left alone, one that is half over is renewed', () => {
    const lasting = entry({ until: now + fallbackLeaseMs / 2 + 1 });
    expect(move({ rules: fallback }, [lasting])).toEqual({
      state: exposed,
      permission: { ...fresh, until: lasting.until },
      request: null,
    });
    const ending = entry({ until: now + fallbackLeaseMs / 2 });
    expect(move({ rules: fallback }, [ending])).toEqual({
      state: exposed,
      permission: fresh,
      request: null,
    });
  });

  test('a lease that ran out while nobody renewed it is not revived', () => {
    expect(move({ rules: fallback }, [entry({ until: now })])).toEqual({
      state: refusing(),
      permission: fresh,
      request: null,
    });
  });

  test('a private path returns while exposed: private at once, and no permission', () => {
    expect(move({ rules: fallback, path: reached }, [entry()])).toEqual({
      state: isPrivate,
      ...stays,
    });
  });
});

test('upstreams without TLS by choice: exposed for as long as they are all there is', () => {
  const chosenClear = { reason: 'every upstream is without TLS: u', who: 'your settings' };
  const standing = entry({ until: null });
  expect(move({ chosenClear }, [standing])).toEqual({
    state: {
      state: 'exposed',
      since: standing.since,
      until: null,
      consent: 'allowed by your settings',
    },
    permission: expect.objectContaining({ ...chosenClear, until: null }),
    request: null,
  });
});
