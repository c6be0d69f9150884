import { expect, test } from 'vitest';
import { consentDeadlineMs, consentRequestId, createConsentRequests } from './consent-requests.ts';

const about = {
  network: 'cafe',
  networkLabel: 'the café',
  group: '',
  upstream: 'A',
  why: 'A: timed out.',
  rungs: ['tcp' as const],
  consent: 'anyone' as const,
};
const ann = { who: 'ann', role: 'control' } as const;

function someConsentRequests() {
  let now = 100;
  let setBy = 0;
  let last = 0;
  const consentRequests = createConsentRequests(
    { wall: () => now, sinceBoot: () => now - setBy },
    () => `q${++last}`,
  );
  return {
    consentRequests,
    wait: (ms: number) => {
      now += ms;
    },
    setClock: (ms: number) => {
      now += ms;
      setBy += ms;
    },
  };
}

test('one consent request at a time for a group; the next withdraws the one before', () => {
  const { consentRequests } = someConsentRequests();
  consentRequests.open(about);
  consentRequests.open({ ...about, group: 'corp' });
  consentRequests.open(about);
  expect(consentRequests.list().map(({ id, group, state }) => [id, group, state])).toEqual([
    ['q3', '', 'open'],
    ['q2', 'corp', 'open'],
    ['q1', '', 'withdrawn'],
  ]);
  expect(consentRequests.allow('q1', 5, ann)).toMatchObject({
    failure: { code: 'consent-request-closed', remedy: 'see: sotto consent list' },
  });
});

test('answers say who, when and until when', () => {
  const { consentRequests, wait } = someConsentRequests();
  consentRequests.open(about);
  wait(50);
  expect(consentRequests.allow('q1', 2, ann)).toMatchObject({
    value: { state: 'allowed', who: 'ann', answeredAt: 150, until: 150 + 120_000 },
  });
  expect(consentRequests.deny('q1', ann)).toMatchObject({
    failure: {
      code: 'consent-request-closed',
      message: 'the consent request "q1" is closed: ann allowed it',
    },
  });
});

test.each(['denied', 'unanswered', 'open'] as const)('%s: can be retried, once', (state) => {
  const { consentRequests } = someConsentRequests();
  consentRequests.open(about);
  if (state === 'denied') consentRequests.deny('q1', ann);
  if (state === 'unanswered') consentRequests.expire('');
  expect(consentRequests.retry('q1', ann)).toMatchObject({ value: { state: 'retried' } });
  expect(consentRequests.retry('q1', ann)).toMatchObject({
    failure: { code: 'consent-request-closed' },
  });
});

test('the deadline holds before anybody has noticed it', () => {
  const { consentRequests, wait } = someConsentRequests();
  consentRequests.open(about);
  wait(consentDeadlineMs - 1);
  expect(consentRequests.list()[0]?.state).toBe('open');
  wait(1);
  expect(consentRequests.deny('q1', ann)).toMatchObject({
    failure: { remedy: 'to be asked anew: sotto consent retry q1' },
  });
});

test('a consent request that does not exist has its own error', () => {
  expect(someConsentRequests().consentRequests.deny('zzzz', ann)).toMatchObject({
    failure: { code: 'unknown-consent-request' },
  });
});

test('what is kept of old consent requests is bounded', () => {
  const { consentRequests } = someConsentRequests();
  for (let index = 0; index < 60; index++) consentRequests.open(about);
  expect(consentRequests.list()).toHaveLength(50);
  expect(consentRequests.list()[0]?.id).toBe('q60');
});

test('ids are four letters that are no word of another kind', () => {
  expect(consentRequestId(() => 0)).toBe('aaaa');
  expect(consentRequestId(() => 0.9999)).toBe('zzzz');
  expect(consentRequestId()).toMatch(/^[a-z]{4}$/);
});

test.each([86_400_000, -86_400_000])(
  'a clock that is set by %i ms changes no time that is left',
  (ms) => {
    const { consentRequests, wait, setClock } = someConsentRequests();
    consentRequests.open(about);
    wait(1_000);
    setClock(ms);
    expect(consentRequests.current('')).toMatchObject({
      openedAt: 100 + ms,
      deadline: 100 + ms + consentDeadlineMs,
    });
    expect(consentRequests.allow('q1', 5, ann)).toMatchObject({
      value: { until: 1_100 + ms + 300_000 },
    });
    setClock(-ms);
    expect(consentRequests.list()).toMatchObject([{ answeredAt: 1_100, until: 301_100 }]);
  },
);
