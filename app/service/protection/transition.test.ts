import { expect, test } from 'vitest';
import { type ProtectionState, protectionState } from '../../contract/protection-state.ts';
import {
  entry,
  facts,
  group,
  none,
  now,
  reached,
  rules,
  someAsk,
  trying,
} from './protection-fixture.ts';
import type { Switch } from './switch.ts';
import { type ProtectionFacts, transition } from './transition.ts';

const off: Switch = { protection: 'off', since: 5, who: 'me', until: null };
const paused: Switch = { protection: 'paused', since: 5, who: 'me', until: 9 };
const warn = rules({ policy: 'warn' });
const fallback = rules({ policy: 'fallback' });
const corp = rules({ id: 'corp', names: ['corp.example'] });
const corpFallback = { ...corp, policy: 'fallback' as const };

const cases: [string, Partial<ProtectionFacts>, ProtectionState][] = [
  ['off', { position: off, groups: [group({ path: reached })] }, { state: 'off', since: 5 }],
  [
    'off under fallback',
    { position: off, groups: [group({ rules: fallback })] },
    { state: 'off', since: 5 },
  ],
  ['paused under refuse', { position: paused }, { state: 'paused', until: 9 }],
  [
    'paused under warn',
    { position: paused, groups: [group({ rules: warn, ask: someAsk() })] },
    { state: 'paused', until: 9 },
  ],
  [
    'paused under fallback',
    { position: paused, groups: [group({ rules: fallback })], exposures: [entry()] },
    { state: 'paused', until: 9 },
  ],
  ['starting', { groups: [group({ path: trying })] }, { state: 'starting', upstream: 'A' }],
  [
    'private',
    { groups: [group({ path: reached })] },
    { state: 'private', upstream: 'A', tls: 'TLS 1.3' },
  ],
  ['refusing', {}, { state: 'refusing', why: 'A: timed out.' }],
  ['asking', { groups: [group({ rules: warn })] }, { state: 'asking', upstream: 'A' }],
  [
    'exposed',
    { groups: [group({ rules: fallback })], exposures: [entry()] },
    { state: 'exposed', since: now - 60_000, until: null, consent: 'fallback, by your settings' },
  ],
  [
    'a group that is exposed is said before others that are private',
    {
      groups: [group({ path: reached }), group({ rules: corpFallback })],
      exposures: [entry({ group: 'corp' })],
    },
    { state: 'exposed', since: now - 60_000, until: null, consent: 'fallback, by your settings' },
  ],
  [
    'a group that waits for a person is said before others that are private',
    { groups: [group({ path: reached }), group({ rules: { ...corp, policy: 'warn' } })] },
    { state: 'asking', upstream: 'A' },
  ],
  [
    'a group that refuses leaves the state to the default group',
    { groups: [group({ path: reached }), group({ rules: corp })] },
    { state: 'private', upstream: 'A', tls: 'TLS 1.3' },
  ],
  [
    'an entry from before the network changed exposes nobody here',
    { groups: [group({ rules: warn })], exposures: [entry({ network: 'home', who: 'ann' })] },
    { state: 'asking', upstream: 'A' },
  ],
];

test.each(cases)('%s', (_what, changes, state) => {
  expect(transition(facts(changes)).state).toEqual(state);
});

test('every state but the portal, which nothing notices yet, is reached above', () => {
  const states = protectionState.options.map((option) => option.shape.state.value);
  const reachedStates = new Set(cases.map(([, , { state }]) => state));
  expect(states.filter((state) => !reachedStates.has(state))).toEqual(['portal']);
});

test.each([
  ['off', off],
  ['paused', paused],
])('while %s nothing of class policy is permitted and nobody is asked', (_what, position) => {
  const groups = [group({ rules: warn, ask: someAsk() }), group({ rules: corpFallback })];
  expect(transition(facts({ position, groups, exposures: [entry()] }))).toMatchObject({
    permissions: [],
    asks: [{ group: '', change: 'drop' }],
  });
});

test('two groups go by their own policies', () => {
  const groups = [group({ rules: warn, path: none }), group({ rules: corpFallback, path: none })];
  const { permissions, asks, groups: states } = transition(facts({ groups }));
  expect(permissions).toMatchObject([{ class: 'policy', group: 'corp' }]);
  expect(asks).toEqual([{ group: '', change: 'open' }]);
  expect(states).toMatchObject([
    { id: '', state: { state: 'asking' } },
    { id: 'corp', state: { state: 'refusing' } },
  ]);
});

test.each<[string, Partial<ProtectionFacts>, object]>([
  ['private', { groups: [group({ path: reached })] }, {}],
  ['refusing', {}, { 'no-private-path': { '': 'A: timed out.' } }],
  [
    'refusing for a group',
    { groups: [group({ path: reached }), group({ rules: corp })] },
    { 'no-private-path': { corp: 'Names of the group corp. A: timed out.' } },
  ],
  [
    'asking',
    { groups: [group({ rules: warn, ask: someAsk() })] },
    { asking: { '': 'A: timed out. Answer: sotto ask allow kfpm --minutes 30.' } },
  ],
  [
    'exposed',
    { groups: [group({ rules: fallback })], exposures: [entry()] },
    { exposed: { '': 'A: timed out. fallback, by your settings.' } },
  ],
  [
    'clear by choice',
    {
      groups: [group({ chosenClear: { reason: 'r', who: 'w' } })],
      exposures: [entry({ who: 'w', until: null })],
    },
    { 'questions-in-clear': { '': '' } },
  ],
  ['off', { position: off }, {}],
])('health while %s', (_what, changes, expected) => {
  const { health } = transition(facts(changes));
  const said = [...health].filter(([, details]) => details.size > 0);
  expect(
    Object.fromEntries(said.map(([code, details]) => [code, Object.fromEntries(details)])),
  ).toEqual(expected);
});
