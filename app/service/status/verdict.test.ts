/** Every combination of facts, cell by cell, and what must hold for all of them. */
import { describe, expect, test } from 'vitest';
import type { ProtectionState } from '../../contract/protection/protection-state.ts';
import { verdict as schema, type Verdict } from '../../contract/protection/verdict.ts';
import {
  headlineOf,
  sentencesOf,
  verdictInEnglish,
} from '../../contract/protection/verdict-words.ts';
import { sentences } from '../../contract/sentences/sentence.ts';
import type { SystemDnsStatus } from '../../contract/system/system-dns.ts';
import { type CoverageSeen, judgeVerdict, type VerdictFacts } from './verdict.ts';

const at = Date.UTC(2026, 0, 31, 14, 2);
const protections = {
  private: { state: 'private', upstream: 'Quad9', tls: 'TLS 1.3' },
  starting: { state: 'starting', upstream: 'Quad9' },
  asking: { state: 'asking', upstream: 'Quad9' },
  exposed: { state: 'exposed', since: at, until: at + 600_000, consent: 'allowed by ann' },
  refusing: { state: 'refusing', why: 'Quad9: timed out.' },
  portal: { state: 'portal' },
  paused: { state: 'paused', until: at },
  off: { state: 'off', since: at },
} as const satisfies Record<ProtectionState['state'], ProtectionState>;

const idle: SystemDnsStatus = {
  mechanism: 'resolved',
  wanted: true,
  taken: false,
  since: null,
  links: [],
  givenBackFor: null,
  contest: null,
  trouble: null,
};
const trouble = { code: 'no-mechanism', message: 'no', remedy: 'none', subject: null } as const;
const held = { taken: true, since: at, links: ['wlan0'] };
const open = { since: at, closed: false, constant: false };
const closed = { since: at, closed: true, constant: false };
const constant = { ...open, constant: true };

/** The names of the decision's table; several situations are one column there. */
const situations = {
  'no way known': [null],
  'never taken': [
    { ...idle, wanted: false },
    { ...idle, wanted: false, trouble },
    { ...idle, wanted: false, contest: open },
    { ...idle, wanted: false, contest: closed },
  ],
  'not taken yet': [idle, { ...idle, trouble }, { ...idle, givenBackFor: 'off' }],
  'no link': [{ ...idle, givenBackFor: 'no-link' }],
  taken: [
    { ...idle, ...held },
    { ...idle, ...held, trouble },
    // It could not be given back, so programs do use us.
    { ...idle, ...held, wanted: false },
    { ...idle, ...held, contest: closed },
    { ...idle, ...held, contest: { ...constant, closed: true } },
  ],
  'taken again, contested and not closed': [
    { ...idle, ...held, contest: open },
    { ...idle, ...held, wanted: false, contest: open },
  ],
  'taken for moments only': [{ ...idle, ...held, contest: constant }],
  'led away': [
    { ...idle, contest: open },
    { ...idle, contest: constant },
    { ...idle, contest: open, givenBackFor: 'contested' },
    { ...idle, givenBackFor: 'contested' },
  ],
  'led away, closed': [
    { ...idle, contest: closed },
    { ...idle, contest: closed, trouble },
  ],
} satisfies Record<string, (SystemDnsStatus | null)[]>;

const looks = {
  unseen: null,
  clean: { programsArrive: true, around: [] },
  around: {
    programsArrive: true,
    around: [
      { kind: 'browser', name: 'Chrome' },
      { kind: 'container', name: 'Docker 0123456789ab' },
    ],
  },
  gap: { programsArrive: false, around: [] },
} satisfies Record<string, CoverageSeen | null>;

type Situation = keyof typeof situations;
type Look = keyof typeof looks;
type State = keyof typeof protections;
type Row = Record<State, Verdict['is']>;

