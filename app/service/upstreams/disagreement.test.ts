import { describe, expect, test } from 'vitest';
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import { sayJudgement } from '../../contract/probing/comparison.ts';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import { compare } from './disagreement.ts';

const name = 'www.bank.com';

function response(rcode: string, answer: string[], authority: string[] = []): DnsMessage {
  const question = { name, type: 'A', class: 'IN' };
  const rest = { id: 1, flags: [], additional: [], edns: null };
  return { rcode, question, answer: records(answer), authority: records(authority), ...rest };
}

/** "A 192.0.2.1" of the name itself, or "www.bank.com CNAME bank.cdn.net". */
function records(texts: string[]): DnsMessage['answer'] {
  return texts.map((text, index) => {
    const [data = '', type = '', owner = name] = text.split(' ').reverse();
    return { name: owner, type, class: 'IN', ttl: 300 - index, data };
  });
}

const answers = (...answer: string[]) => response('NOERROR', answer);
const nxdomain = response('NXDOMAIN', [], ['com SOA a.gtld-servers.net']);
const nodata = response('NOERROR', [], ['bank.com SOA ns.bank.com']);
const referral = response('NOERROR', [], ['com NS a.gtld-servers.net']);
const serverFailure = response('SERVFAIL', []);
const refused = response('REFUSED', []);

/** Of upstreams "a", "b", "c" … in this order. */
function judged(...responses: (DnsMessage | null)[]) {
  const { compared, ...verdict } = together(...responses);
  return verdict;
}

function together(...responses: (DnsMessage | null)[]) {
  return compare(
    responses.map((one, index) => ({ upstream: 'abcdefg'[index] ?? '', response: one })),
  );
}

const one = answers('A 198.51.100.1', 'A 198.51.100.2');
const other = answers('A 203.0.113.9');
const toAkamai = answers(
  'www.bank.com CNAME bank.com.edgekey.net',
  'bank.com.edgekey.net CNAME e1.a.akamaiedge.net',
  'e1.a.akamaiedge.net A 198.51.100.7',
);
const aliasOf = (target: string) =>
  answers(`www.bank.com CNAME ${target}`, `${target} A 198.51.100.8`);
const toFastly = aliasOf('bank.map.fastly.net');
const toCdn77 = aliasOf('bank.cdn77.org');

describe('no disagreement', () => {
  test.each<[string, DnsMessage[]]>([
    ['other addresses', [one, other]],
    ['other addresses at each of five', [one, other, one, other, answers('A 192.0.2.3')]],
    ['another order and other lifetimes', [one, answers('A 198.51.100.2', 'A 198.51.100.1')]],
    ['a signature', [one, answers('A 198.51.100.1', 'RRSIG a')]],
    ['both deny', [nxdomain, nxdomain]],
    ['one says that the name is not there, one that the type is not', [nxdomain, nodata]],
    ['all block, each by its own address', [answers('A 0.0.0.0'), answers('A 127.0.0.1')]],
    ['private everywhere', [answers('A 10.0.0.1'), answers('A 192.168.7.7')]],
    ['a private address among public ones', [one, answers('A 198.51.100.1', 'A 10.0.0.1')]],
    ['aliases in one domain', [toAkamai, aliasOf('e2.b.akamaiedge.net')]],
    ['aliases that differ in letter case alone', [toFastly, aliasOf('Bank.MAP.Fastly.net.')]],
    ['customers of one hoster', [aliasOf('a.cloudfront.net'), aliasOf('b.cloudfront.net')]],
    ['a name without an alias beside one with it', [one, toAkamai, toAkamai]],
    ['three content networks', [toAkamai, toFastly, toCdn77]],
    ['two content networks, two upstreams each', [toAkamai, toFastly, toAkamai, toFastly]],
    ['mail servers', [answers('MX mx.bank.com'), answers('MX mx.filter.net')]],
  ])('%s', (_what, responses) => {
    expect(judged(...responses)).toEqual({ is: 'agreement', sides: null, alone: null });
  });

  test.each<[string, (DnsMessage | null)[]]>([
    ['nobody responds', [null, null]],
    ['one responds', [one, null]],
    ['one denies, the other fails', [nxdomain, serverFailure]],
    ['one answers, the other refuses to', [one, refused]],
    ['one answers, the other refers to another server', [one, referral]],
    ['there is only one', [one]],
  ])('nothing to compare: %s', (_what, responses) => {
    expect(judged(...responses)).toMatchObject({ is: 'too-few', sides: null });
  });

  test('failures do not count for either side', () => {
    expect(together(one, serverFailure, other, null)).toMatchObject({
      is: 'agreement',
      compared: ['a', 'c'],
    });
    expect(judged(one, serverFailure, nxdomain)).toMatchObject({ alone: null });
  });
});

