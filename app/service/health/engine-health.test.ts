import { expect, test } from 'vitest';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import { idleUpstream } from '../engine/fake-engine.ts';
import { engineHealth } from './engine-health.ts';

const sound: Parameters<typeof engineHealth>[0]['engine'] = {
  listening: ['127.0.0.1:53', '[::1]:53'],
  elsewhere: [],
  upstreams: [],
  events: { delivered: 0, dropped: 0 },
  looping: [],
  acceptFailures: { count: 0, standing: false, lastError: null },
  brokenListeners: [],
  turnedAway: { count: 0, standing: false },
};

const upstream = (code: string, state: 'resting' | 'ready' = 'resting') => ({
  ...idleUpstream,
  state,
  path: state === 'ready' ? ('dot' as const) : null,
  lastError: { code, text: 'words' },
});

function issues(facts: Partial<Parameters<typeof engineHealth>[0]>): Record<string, object> {
  const all = engineHealth({
    engine: sound,
    held: null,
    now: 100,
    built: 50,
    ...facts,
  });
  return Object.fromEntries(
    [...all]
      .filter(([, details]) => details.size > 0)
      .map(([code, details]) => [
        code,
        Object.fromEntries([...details].map(([subject, says]) => [subject, inEnglish(says)])),
      ]),
  );
}

const engine = (...upstreams: ReturnType<typeof upstream>[]) => ({
  engine: { ...sound, upstreams },
});

const broken = { address: '127.0.0.1:53', protocol: 'udp', why: 'Input/output error' } as const;

test.each([
  ['nothing wrong', {}, {}],
  [
    'a listener that breaks down',
    { engine: { ...sound, brokenListeners: [broken] } },
    { 'listener-restarting': { 'udp 127.0.0.1:53': 'UDP at 127.0.0.1:53: Input/output error.' } },
  ],
  [
    'IPv6 that is switched off',
    { engine: { ...sound, listening: ['127.0.0.1:53'], elsewhere: ['[::1]:53'] } },
    {
      'address-elsewhere': { '[::1]:53': 'Now [::1]:53 is not an address of this computer.' },
    },
  ],
  [
    'an address that was added while running',
    {
      held: ['127.0.0.1:53', '127.0.0.1:53', '[::1]:53', '[::1]:53'],
      engine: { ...sound, listening: ['127.0.0.1:53', '127.0.0.2:53'] },
    },
    {
      'address-not-held': {
        '127.0.0.2:53': '127.0.0.2:53 was opened by the service itself.',
      },
    },
  ],
  [
    'addresses that other machines may reach',
    { engine: { ...sound, listening: ['127.0.0.1:53', '[::1]:53', '0.0.0.0:53', '[fd00::1]:53'] } },
    {
      'listen-reachable': {
        '0.0.0.0:53': 'It listens on 0.0.0.0:53.',
        '[fd00::1]:53': 'It listens on [fd00::1]:53.',
      },
    },
  ],
  [
    'no room to wait',
    { engine: { ...sound, turnedAway: { count: 7, standing: true } } },
    { 'queries-turned-away': { '': '7 since the service started.' } },
  ],
  ['room again', { engine: { ...sound, turnedAway: { count: 7, standing: false } } }, {}],
  [
    'a wrong name',
    engine(upstream('certificate-name')),
    { 'certificate-wrong': { a: 'a: words.' } },
  ],
  ['a wrong name where another address works', engine(upstream('certificate-name', 'ready')), {}],
  ['an ordinary failure', engine(upstream('connect-failed')), {}],
  [
    'an expired certificate',
    engine(upstream('certificate-expired')),
    { 'certificate-wrong': { a: 'a: words.' } },
  ],
  [
    'a server that says nothing of its formats',
    { engine: { ...sound, upstreams: [{ ...idleUpstream, lengthsShown: true }] } },
    {
      'lengths-shown': {
        a: 'a was asked whether it can hide them, and nothing came back.',
      },
    },
  ],
  [
    'a clock before our own making',
    { now: 10 },
    { 'clock-wrong': { '': 'It shows 1970-01-01T00:00:00.010Z.' } },
  ],
  [
    'a bypass resolver that asks us',
    { engine: { ...sound, looping: ['192.0.2.9:53'] } },
    { 'bypass-loop': { '192.0.2.9:53': '192.0.2.9:53 asks Sotto itself.' } },
  ],
  [
    'lost events',
    { engine: { ...sound, events: { delivered: 9, dropped: 2 } } },
    { 'events-dropped': { '': '2 are missing.' } },
  ],
  [
    'no descriptors',
    { engine: { ...sound, acceptFailures: { count: 3, standing: true, lastError: 'no files' } } },
    { 'descriptors-exhausted': { '': 'The system says: no files.' } },
  ],
  [
    'descriptors that came free again',
    { engine: { ...sound, acceptFailures: { count: 3, standing: false, lastError: 'no files' } } },
    {},
  ],
])('%s', (_what, facts, expected) => {
  expect(issues(facts)).toEqual(expected);
});
