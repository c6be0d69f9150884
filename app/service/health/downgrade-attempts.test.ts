import { expect, test } from 'vitest';
import type { ProtectionState } from '../../contract/protection/protection-state.ts';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type { DowngradeEvidence } from '../engine/boundary.ts';
import { type AttemptFacts, downgradeAttempts } from './downgrade-attempts.ts';

const evidence: DowngradeEvidence = {
  upstream: 'a',
  address: '192.0.2.1:53',
  network: 'cafe',
  what: 'starttls-declined',
  text: 'NO_TLS',
  first: 1,
  last: 1,
  count: 1,
};
const refusing: ProtectionState = { state: 'refusing', why: '' };
const exposed: ProtectionState = { state: 'exposed', since: 1, until: null, consent: 'x' };

function said(changes: Partial<AttemptFacts>): Record<string, string> {
  const facts: AttemptFacts = {
    downgradeEvidence: [evidence],
    upstreams: [{ id: 'a', group: '' }],
    groups: [{ id: '', state: refusing }],
    clear: [],
    network: { id: 'cafe', label: 'the café' },
    labelOf: (id) => id.toUpperCase(),
    writeTime: (at) => `00:0${at}`,
    ...changes,
  };
  return Object.fromEntries(
    [...downgradeAttempts(facts)].map(([upstream, says]) => [upstream, inEnglish(says)]),
  );
}

test('what was seen, when, on which network, and what was done', () => {
  expect(said({})).toEqual({
    a: 'A (192.0.2.1:53) declined STARTTLS (NO_TLS) at 00:01 on the café. Nothing was sent in cleartext; queries are refused.',
  });
});

test('several of one server are one issue', () => {
  const downgradeEvidence: DowngradeEvidence[] = [
    { ...evidence, count: 3, last: 4 },
    { ...evidence, address: '192.0.2.1:853', what: 'reset', text: '' },
  ];
  expect(said({ downgradeEvidence })['a']).toMatch(
    /^A \(192\.0\.2\.1:53\) declined STARTTLS \(NO_TLS\) 3 times from 00:01 to 00:04 on the café\. A \(192\.0\.2\.1:853\) broke the connection off at 00:01/,
  );
});

test.each<[ProtectionState, RegExp]>([
  [{ state: 'asking', upstream: 'A' }, /in cleartext; you are asked\.$/],
  [{ state: 'private', upstream: 'B', tls: 'TLS 1.3' }, /another private path is used\.$/],
  [{ state: 'starting', upstream: 'A' }, /Nothing was sent in cleartext\.$/],
])('what was done while %j', (state, words) => {
  expect(said({ groups: [{ id: '', state }] })['a']).toMatch(words);
});

test('under fallback it names the ledger’s entry of that group', () => {
  const upstreams = [{ id: 'a', group: 'corp' }];
  const groups = [
    { id: '', state: refusing },
    { id: 'corp', state: exposed },
  ];
  const clear = [
    { id: 4, class: 'policy' as const, group: '' },
    { id: 5, class: 'policy' as const, group: 'corp' },
  ];
  expect(said({ upstreams, groups, clear })['a']).toMatch(/as policy allows: ledger entry 5\.$/);
});

test('what was seen on another network is not said here', () => {
  expect(said({ network: { id: 'home', label: 'home' } })).toEqual({});
});
