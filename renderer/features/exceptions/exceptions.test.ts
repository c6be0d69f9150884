import { describe, expect, test } from 'vitest';
import type { Explanation } from '../../../app/contract/settings/rule-methods.ts';
import { readResolvers } from './read-resolvers.ts';
import { suggestedSuffix } from './suggested-suffix.ts';
import { whichSentence } from './which-sentence.ts';

test.each([
  ['db.corp.example', 'corp.example'],
  ['a.b.c.corp.example.', 'corp.example'],
  ['corp.example', 'corp.example'],
  ['printer', 'printer'],
  ['WWW.Shop.CO.UK', 'shop.co.uk'],
  ['www.co.example', 'co.example'],
])('for %s the suffix %s is proposed', (name, suffix) => {
  expect(suggestedSuffix(name)).toBe(suffix);
});

test.each([
  ['192.0.2.1\n[2001:db8::1]:53', ['192.0.2.1', '[2001:db8::1]:53'], null],
  [' 192.0.2.1, 192.0.2.2 ', ['192.0.2.1', '192.0.2.2'], null],
  ['192.0.2.1 192.0.2.1', ['192.0.2.1'], null],
  ['', [], null],
  ['192.0.2.1 dns.example', ['192.0.2.1', 'dns.example'], 'dns.example'],
])('%j is read as resolvers', (text, to, wrong) => {
  expect(readResolvers(text)).toEqual({ to, wrong });
});

describe('the sentence', () => {
  const plain: Explanation = {
    name: 'a.example',
    type: 'A',
    verdict: 'forward',
    rule: '',
    origin: null,
    reason: '',
    rcode: null,
    servers: ['one'],
    group: { id: '', policy: 'refuse' },
    clear: 'none',
    cached: null,
    privateOnly: false,
    conditions: [],
    sentence: '',
  };
  const cases: [Partial<Explanation>, string][] = [
    [{}, 'private'],
    [{ clear: 'policy' }, 'clear'],
    [{ servers: [] }, 'noUpstream'],
    [{ cached: 'fresh', servers: [] }, 'cached'],
    [{ cached: 'denied' }, 'denied'],
    [{ cached: 'failed' }, 'failed'],
    [{ verdict: 'local', servers: [], rcode: 'NOERROR' }, 'local'],
    [{ verdict: 'bypass', clear: 'bypass' }, 'bypass'],
    [{ verdict: 'bypass' }, 'bypassClosed'],
    [{ verdict: 'bypass', servers: [] }, 'bypassLoop'],
    [{ verdict: 'direct', clear: 'off' }, 'direct'],
    [{ verdict: 'direct', clear: 'paused', servers: [] }, 'directRefused'],
  ];
  test.each(cases)('of %j is %s', (facts, sentence) => {
    expect(whichSentence({ ...plain, ...facts })).toBe(sentence);
  });
});
