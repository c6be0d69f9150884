import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Explanation } from '../../contract/settings/rule-methods.ts';
import { compareRules, mergeRules, putRule, removeRule, replaceRule } from './rule-list.ts';
import { readRules, writeRules } from './rule-text.ts';
import { sayExplanation } from './say-explanation.ts';

const corp = { suffix: 'corp.example', to: ['192.0.2.53', '[2001:db8::53]:5353'] };
const lab = { suffix: 'lab.example', to: ['192.0.2.1'] };

const others = [
  { suffix: '=www.corp.example', to: ['link:tun0', 'network'] },
  { suffix: '*', to: ['network'] },
  { suffix: '10.0.0.0/8', to: ['link:tun0'] },
  { suffix: 'co.uk', to: ['192.0.2.1'], downgrade: true as const },
  {
    suffix: 'db.example',
    to: ['192.0.2.1'],
    when: {
      user: ['backup', 1001],
      unit: ['a\\x2db.service'],
      network: ['Café = 7 % #1', 'cafe01234567'],
      hours: [
        { days: ['mon' as const, 'tue' as const], from: '22:00', to: '06:00' },
        { from: '12:00', to: '13:00' },
      ],
    },
  },
];

test.each(['json', 'text'] as const)('what is written as %s can be read again', (format) => {
  expect(readRules(writeRules([corp, ...others], format))).toEqual({
    ok: true,
    value: [corp, ...others],
  });
  expect(readRules(writeRules([corp, lab], format))).toEqual({ ok: true, value: [corp, lab] });
  expect(readRules(writeRules([], format))).toEqual({ ok: true, value: [] });
});

test('comments, empty lines, tabs and any line ends', () => {
  const text =
    '\uFEFF# ours\r\n\r\ncorp.example\t192.0.2.53  [2001:db8::53]:5353 # two\nlab.example 192.0.2.1\r';
  expect(readRules(text)).toEqual({ ok: true, value: [corp, lab] });
});

test.each([
  ['corp.example', /line 1: no resolver/],
  ['a.example 192.0.2.1\nb.example resolver.example', /^line 2: .*not an IP address/],
  ['*.corp.example 192.0.2.1', /line 1: .*not a domain name/],
  ['=. 192.0.2.1', /line 1: .*nor "=www/],
  ['10.0.0.0/33 192.0.2.1', /line 1: .*prefix/],
  ['a.example link:', /line 1: .*link:tun0/],
  ['a.example network hours=9-17', /line 1: .*/],
  ['a.example network unit=firefox', /line 1: .*not a unit of systemd/],
  ['a.example network group=admins', /line 1: .*not an IP address/],
  ['{ "bypass": 1 }', /bypass: /],
  ['{ "bypass": [], "more": 1 }', /more: unknown field/],
  ['{', /none/],
  ['{ "bypass": [], "bypass": [] }', /twice/],
  ['corp.example 192.0.2.53#5353', /line 1: "192.0.2.53#5353" is not an IP address/],
  ['corp.example 192.0.2.53@5353', /not an IP address/],
  ['corp.example 192.0.2.53:5353#two', /not an IP address/],
  ['corp.example#lan 192.0.2.53', /line 1: "corp.example#lan" is not a domain name/],
  ['server=/corp.example/192.0.2.53#5353 192.0.2.1', /is not a domain name/],
  ['onion 192.0.2.1', /line 1: "onion" can never be used.*Tor/],
  ['=a.Localhost. 192.0.2.1', /this machine/],
  ['127.0.0.1/32 192.0.2.1', /this machine/],
  ['corp.example 192.0.2.53\nCorp.Example. 192.0.2.54', /line 2: corp.example .* in line 1/],
  ['corp.example network network=B\ufffdro', /line 1: .*UTF-8/],
])('%j is refused', (text, message) => {
  expect(readRules(text)).toMatchObject({
    failure: { code: 'bad-rules', message: expect.stringMatching(message) },
  });
});

test('of many errors some are told', () => {
  const read = readRules('x\n'.repeat(30));
  expect(!read.ok && read.failure.message.split('\n').at(-1)).toBe('and 10 more');
});

test('what is nearly a rule is refused, or means the same when it is written and read again', () => {
  const word = fc.oneof(
    fc.stringMatching(/^(192\.0\.2\.53|\[?2001:db8::53\]?)([:@#%,;/]{1,2}[0-9a-z]{0,6}){0,2}$/),
    fc.stringMatching(
      /^=?[a-zü.*-]{1,4}(corp\.example|onion|localhost|10\.0\.0\.0\/\d{1,3})\.?#?$/,
    ),
    fc.stringMatching(/^(link|network|user|unit|hours|to)[:=#@][a-z0-9:,#%@-]{0,14}$/),
    fc.constantFrom('network', 'downgrade', '#', '#x', '192.0.2.1', 'link:tun#0', 'link:#x'),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const read = readRules(words.join(' '));
      if (!read.ok) return;
      expect(readRules(writeRules(read.value, 'text'))).toEqual(read);
      // No word before the comment is lost, or cut.
      const comment = words.findIndex((one) => one.startsWith('#'));
      const written = words.slice(0, comment < 0 ? words.length : comment);
      const [rule] = read.value;
      const said = [...(rule?.to ?? []), ...(rule?.downgrade ? ['downgrade'] : [])];
      expect(written.slice(1).filter((one) => !/^(user|unit|network|hours)=/.test(one))).toEqual(
        said,
      );
    }),
    { numRuns: 5000 },
  );
});

test('the number of an account has one spelling', () => {
  const line = (user: string) => readRules(`corp.example 192.0.2.53 user=${user}`);
  expect(line('7').ok).toBe(true);
  expect(line('0').ok).toBe(true);
  for (const user of ['007', '00', '01000']) expect(line(user).ok).toBe(false);
});

test('any text is rules or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = readRules(text);
      if (read.ok) expect(readRules(writeRules(read.value, 'text'))).toEqual(read);
    }),
    { numRuns: 3000 },
  );
});

