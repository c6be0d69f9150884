import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import {
  type ProtectionState,
  protectionState,
} from '../../contract/protection/protection-state.ts';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import { type LoginFacts, noPortal } from './portal-facts.ts';
import {
  entry,
  facts,
  group,
  here,
  none,
  now,
  reached,
  rules,
  someConsentRequest,
  trying,
} from './protection-fixture.ts';
import type { Switch } from './switch.ts';
import { type ProtectionFacts, transition } from './transition.ts';

const off: Switch = { protection: 'off', since: 5, who: 'me', until: null };
const paused: Switch = { protection: 'paused', since: 5, who: 'me', until: 9 };
const found = { ...noPortal, found: true };
const warn = rules({ policy: 'warn' });
const fallback = rules({ policy: 'fallback' });
const corp = rules({ id: 'corp', names: ['corp.example'] });
const corpFallback = { ...corp, policy: 'fallback' as const };

const offline = { kind: 'offline', upstream: 'A' } as const;
const wideEntry = (changes: Partial<LedgerEntry> = {}) =>
  entry({ rule: '*', until: null, ...changes });

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
    { position: paused, groups: [group({ rules: warn, request: someConsentRequest() })] },
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
  [
    'a rule that is a downgrade exposes, whatever the upstreams do',
    { groups: [group({ path: reached })], wideRules: [wideEntry()] },
    { state: 'exposed', since: now - 60_000, until: null, consent: 'the rule *, by your settings' },
  ],
  [
    'a rule that is a downgrade sends nothing without a network',
    { groups: [group({ path: offline })], wideRules: [wideEntry()] },
    { state: 'refusing', why: 'There is no network here.' },
  ],
  [
    'a rule that was a downgrade on another network exposes nobody here',
    { groups: [group({ path: reached })], wideRules: [wideEntry({ network: 'home' })] },
    { state: 'private', upstream: 'A', tls: 'TLS 1.3' },
  ],
  [
    'whoever paused Sotto is told of the pause first',
    { position: paused, wideRules: [wideEntry()] },
    { state: 'paused', until: 9 },
  ],
  [
    'a network that wants a login is said where no private path stands',
    { portal: found },
    { state: 'portal' },
  ],
  [
    'a login page on a network where TLS gets through is nobody’s state',
    { portal: found, groups: [group({ path: reached })] },
    { state: 'private', upstream: 'A', tls: 'TLS 1.3' },
  ],
];

test.each(cases)('%s', (_what, changes, state) => {
  expect(transition(facts(changes)).state).toEqual(state);
});

test('every state is reached above', () => {
  const states = protectionState.options.map((option) => option.shape.state.value);
  const reachedStates = new Set(cases.map(([, , { state }]) => state));
  expect(states.filter((state) => !reachedStates.has(state))).toEqual([]);
});

test.each([
  ['off', off],
  ['paused', paused],
])('while %s nothing of class policy is permitted and nobody is asked', (_what, position) => {
  const groups = [
    group({ rules: warn, request: someConsentRequest() }),
    group({ rules: corpFallback }),
  ];
  expect(transition(facts({ position, groups, exposures: [entry()] }))).toMatchObject({
    permissions: [],
    requests: [{ group: '', change: 'drop' }],
  });
});

test('two groups go by their own policies', () => {
  const groups = [group({ rules: warn, path: none }), group({ rules: corpFallback, path: none })];
  const { permissions, requests, groups: states } = transition(facts({ groups }));
  expect(permissions).toMatchObject([{ class: 'policy', group: 'corp' }]);
  expect(requests).toEqual([{ group: '', change: 'open' }]);
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
    { groups: [group({ rules: warn, request: someConsentRequest() })] },
    { asking: { '': 'A: timed out. Answer: sotto consent allow kfpm --minutes 30.' } },
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
    { 'queries-in-cleartext': { '': '' } },
  ],
  ['off', { position: off }, {}],
])('health while %s', (_what, changes, expected) => {
  const { health } = transition(facts(changes));
  const said = [...health].filter(([, details]) => details.size > 0);
  expect(
    Object.fromEntries(
      said.map(([code, details]) => [
        code,
        Object.fromEntries([...details].map(([group, says]) => [group, inEnglish(says)])),
      ]),
    ),
  ).toEqual(expected);
});

const login: LoginFacts = {
  network: here.id,
  networkLabel: here.label,
  site: '',
  reason: 'login page of portal.example',
  who: 'ann',
  until: now + 300_000,
};

test.each([
  ['refuse', rules()],
  ['warn', warn],
  ['fallback', fallback],
])('under %s a network that wants a login is told no name', (_policy, policy) => {
  const moved = transition(facts({ portal: found, groups: [group({ rules: policy })] }));
  expect(moved).toMatchObject({ state: { state: 'portal' }, permissions: [], requests: [] });
});

test('a verdict takes back what fallback gave, and ends no consent request', () => {
  const groups = [
    group({ rules: fallback }),
    group({ rules: { ...warn, id: 'b' }, request: someConsentRequest() }),
  ];
  const moved = transition(facts({ portal: found, groups, exposures: [entry()] }));
  expect(moved).toMatchObject({ permissions: [], requests: [] });
});

test('what a person allowed holds where a network wants a login', () => {
  const request = someConsentRequest({
    state: 'allowed',
    who: 'ann',
    answeredAt: now - 1,
    until: now + 60_000,
  });
  const groups = [group({ rules: warn, request })];
  const without = transition(facts({ groups, exposures: [entry({ who: 'ann' })] }));
  const moved = transition(facts({ groups, exposures: [entry({ who: 'ann' })], portal: found }));
  expect(moved).toEqual(without);
  expect(moved.state.state).toBe('exposed');
});

test('while it is being found out, fallback waits; what stands already goes on', () => {
  const portal = { ...noPortal, looking: true };
  const groups = [group({ rules: fallback })];
  expect(transition(facts({ portal, groups }))).toMatchObject({
    state: { state: 'starting' },
    permissions: [],
  });
  expect(transition(facts({ portal, groups, exposures: [entry()] }))).toMatchObject({
    state: { state: 'exposed' },
    permissions: [{ class: 'policy' }],
  });
});

test('a login is permitted to whoever began it, here, until its time is over', () => {
  const open = { ...found, login };
  const permission = {
    class: 'portal',
    network: here.id,
    networkLabel: here.label,
    group: '',
    rule: '',
    reason: login.reason,
    who: 'ann',
    until: login.until,
  };
  expect(transition(facts({ portal: open })).permissions).toEqual([permission]);
  for (const changed of [
    { portal: { ...open, login: { ...login, network: 'home' } } },
    { portal: open, now: login.until },
    { portal: open, position: off },
    { portal: open, position: paused },
  ])
    expect(transition(facts(changed)).permissions).toEqual([]);
});

/** No finding, genuine or faked, leads to a permission of class policy, and without a login to none of another class. */
test('no verdict lowers anything', () => {
  const groups = [reached, trying, none].flatMap((path) =>
    [rules(), warn, fallback].flatMap((policy) =>
      [null, someConsentRequest()].map((request) => group({ path, rules: policy, request })),
    ),
  );
  const verdicts = [found, { ...noPortal, looking: true }, { ...found, looking: true }];
  for (const one of groups)
    for (const exposures of [[], [entry()]])
      for (const portal of verdicts) {
        const plain = facts({ groups: [one], exposures });
        const without = transition(plain).permissions;
        const given = transition({ ...plain, portal }).permissions;
        expect(without).toEqual(expect.arrayContaining(given));
      }
});