describe('disagreement', () => {
  test.each<[string, DnsMessage[], ReturnType<typeof judged>]>([
    [
      'a name that is denied',
      [one, nxdomain],
      { is: 'no-answer', sides: [['a'], ['b']], alone: null },
    ],
    ['no data', [nodata, one], { is: 'no-answer', sides: [['b'], ['a']], alone: null }],
    [
      'an alias to nothing',
      [one, response('NXDOMAIN', ['www.bank.com CNAME gone.bank.com'])],
      { is: 'no-answer', sides: [['a'], ['b']], alone: null },
    ],
    [
      'one of three denies',
      [one, nxdomain, other],
      { is: 'no-answer', sides: [['a', 'c'], ['b']], alone: 'b' },
    ],
    [
      'one of three answers',
      [nxdomain, nodata, other],
      { is: 'no-answer', sides: [['c'], ['a', 'b']], alone: 'c' },
    ],
    [
      'two of four deny',
      [one, nxdomain, other, nodata],
      {
        is: 'no-answer',
        sides: [
          ['a', 'c'],
          ['b', 'd'],
        ],
        alone: null,
      },
    ],
    ...['0.0.0.0', '127.0.0.53', '10.10.34.35', '100.64.0.1', '169.254.0.9', '146.112.61.106'].map(
      (address): [string, DnsMessage[], ReturnType<typeof judged>] => [
        address,
        [one, other, answers(`A ${address}`)],
        { is: 'blocking-address', sides: [['a', 'b'], ['c']], alone: 'c' },
      ],
    ),
    ...['::', '::1', 'fd00::7', 'fe80::1', '::ffff:146.112.61.104', '::ffff:10.0.0.1'].map(
      (address): [string, DnsMessage[], ReturnType<typeof judged>] => [
        address,
        [answers('AAAA 2606:4700::1'), answers(`AAAA ${address}`)],
        { is: 'blocking-address', sides: [['a'], ['b']], alone: null },
      ],
    ),
    [
      'another domain',
      [toAkamai, toFastly],
      { is: 'other-domain', sides: [['a'], ['b']], alone: null },
    ],
    [
      'another domain than two others',
      [aliasOf('bank.evil.co.uk'), toAkamai, toAkamai],
      { is: 'other-domain', sides: [['b', 'c'], ['a']], alone: 'a' },
    ],
    [
      'another domain below the same public suffix',
      [aliasOf('a.one.co.uk'), aliasOf('a.two.co.uk')],
      { is: 'other-domain', sides: [['a'], ['b']], alone: null },
    ],
    [
      'a label that only looks like two',
      [aliasOf('x\\.cdn.bank.com'), aliasOf('evil\\.bank.com')],
      { is: 'other-domain', sides: [['a'], ['b']], alone: null },
    ],
    [
      'a denial before an address that blocks',
      [one, answers('A 0.0.0.0'), nxdomain],
      { is: 'no-answer', sides: [['a', 'b'], ['c']], alone: 'c' },
    ],
  ])('%s', (_what, responses, expected) => {
    expect(judged(...responses)).toEqual(expected);
  });

  test('aliases in a circle end nowhere', () => {
    const circle = answers('www.bank.com CNAME a.bank.com', 'a.bank.com CNAME www.bank.com');
    expect(judged(circle, toAkamai)).toMatchObject({ is: 'no-answer' });
  });

  test('the order in which responses come changes nothing', () => {
    const [first, second] = [
      { upstream: 'x', response: one },
      { upstream: 'y', response: nxdomain },
    ];
    expect(compare([second, first])).toEqual(compare([first, second]));
  });
});

test.each([
  [[one, nxdomain], 'They disagree: a gives an answer, and b says that there is none.'],
  [[one, nxdomain, nodata], 'a is alone: a gives an answer, and b, c say that there is none.'],
  [
    [one, other, answers('A 0.0.0.0')],
    'c is alone: a, b give public addresses, and c gives only addresses that block or are private.',
  ],
  [[toAkamai, toFastly, toAkamai], 'b is alone: it leads to another domain than a, c.'],
  [[one, other], 'They do not contradict each other.'],
  [[one], 'Fewer than two of them gave a response that can be compared.'],
])('in words', (responses, sentence) => {
  expect(inEnglish(sayJudgement(together(...responses)))).toBe(sentence);
});
