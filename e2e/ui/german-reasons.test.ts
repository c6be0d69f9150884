/** What the service and the engine say in English only: the sentences of their sources have their German, each its own. */
import { readFileSync } from 'node:fs';
import { RE2JS } from 're2js';
import { describe, expect, it, test } from 'vitest';
import type { DnsMessage } from '../../app/contract/dns/dns-message.ts';
import { crossFieldProblems } from '../../app/service/settings/cross-field-checks.ts';
import { differences } from '../../app/service/upstreams/ask-each.ts';
import { expressionProblemInGerman } from '../../renderer/text/de/expression-problems.ts';
import { differenceInGerman, queryReasonInGerman } from '../../renderer/text/de/query-reasons.ts';
import { refusalInGerman } from '../../renderer/text/de/setting-refusals.ts';

const engine = (file: string) =>
  readFileSync(new URL(`../../native/engine/src/${file}`, import.meta.url), 'utf8');

/** Sentences in quotation marks that this pattern finds in a source, with a word in every place. */
function sentencesIn(file: string, found: RegExp): string[] {
  const code = engine(file).split('#[cfg(test)]')[0] ?? '';
  return [...code.matchAll(found)].map(([, text = '']) =>
    text
      .replace(/\\\n\s*/g, '')
      .replace(/\\"/g, '"')
      .replace(/\{[^}]*\}/g, '7'),
  );
}

const quoted = String.raw`\s*"((?:[^"\\]|\\[\s\S])+)"`;
const errors = new RegExp(String.raw`#\[error\(${quoted}`, 'g');
const given = new RegExp(
  String.raw`(?:respond_stale\(pending, snapshot, &stale,|ExtendedError::new\(\s*ExtendedError::\w+,|\|\|? ExtendedError::new\(ExtendedError::\w+,|NotHeard::refused\(|=>|Some\(|&str =|reason: format!\(|astray\(|astray\(format!\()${quoted}`,
  'g',
);
const sentence = /^\S+ \S+ \S+/;

test.each([
  ['policy/special_use.rs', new RegExp(`(?:&str =|ToBypass, |Never, )${quoted}`, 'g'), 9],
  ['policy/response_policy.rs', given, 2],
  ['cleartext.rs', given, 5],
  ['pipeline.rs', given, 3],
  ['query.rs', given, 2],
  ['forward.rs', given, 4],
  ['kept.rs', given, 1],
  ['response.rs', errors, 5, 'its answer was not usable: '],
  ['split_horizon.rs', given, 4, "an internal alias can't be followed: "],
  ['pending_response.rs', given, 1],
  ['upstream/clear/lease.rs', errors, 3],
  ['upstream/failure/trust_error.rs', errors, 6],
  ['upstream/failure/proxy_error.rs', errors, 4],
  ['upstream/failure/dial_error.rs', errors, 3],
  ['upstream/failure/mod.rs', errors, 4],
] satisfies [file: string, found: RegExp, least: number, before?: string][])(
  'what %s says of a query has its German',
  (file, found, least, before = '' as string) => {
    const said = new Set(
      sentencesIn(file, found).filter((text) => sentence.test(text) && !text.startsWith('7')),
    );
    expect(said.size).toBeGreaterThanOrEqual(least);
    const german = [...said].map((text) => {
      const words = queryReasonInGerman(text.startsWith(before) ? text : `${before}${text}`);
      expect(words, text).not.toBeNull();
      return words;
    });
    expect(new Set(german).size, 'each sentence has a German of its own').toBe(said.size);
  },
);

test('differences between responses have their German', () => {
  const [one, other] = [
    { rcode: 'NOERROR', answer: [{ type: 'A', data: '192.0.2.1' }] },
    { rcode: 'NXDOMAIN', answer: [{ type: 'A', data: '192.0.2.2' }] },
  ] as unknown as [DnsMessage, DnsMessage];
  expect(differences(one, other).map(differenceInGerman)).toEqual([
    'NXDOMAIN statt NOERROR',
    'ohne A 192.0.2.1',
    'mit A 192.0.2.2',
  ]);
});

test.each([
  ['it has another question', /anderen Frage/],
  ['it refers to other servers: it does not resolve this name itself', /andere Server/],
])('an answer that was not usable is told: %s', (why, german) => {
  expect(queryReasonInGerman(`its answer was not usable: ${why}`)).toMatch(german);
});