const always = { paused: 'paused', off: 'off' } as const;
const elsewhere: Row = {
  private: 'not-in-use',
  starting: 'not-in-use',
  asking: 'not-in-use',
  exposed: 'not-in-use',
  refusing: 'not-in-use',
  portal: 'not-in-use',
  ...always,
};
const here: Row = {
  private: 'protected',
  starting: 'connecting',
  asking: 'choose',
  exposed: 'unencrypted',
  refusing: 'blocked',
  portal: 'log-in',
  ...always,
};
const away: Row = {
  private: 'unencrypted',
  starting: 'unencrypted',
  asking: 'unencrypted',
  exposed: 'unencrypted',
  refusing: 'unencrypted',
  portal: 'unencrypted',
  ...always,
};
const shut: Row = { ...here, private: 'blocked', starting: 'blocked' };
const unproved: Row = { ...here, private: 'connecting' };

const table: Record<Situation, Record<Look, Row>> = {
  'no way known': everyLook(elsewhere),
  'never taken': everyLook(elsewhere),
  'not taken yet': everyLook(elsewhere),
  'no link': everyLook(unproved),
  taken: {
    unseen: unproved,
    clean: here,
    around: { ...here, private: 'partly' },
    gap: elsewhere,
  },
  'taken again, contested and not closed': {
    unseen: away,
    clean: { ...here, private: 'partly' },
    around: { ...here, private: 'partly' },
    gap: away,
  },
  'taken for moments only': everyLook(away),
  'led away': everyLook(away),
  'led away, closed': everyLook(shut),
};

function everyLook(row: Row): Record<Look, Row> {
  return { unseen: row, clean: row, around: row, gap: row };
}

const all = (Object.keys(situations) as Situation[]).flatMap((situation) =>
  (situations[situation] as (SystemDnsStatus | null)[]).flatMap((systemDns) =>
    (Object.keys(looks) as Look[]).flatMap((look) =>
      (Object.keys(protections) as State[]).flatMap((state) =>
        [0, 2].flatMap((exceptions) =>
          [true, false].map((reached) => ({
            situation,
            look,
            state,
            facts: {
              protection: protections[state],
              systemDns,
              coverage: looks[look],
              exceptions,
              reached,
            } satisfies VerdictFacts,
          })),
        ),
      ),
    ),
  ),
);

test('every combination has the verdict of the table', () => {
  expect(all).toHaveLength(23 * 4 * 8 * 4);
  const wrong = all.filter(
    ({ situation, look, state, facts }) => judgeVerdict(facts).is !== table[situation][look][state],
  );
  expect(wrong).toEqual([]);
});

test('every verdict that a service can come to is come to', () => {
  const come = new Set(all.map(({ facts }) => judgeVerdict(facts).is));
  expect(come).toEqual(new Set(schema.options.map(({ shape }) => shape.is.value)));
});

