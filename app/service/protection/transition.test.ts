import { expect, test } from 'vitest';
import type { ProtectionState } from '../../contract/protection-state.ts';
import type { LedgerEntry, UpstreamStatus } from '../../contract/service-status.ts';
import { idleUpstream } from '../engine/fake-engine.ts';
import type { Switch } from './switch.ts';
import { transition } from './transition.ts';

const on: Switch = { protection: 'on', since: 1, who: 'me' };
const off: Switch = { protection: 'off', since: 5, who: 'me', until: null };
const paused: Switch = { protection: 'paused', since: 5, who: 'me', until: 9 };

const error = { code: 'connect-failed', text: "192.0.2.1:853: can't connect" };
const tls = { version: '1.3', cipher: '', group: '', resumed: false, name: null, pinned: false };
const a = (status: Partial<UpstreamStatus>): UpstreamStatus => ({ ...idleUpstream, ...status });
const b = (status: Partial<UpstreamStatus>): UpstreamStatus => a({ id: 'b', ...status });
const clear = a({ id: 'u', transport: 'udp', state: 'ready', answered: 3 });
const ready = { state: 'ready', tls } as const;
const resting = { state: 'resting', lastError: error } as const;

const policyEntry: LedgerEntry = {
  id: 1,
  class: 'policy',
  network: 'any',
  rule: '',
  reason: '',
  who: 'your settings',
  since: 7,
  until: null,
  count: 0,
  closed: null,
};

const isPrivate = (upstream: string): ProtectionState => ({
  state: 'private',
  upstream,
  tls: 'TLS 1.3',
});
const starting = (upstream: string): ProtectionState => ({ state: 'starting', upstream });

const cases: [string, Switch, UpstreamStatus[], LedgerEntry | null, ProtectionState][] = [
  ['off', off, [a(ready)], null, { state: 'off', since: 5 }],
  ['paused', paused, [a(ready)], null, { state: 'paused', until: 9 }],
  [
    'only clear upstreams',
    on,
    [clear],
    policyEntry,
    { state: 'exposed', since: 7, until: null, consent: 'allowed by your settings' },
  ],
  ['nothing asked yet', on, [a({})], null, starting('A')],
  ['dialing', on, [a({ state: 'dialing' })], null, starting('A')],
  ['ready', on, [a(ready)], null, isPrivate('A')],
  ['ready after a failure', on, [a({ ...ready, lastError: error })], null, isPrivate('A')],
  ['asleep between questions', on, [a({ tls, answered: 4 })], null, isPrivate('A')],
  [
    'dialing again after an idle close',
    on,
    [a({ state: 'dialing', tls, answered: 4 })],
    null,
    isPrivate('A'),
  ],
  ['the first fails, the second stands in', on, [a(resting), b(ready)], null, isPrivate('B')],
  [
    'the first fails, the second is tried',
    on,
    [a(resting), b({ state: 'negotiating' })],
    null,
    starting('B'),
  ],
  [
    'all fail',
    on,
    [a(resting), b({ ...resting, lastError: { code: 'x', text: 'no' } })],
    null,
    { state: 'refusing', why: `A: ${error.text}. B: no.` },
  ],
  [
    'failing is not starting while it is tried again',
    on,
    [a({ state: 'dialing', lastError: error })],
    null,
    { state: 'refusing', why: `A: ${error.text}.` },
  ],
  [
    'a clear upstream never makes it private',
    on,
    [a(resting), clear],
    null,
    { state: 'refusing', why: `A: ${error.text}.` },
  ],
  ['no usable upstream', on, [clear], null, { state: 'refusing', why: 'No upstream can be used.' }],
];

test.each(cases)('%s', (_what, position, upstreams, entry, state) => {
  const labelOf = (id: string) => id.toUpperCase();
  expect(transition({ position, upstreams, policyEntry: entry, labelOf })).toEqual(state);
});