test('the same names with another condition are another rule', () => {
  const forBackup = { ...corp, when: { user: ['backup', 7] } };
  const sameAgain = { ...lab, suffix: 'Corp.Example', when: { user: [7, 'backup'] } };
  const forUnit = { ...corp, when: { unit: ['a.service'] } };
  expect(putRule([corp], forBackup)).toEqual([corp, forBackup]);
  expect(putRule([corp, forBackup], sameAgain)).toEqual([
    corp,
    { ...sameAgain, suffix: 'corp.example' },
  ]);
  const rules = (left: object[]) => ({ value: { rules: left } });
  expect(removeRule([corp, forBackup], 'corp.example')).toMatchObject(rules([forBackup]));
  expect(removeRule([corp, forBackup], 'corp.example', sameAgain.when)).toMatchObject(
    rules([corp]),
  );
  expect(removeRule([forBackup], 'corp.example')).toMatchObject(rules([]));
  expect(removeRule([forBackup, forUnit], 'corp.example')).toMatchObject({
    failure: { code: 'unknown-rule', message: expect.stringContaining('when unit a.service') },
  });
  expect(removeRule([corp], 'corp.example', { user: ['ann'] })).toMatchObject({
    failure: { message: expect.stringContaining('another condition: without a condition') },
  });
  expect(compareRules([corp], mergeRules([corp], [forBackup], 'replace'))).toEqual({
    added: [forBackup],
    changed: [],
    removed: [corp],
    unchanged: 0,
  });
});

test('a rule takes the place of another one', () => {
  const when = { user: ['backup'] };
  const conditional = { ...lab, when };
  expect(replaceRule([corp, lab], { suffix: 'LAB.example.' }, conditional)).toEqual({
    ok: true,
    value: [corp, conditional],
  });
  expect(replaceRule([corp, lab, conditional], { suffix: 'corp.example' }, conditional)).toEqual({
    ok: true,
    value: [conditional, lab],
  });
  expect(replaceRule([corp], { suffix: 'corp.example', when }, lab)).toMatchObject({
    failure: { code: 'unknown-rule', subject: 'suffix' },
  });
});

test('a rule for a suffix that has one takes its place, whatever its case', () => {
  const other = { suffix: 'Corp.Example.', to: ['192.0.2.9'] };
  expect(putRule([corp, lab], other)).toEqual([{ ...corp, to: ['192.0.2.9'] }, lab]);
  expect(putRule([corp], lab)).toEqual([corp, lab]);
  expect(removeRule([corp, lab], 'CORP.example')).toMatchObject({ value: { rules: [lab] } });
  const written = { ...corp, suffix: '=bücher.example' };
  expect(removeRule([written], '=xn--bcher-kva.example')).toMatchObject({ value: { rules: [] } });
  expect(removeRule([corp], 'db.corp.example')).toMatchObject({
    failure: { code: 'unknown-rule', remedy: expect.stringContaining('corp.example') },
  });
});