/** Checked for all combinations, without the table: what must never be claimed. */
describe('never better than what is known', () => {
  const judged = all.map(({ facts }) => ({ facts, verdict: judgeVerdict(facts) }));
  const ofKind = (...kinds: Verdict['is'][]) =>
    judged.filter(({ verdict }) => kinds.includes(verdict.is));
  const isInPlace = ({ systemDns }: VerdictFacts) => systemDns?.taken === true;
  const isContested = ({ systemDns }: VerdictFacts) => systemDns?.contest?.closed === false;

  test('protected: taken, looked at, everything arrives, nothing goes around, and private', () => {
    const found = ofKind('protected');
    expect(found.length).toBeGreaterThan(0);
    for (const { facts } of found) {
      expect(isInPlace(facts)).toBe(true);
      expect(facts.protection.state).toBe('private');
      expect(facts.coverage).toEqual({ programsArrive: true, around: [] });
      expect(isContested(facts)).toBe(false);
    }
  });

  test('partly: private and taken, and who goes around is named', () => {
    for (const { facts, verdict } of ofKind('partly')) {
      expect(isInPlace(facts)).toBe(true);
      expect(facts.protection.state).toBe('private');
      expect(verdict).toMatchObject({
        around: facts.coverage?.around,
        contested: isContested(facts),
      });
      expect(isContested(facts) || facts.coverage?.around.length !== 0).toBe(true);
    }
  });

  test('“none leaves”: only where nobody asks past us, or nobody gets there', () => {
    for (const { facts, verdict } of ofKind('choose', 'blocked', 'log-in', 'connecting')) {
      const { systemDns } = facts;
      const nothingLeaves =
        isInPlace(facts) ||
        systemDns?.contest?.closed === true ||
        systemDns?.givenBackFor === 'no-link';
      expect(nothingLeaves).toBe(true);
      const changes = 'keeps changing this computer';
      expect(verdictInEnglish(verdict).includes(changes)).toBe(isContested(facts));
      expect(facts.protection.state).not.toBe('exposed');
    }
  });

  test('what Sotto itself sends unencrypted is in the verdict, whoever asks', () => {
    for (const { verdict } of judged.filter(({ facts }) => facts.protection.state === 'exposed')) {
      const told =
        verdict.is === 'unencrypted' ||
        (verdict.is === 'not-in-use' && verdict.unencryptedSince !== null);
      expect(told).toBe(true);
    }
  });

  test('off and paused are a person’s own word, and stand', () => {
    for (const { facts, verdict } of judged)
      for (const own of ['off', 'paused'] as const)
        expect(verdict.is === own).toBe(facts.protection.state === own);
  });

  test('exceptions in force are in the sentence where it says that nothing else leaves', () => {
    const found = ofKind('protected', 'partly', 'connecting', 'choose', 'blocked', 'log-in');
    for (const { facts, verdict } of found) {
      const told = verdictInEnglish(verdict).includes('2 exceptions are in force.');
      expect(told).toBe(facts.exceptions === 2);
    }
  });

  test('each is whole: valid, with a headline and sentences that exist and are filled', () => {
    for (const { verdict } of judged) {
      expect(schema.parse(verdict)).toEqual(verdict);
      for (const { code } of [headlineOf(verdict), ...sentencesOf(verdict)])
        expect(Object.hasOwn(sentences, code)).toBe(true);
      expect(verdictInEnglish(verdict)).not.toMatch(/[{}]|undefined|NaN|\.\.$/);
    }
  });
});

const time = () => '14:02';
const facts = (changes: Partial<VerdictFacts>): VerdictFacts => ({
  protection: protections.private,
  systemDns: { ...idle, ...held },
  coverage: looks.clean,
  exceptions: 0,
  reached: false,
  ...changes,
});
const neverTaken = { ...idle, wanted: false };
const endless = { ...protections.exposed, until: null };
const goes = (around: CoverageSeen['around']) => ({ coverage: { programsArrive: true, around } });
const browsers = [
  { kind: 'browser', name: 'Chrome' },
  { kind: 'browser', name: 'Firefox' },
] as const;
const camera = { kind: 'program', name: 'camera', count: 7, since: 1 } as const;
const container = { kind: 'container', name: 'Docker 1' } as const;

