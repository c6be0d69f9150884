import { expect, test } from 'vitest';
import type { EngineUpstreamStatus } from '../engine/boundary.ts';
import { idleUpstream } from '../engine/fake-engine.ts';
import { findPath, isTrying, type PathFacts, reach, sinceArrival } from './group-path.ts';

const error = { code: 'connect-failed', text: "192.0.2.1:853: can't connect" };
const tls = { version: '1.3', cipher: '', group: '', resumed: false, name: null, pinned: false };
const a = (status: Partial<EngineUpstreamStatus>): EngineUpstreamStatus => ({
  ...idleUpstream,
  ...status,
});
const b = (status: Partial<EngineUpstreamStatus>): EngineUpstreamStatus =>
  a({ id: 'b', ...status });
const clear = a({ id: 'u', transport: 'udp', state: 'ready', answered: 3 });
const ready = { state: 'ready', tls } as const;
const resting = { state: 'resting', lastError: error } as const;
const asleep = { tls, answered: 4 };

const reached = (upstream: string) => ({ kind: 'private', upstream, tls: 'TLS 1.3' });
const trying = (upstream: string) => ({ kind: 'trying', upstream });
const none = (why: string, upstream = 'A') => ({
  kind: 'none',
  upstream,
  why,
  says: expect.anything(),
});
const offline = (upstream: string) => ({ kind: 'offline', upstream });
const badResponse = { code: 'bad-response', text: 'its answer was not usable' };
const died = { code: 'dead', text: 'the connection went silent' };
const failed = none(`A: ${error.text}.`);

const cases: [string, EngineUpstreamStatus[], Partial<PathFacts>, object][] = [
  ['nothing asked yet', [a({})], {}, trying('A')],
  ['dialing', [a({ state: 'dialing' })], {}, trying('A')],
  ['ready', [a(ready)], {}, reached('A')],
  [
    'boxes that a resolver carries',
    [a({ state: 'ready', transport: 'encdns', path: 'encdns' })],
    {},
    { kind: 'private', upstream: 'A', tls: 'EncDNS' },
  ],
  ['ready after a failure', [a({ ...ready, lastError: error })], {}, reached('A')],
  ['asleep between queries', [a(asleep)], {}, reached('A')],
  ['dialing again after an idle close', [a({ ...asleep, state: 'dialing' })], {}, reached('A')],
  ['the first fails, the second stands in', [a(resting), b(ready)], {}, reached('B')],
  ['the second is tried', [a(resting), b({ state: 'dialing' })], {}, trying('B')],
  ['it fails and is tried again', [a({ state: 'dialing', lastError: error })], {}, failed],
  ['it died and is tried again', [a({ state: 'dialing', lastError: died })], {}, trying('A')],
  [
    'it was closed and is tried again, the second stands in',
    [a({ state: 'dialing', lastError: { code: 'closed', text: 'closed' } }), b(ready)],
    {},
    reached('B'),
  ],
  [
    'it died and the next try failed',
    [a({ ...resting, lastError: died })],
    {},
    none(`A: ${died.text}.`),
  ],
  ['a clear upstream is no private path', [a(resting), clear], {}, failed],
  ['only clear ones', [clear], {}, none('No upstream can be used.', 'no upstream')],
  [
    'all fail',
    [a(resting), b({ ...resting, lastError: { code: 'x', text: 'no' } })],
    {},
    none(`A: ${error.text}. B: no.`),
  ],
  [
    'all fail, and one of them is an impostor',
    [a(resting), b({ ...resting, lastError: { code: 'certificate-name', text: 'not him' } })],
    {},
    none(`B: not him. A: ${error.text}.`),
  ],
  [
    'dialing into a black hole is not starting for ever',
    [a({ state: 'dialing' })],
    { tryingSince: 90_000 },
    none('A: no connection.'),
  ],
  ['dialing for a while', [a({ state: 'dialing' })], { tryingSince: 90_001 }, trying('A')],
  ['asleep, but queries wait in vain', [a(asleep)], { holding: true }, none('A: no connection.')],
  [
    'dialing, and queries wait in vain',
    [a({ state: 'dialing' })],
    { holding: true },
    none('A: no connection.'),
  ],
  [
    'asleep, last reached by the other way, the configured one failed',
    [a({ ...asleep, path: 'tdns', lastError: error })],
    {},
    reached('A'),
  ],
  ['reached by the other way, then lost', [a({ ...resting, path: 'tdns' })], {}, failed],
  ['nothing tried yet, and no network', [a({})], { offline: true }, offline('A')],
  ['failing, and no network', [a(resting), b(resting)], { offline: true }, offline('A')],
  ['queries wait, and no network', [a(asleep)], { offline: true, holding: true }, offline('A')],
  ['only clear ones, and no network', [clear], { offline: true }, offline('U')],
  ['none at all', [], { offline: true }, none('No upstream can be used.', 'no upstream')],
  [
    'what is reached is reached, by a way nobody told us of',
    [a(ready)],
    { offline: true },
    reached('A'),
  ],
  ['it was reached, and answered badly', [a({ tls, lastError: badResponse })], {}, reached('A')],
  ['it answered badly, then could not be reached', [a({ ...resting, answered: 3 })], {}, failed],
  ['ready again while queries still wait', [a(ready)], { holding: true }, reached('A')],
];

test.each(cases)('%s', (_what, upstreams, changes, path) => {
  const labelOf = (id: string) => id.toUpperCase();
  const facts = {
    upstreams,
    offline: false,
    holding: false,
    tryingSince: null,
    now: 100_000,
    labelOf,
  };
  expect(findPath({ ...facts, ...changes })).toEqual(path);
});

test.each([
  ['nothing was dialed here', { ...resting, dials: 4, answered: 9 }, 'trying'],
  ['asleep since another place', { ...asleep, path: 'dot', dials: 4 }, 'trying'],
  ['the first dial here is under way', { state: 'dialing', lastError: error, dials: 5 }, 'trying'],
  ['the first dial here failed', { ...resting, dials: 5 }, 'failing'],
  ['the second is under way', { state: 'dialing', lastError: error, dials: 6 }, 'failing'],
  ['asleep since here', { ...asleep, path: 'dot', dials: 5 }, 'reachable'],
  ['open', { ...ready, dials: 4 }, 'reachable'],
  ['another upstream of the same name began to count', { ...resting, dials: 1 }, 'failing'],
] as const)('after four dials at another place: %s', (_what, status, expected) => {
  expect(reach(sinceArrival(a(status), 4))).toBe(expected);
});

test.each([
  ['dialing', [a({ state: 'dialing' })], true],
  ['dialing after a failure', [a({ state: 'dialing', lastError: error })], true],
  ['idle', [a({})], false],
  ['another is reachable', [a({ state: 'dialing' }), b(ready)], false],
])('a connection is being waited for: %s', (_what, upstreams, expected) => {
  expect(isTrying(upstreams)).toBe(expected);
});