test.each([
  ['merge', [corp, { ...lab, to: ['192.0.2.2'] }], { added: [], removed: [], unchanged: 1 }],
  ['replace', [{ ...lab, to: ['192.0.2.2'] }], { added: [], removed: [corp], unchanged: 0 }],
] as const)('%s says what changes', (mode, after, changes) => {
  const merged = mergeRules([corp, lab], [{ ...lab, to: ['192.0.2.2'] }], mode);
  expect(merged).toEqual(after);
  expect(compareRules([corp, lab], merged)).toEqual({
    ...changes,
    changed: [{ before: lab, after: { ...lab, to: ['192.0.2.2'] } }],
  });
});

const facts: Omit<Explanation, 'sentence'> = {
  name: 'www.example',
  type: 'A',
  verdict: 'forward',
  rule: '',
  origin: null,
  reason: '',
  rcode: null,
  servers: ['quad9', 'mullvad'],
  group: { id: '', policy: 'refuse' },
  clear: 'none',
  cached: null,
  privateOnly: false,
  conditions: [],
};
const bypass = {
  verdict: 'bypass',
  rule: 'corp.example',
  servers: ['192.0.2.53:53'],
  group: null,
} as const;
const direct = { verdict: 'direct', servers: ['192.0.2.1:53'], group: null } as const;

test.each([
  [{}, 'www.example A goes privately to Quad9. Without a private path it is refused.'],
  [
    { group: { id: 'corp', policy: 'warn' } },
    'www.example A goes privately to Quad9 of the group corp. Without a private path you are asked.',
  ],
  [{ cached: 'fresh' }, 'www.example A is answered from the cache.'],
  [
    { cached: 'denied' },
    'www.example A is answered from the cache: a name above it does not exist.',
  ],
  [{ cached: 'failed' }, 'www.example A failed a moment ago; it is asked again soon.'],
  [{ servers: [] }, 'www.example A is refused: there is no upstream to ask.'],
  [
    { clear: 'policy' },
    'www.example A goes in cleartext: no private path to Quad9 works, and the policy allows it.',
  ],
  [
    { ...bypass, clear: 'bypass' },
    'www.example A goes in cleartext to 192.0.2.53:53, by the bypass rule for corp.example.',
  ],
  [
    { ...bypass, clear: 'bypass', origin: { from: 'link', link: 'tun0', by: 'resolved' } },
    'www.example A goes in cleartext to 192.0.2.53:53, by the rule that link tun0 brought (systemd-resolved) for corp.example.',
  ],
  [
    { ...bypass, servers: [], reason: 'its link is not there' },
    'www.example A is refused, by the bypass rule for corp.example: its link is not there.',
  ],
  [
    bypass,
    'www.example A falls under the bypass rule for corp.example, for which no permission is open: it is refused.',
  ],
  [
    { ...bypass, servers: [] },
    'www.example A falls under the bypass rule for corp.example, whose resolvers all lead back to Sotto: it is refused.',
  ],
  [
    { ...direct, clear: 'paused' },
    "www.example A goes in cleartext to the system's resolver 192.0.2.1:53, because Sotto is paused.",
  ],
  [
    direct,
    'www.example A is refused: Sotto is off or paused, and no resolver of the system may be asked.',
  ],
  [
    {
      verdict: 'local',
      rule: 'onion',
      reason: 'only in Tor',
      rcode: 'NXDOMAIN',
      group: null,
      servers: [],
    },
    'www.example A is answered on this machine (NXDOMAIN), by the rule for onion: only in Tor.',
  ],
  [
    { conditions: [{ of: 'rule', name: 'corp.example when user backup', fit: 'no' }] },
    'www.example A goes privately to Quad9. Without a private path it is refused. The bypass rule for corp.example when user backup does not count, because its condition does not fit.',
  ],
  [
    { cached: 'fresh', conditions: [{ of: 'group', name: 'corp', fit: 'unknown' }] },
    'www.example A is answered from the cache. It is not known whether the condition of the group corp fits, so the stricter policy counts.',
  ],
  [
    {
      group: { id: '', policy: 'fallback' },
      privateOnly: true,
      conditions: [{ of: 'refuse-for', name: '0', fit: 'yes' }],
    },
    'www.example A goes privately to Quad9. Without a private path it is refused. No downgrade lets this query out, because "refuseFor" (user kiosk) fits.',
  ],
] as const)('%j: %s', (changes, sentence) => {
  const said = sayExplanation(
    { ...facts, ...(changes as object) },
    (id) => (id === 'quad9' ? 'Quad9' : id),
    () => 'user kiosk',
  );
  expect(said).toBe(sentence);
});