test.each<[string, Partial<VerdictFacts>]>([
  ["Protected. Quad9 answers this computer's queries, encrypted.", {}],
  [
    "Protected. Quad9 answers this computer's queries, encrypted. 1 exception is in force.",
    { exceptions: 1 },
  ],
  ['Not in use yet. Sotto works, but this computer asks somebody else.', { systemDns: null }],
  [
    'Not in use yet. Sotto works, but this computer asks somebody else. Programs that were pointed at Sotto by hand are answered, encrypted.',
    { systemDns: neverTaken, reached: true },
  ],
  [
    'Not in use yet. This computer asks somebody else, not Sotto.',
    { systemDns: neverTaken, protection: protections.refusing, reached: true },
  ],
  [
    'Not in use yet. This computer asks somebody else, not Sotto. What reaches Sotto leaves unencrypted, too, since 14:02.',
    { systemDns: neverTaken, protection: protections.exposed },
  ],
  ['Partly protected. Chrome and 1 container go around Sotto.', { coverage: looks.around }],
  [
    "Partly protected. Another program or the network keeps changing this computer's DNS; what it leads away leaves unencrypted.",
    { systemDns: { ...idle, ...held, contest: open } },
  ],
  [
    "Your choice. Quad9 can't be reached encrypted here. Nothing is sent until you decide. Another program or the network keeps changing this computer's DNS; what it leads away leaves unencrypted.",
    { systemDns: { ...idle, ...held, contest: open }, protection: protections.asking },
  ],
  [
    "Unencrypted. Another program or the network took this computer's DNS over: queries leave unencrypted since 14:02.",
    { systemDns: { ...idle, ...held, contest: constant } },
  ],
  ['Partly protected. Chrome goes around Sotto.', goes(browsers.slice(0, 1))],
  ['Partly protected. Chrome, Firefox go around Sotto.', goes([...browsers])],
  ['Partly protected. 1 container goes around Sotto.', goes([container])],
  ['Partly protected. Some programs go around Sotto.', goes([{ kind: 'other', name: '::2' }])],
  [
    'Partly protected. camera goes around Sotto. 7 queries or connections went past it since 14:02.',
    goes([camera]),
  ],
  [
    'Partly protected. camera, Chrome and 1 container go around Sotto. 8 queries or connections went past it since 14:02.',
    goes([camera, ...browsers.slice(0, 1), { ...container, count: 1, since: 2 }]),
  ],
  ['Connecting. Connecting to Quad9 …', { protection: protections.starting }],
  ["Connecting. Checking that this computer's queries reach Sotto …", { coverage: null }],
  [
    "Your choice. Quad9 can't be reached encrypted here. Nothing is sent until you decide. Chrome and 1 container go around Sotto.",
    { protection: protections.asking, coverage: looks.around },
  ],
  ['Unencrypted. Queries leave unencrypted here since 14:02.', { protection: endless }],
  [
    "Unencrypted. Another program or the network took this computer's DNS over: queries leave unencrypted since 14:02.",
    { systemDns: { ...idle, contest: open } },
  ],
  [
    "Blocked. Another program or the network took this computer's DNS over: queries are blocked, not leaked, until Sotto has it back.",
    { systemDns: { ...idle, contest: closed } },
  ],
  [
    'Blocked. No encrypted connection: queries are blocked, not leaked.',
    { protection: protections.refusing },
  ],
  [
    'Log in to this Wi-Fi. Queries wait until you are logged in; none leaves unencrypted.',
    { protection: protections.portal },
  ],
  [
    'Log in to this Wi-Fi. Queries wait until you are logged in. 1 exception is in force.',
    { protection: protections.portal, exceptions: 1 },
  ],
  [
    'Paused until 14:02 – unencrypted. This computer asks its network, unencrypted.',
    { protection: protections.paused },
  ],
  [
    'Off – unencrypted. This computer asks its network, unencrypted.',
    { protection: protections.off },
  ],
])('%s', (said, changes) => {
  expect(verdictInEnglish(judgeVerdict(facts(changes)), time)).toBe(said);
});

test('a permission that ends says how long it lasts', () => {
  const until = Date.now() + 7 * 60_000;
  const verdict = judgeVerdict(facts({ protection: { ...protections.exposed, until } }));
  expect(verdictInEnglish(verdict, time)).toMatch(
    /^Unencrypted\. Queries leave unencrypted here since 14:02; it was allowed, [67] min.* left\.$/,
  );
});

test('nothing that a person at home reads unfolded has a word of the trade', () => {
  const told = all.map(({ facts }) => verdictInEnglish(judgeVerdict(facts)));
  for (const text of new Set(told))
    expect(text).not.toMatch(/\b(IP|TLS|upstream|resolver|root)\b/i);
});