test('the upstreams that gave no response are told with their addresses', () => {
  const text =
    "no private path: pool: 192.0.2.1:853: the certificate's issuer is not trusted (UnknownIssuer); [2001:db8::1]:853: can't connect (connection refused); tried again in 4 s; shed: no answer in time";
  expect(queryReasonInGerman(text)).toBe(
    'keine verschlüsselte Verbindung: pool: 192.0.2.1:853: das Zertifikat kommt von keiner vertrauten Ausgabestelle („UnknownIssuer“); [2001:db8::1]:853: keine Verbindung (abgelehnt); neuer Versuch in 4 s; shed: keine Antwort in der gesetzten Zeit',
  );
});

test.each([
  [
    'responded SERVFAIL instead of a boxed response',
    'keine Antwort von EncDNS („SERVFAIL instead of a boxed response“)',
  ],
  ['responded with a truncated message instead of a boxed response', 'keine Antwort von EncDNS'],
  ['responded with what the server did not seal', 'keine Antwort von EncDNS'],
])('why EncDNS was not carried is told: %s', (why, german) => {
  const text = `no private path: boxed: udp://192.0.2.1:53,[2001:db8::1]:53 ${why}`;
  expect(queryReasonInGerman(text)).toContain(german);
});

test('a sentence of a server stays as it is', () => {
  expect(queryReasonInGerman('blocked by policy of example')).toBeNull();
  expect(queryReasonInGerman('no private path: pool: something new happened')).toBeNull();
  expect(queryReasonInGerman('')).toBeNull();
});

describe('settings that do not fit together', () => {
  const upstream = {
    id: 'pool',
    transport: 'dot',
    address: '192.0.2.1',
    name: 'a.example',
  } as const;
  const settings = {
    listen: ['127.0.0.1:53', '127.0.0.1'],
    upstreams: [
      { ...upstream, group: 'far' },
      { ...upstream, address: '127.0.0.1:53', group: 'near' },
      {
        ...upstream,
        id: 'boxed',
        transport: 'encdns',
        address: 'upstream:gone',
        key: '00'.repeat(32),
      },
      { ...upstream, id: 'twice', transport: 'encdns', address: 'upstream:boxed' },
    ],
    groups: {
      near: { names: ['corp.example', 'corp.example', 'com'] },
      other: { names: ['corp.example', 'both.example'] },
    },
    bypass: [
      { suffix: 'both.example', to: ['127.0.0.1'] },
      { suffix: 'both.example', to: ['192.0.2.1'] },
      { suffix: 'co.uk', to: ['192.0.2.1'] },
      { suffix: '.', to: ['192.0.2.1'] },
    ],
    allowPrivate: ['.'],
    systemResolvers: ['127.0.0.1'],
  };
  const problems = crossFieldProblems(
    settings as unknown as Parameters<typeof crossFieldProblems>[0],
  );

  it('are all told', () => {
    expect(problems.length).toBeGreaterThanOrEqual(16);
    for (const { reason } of problems) expect(refusalInGerman(reason), reason).not.toBeNull();
  });

  it('keep their place, and none is left out', () => {
    const [one, two] = problems;
    const message = `listen[1]: ${one?.reason}\nbypass[0].to[0]: ${two?.reason}`;
    expect(refusalInGerman(message)).toMatch(/^listen\[1\]: .*\nbypass\[0\]\.to\[0\]: /);
    expect(refusalInGerman(`${message}\nlisten: something new`)).toBeNull();
  });

  it('name what is too wide in German', () => {
    const wide = problems
      .map(({ reason }) => refusalInGerman(reason))
      .filter((text) => text?.includes(' ist ein öffentliches'));
    expect(wide).toHaveLength(2);
  });
});

test.each([
  '(a',
  'a)',
  '[a',
  'a**',
  '*a',
  'a{2000}',
  '\\q',
  '(?=a)',
  '(?<n',
  '(?P<n>a)(?P<n>b)',
  '[z-a]',
  '\\',
])('the expression %s is told to be wrong', (expression) => {
  let message = '';
  try {
    RE2JS.compile(expression);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).not.toBe('');
  expect(expressionProblemInGerman(message), message).not.toBeNull();
});
