/** Every sentence of the service has German words: the test reads the contract's declarations, so it needs no list. */
import { describe, expect, test } from 'vitest';
import { failureCodes } from '../../app/contract/errors.ts';
import { causeOf } from '../../app/contract/protection/gravity.ts';
import { ledgerEndings, recognise } from '../../app/contract/protection/ledger-words.ts';
import { inEnglish, type Said, say, sentences } from '../../app/contract/sentences/sentence.ts';
import { fill, placesOf } from '../../app/contract/sentences/sentence-template.ts';
import {
  codesOfIssue,
  describeHealthIssue,
  type HealthIssueCode,
  healthIssueKinds,
} from '../../app/contract/status/health-issue.ts';
import { sentences as german } from './de/sentences.ts';
import { loadLanguage } from './loaded.ts';
import {
  wordsFor,
  wordsForCause,
  wordsForConsent,
  wordsForEnding,
  wordsForFailure,
  wordsForSetter,
} from './said.ts';
import { wordsIn } from './use-text.ts';

await loadLanguage('en');
await loadLanguage('de');

const de = wordsIn('de', []);
const en = wordsIn('en', []);

/** Parameters of German sentences that the English ones lack: they are passed in addition. */
const beside: Readonly<Record<string, string>> = {
  'upstream-failed': 'cause',
  'upstream-answered-but': 'cause',
  'upstream-unreachable': 'cause',
  'certificate-wrong': 'cause',
  'upstream-answered': 'tls',
  'upstream-certificate-ends': 'tls',
  'declined-starttls': 'count first',
  'refused-tls': 'count first',
  'broke-off': 'count first',
  'showed-wrong-certificate': 'count first',
};

test('every sentence has a German one, and none is left of one that is gone', () => {
  expect(Object.keys(german).sort()).toEqual(Object.keys(sentences).sort());
});

describe.each(Object.entries(sentences))('%s', (code, english) => {
  const own = german[code as keyof typeof sentences];

  test('is said in German, with places that are filled', () => {
    const given = new Set([...placesOf(english).names, ...(beside[code] ?? '').split(' ')]);
    expect([...placesOf(own).names].filter((name) => !given.has(name))).toEqual([]);
    const params = Object.fromEntries([...given].map((name) => [name, 7]));
    const told = wordsFor('English', [{ code, params }], de);
    expect(told.language).toBe('de');
    expect(told.words).not.toMatch(/[{}]|undefined|NaN/);
  });

  test('leaves no brace open in English', () => {
    const params = Object.fromEntries([...placesOf(english).names].map((name) => [name, 7]));
    expect(inEnglish({ code, params })).not.toMatch(/[{}]/);
  });

  test('is one where there is one', () => {
    const counted = new Set([...countedIn(own), ...countedIn(english)]);
    const params = Object.fromEntries(
      [...placesOf(english).names].map((name) => [name, counted.has(name) ? 1 : 7]),
    );
    const manyOfOne = /(?<![\w.,])1 (?!(?:is|was|has|goes)\b)(?:\w+s|are|were|have|go)\b/;
    expect(inEnglish({ code, params })).not.toMatch(manyOfOne);
    expect(wordsFor('', [{ code, params }], de).words).not.toMatch(/(?<![\d.,])1 \p{L}+en\b/u);
  });
});

/** Places that hold how many there are: written as a count, or choosing between one word and the other. */
function countedIn(template: string): Set<string> {
  const places = template.matchAll(/\{(\w+)(?::count|\|[^{}]*)\}/g);
  return new Set([...places].map(([, name = '']) => name));
}

test.each(failureCodes)('the refusal %s is said in German', (code) => {
  const failure = { code, message: 'no', remedy: 'try', subject: 'it' };
  expect(wordsForFailure(failure, 'de')).toMatch(/\.$|:/);
  expect(wordsForFailure(failure, 'en')).toBeNull();
});

test.each(Object.keys(healthIssueKinds) as HealthIssueCode[])(
  'what an examination repeats of the issue %s is said in German',
  (code) => {
    const { text, remedy } = codesOfIssue(describeHealthIssue(code, '', [], 0));
    for (const says of [text, remedy]) expect(wordsFor('x', says, de).language).toBe('de');
  },
);

test('a finding that repeats somebody else’s words stays as they are', () => {
  const issue = describeHealthIssue('log-stopped', '', 'ENOSPC.', 0);
  expect(codesOfIssue(issue).text).toEqual([]);
  expect(wordsFor(issue.text, codesOfIssue(issue).text, de)).toEqual({
    words: issue.text,
    language: 'en',
  });
});

test('values are written as the reader writes them', () => {
  const says = [say('disk-full', { free: 1_500_000, folder: '/var' })];
  expect(inEnglish(says)).toBe('Only 1.5 MB are free in /var.');
  expect(wordsFor('', says, de).words).toBe('In /var sind nur 1,5 MB frei.');
});

test('one word or the other, by number', () => {
  const words = (lost: number) =>
    wordsFor('', [say('query-log-gaps', { rows: 2000, size: 1, lost })], de).words;
  expect(words(1)).toMatch(/\(2\.000 Anfragen, .*aber 1 fehlt\.$/);
  expect(words(2)).toMatch(/aber 2 fehlen\.$/);
});

test('a sentence of a newer service makes all of it English', () => {
  const newer: Said = { code: 'from-tomorrow', params: {} };
  const told = wordsFor('All of it.', [say('no-loop'), newer], de);
  expect(told).toEqual({ words: 'All of it.', language: 'en' });
  expect(wordsFor('All of it.', [say('no-loop')], en).language).toBe('en');
  expect(wordsForCause('from-tomorrow', 'odd', 'de')).toEqual({ words: 'odd', language: 'en' });
  const failure = { code: 'from-tomorrow' as never, message: '', remedy: '', subject: null };
  expect(wordsForFailure(failure, 'de')).toBeNull();
});

test('why no answer came is said of every address', () => {
  const tried = [
    { address: '[2001:db8::1]:853', code: 'certificate-name', text: 'it is another' },
    { address: '192.0.2.1:853', code: 'connect-failed', text: 'no' },
  ];
  const english = tried.map(({ address, text }) => `${address}: ${text}`).join('; ');
  const cause = causeOf({ code: 'certificate-name', tried });
  const words =
    '[2001:db8::1]:853: das Zertifikat nennt einen anderen Namen; 192.0.2.1:853: keine Verbindung möglich';
  expect(wordsForCause(cause, english, 'de')).toEqual({ words, language: 'de' });
  expect(wordsForCause(cause, english, 'en')).toEqual({ words: english, language: 'en' });
  const says = [say('upstream-unreachable', { upstream: 'Q', message: english, cause })];
  expect(wordsFor('', says, de).words).toBe(`Q: ${words}.`);
  const newer = causeOf({ code: 'x', tried: [...tried, { address: 'a', code: 'x' }] });
  expect(wordsForCause(newer, english, 'de')).toEqual({ words: english, language: 'en' });
});

test('names of a prototype are no codes', () => {
  for (const code of ['constructor', '__proto__', 'toString']) {
    expect(wordsFor('E', [{ code, params: {} }], de).language).toBe('en');
    expect(wordsForCause(code, 'E', 'de').language).toBe('en');
  }
});

test('what fills a place is shown, never obeyed', () => {
  const upstream = '\u202e{cause}<b>';
  const { words } = wordsFor('', [say('upstream-unconnected', { upstream })], de);
  expect(words).toContain('{cause}<b>');
  expect(words).not.toContain('\u202e');
});

test.each(Object.entries(ledgerEndings))('the ending %s is recognised', (code, english) => {
  const [place] = placesOf(english).names;
  const params = place === undefined ? {} : { [place]: 'ann by bob' };
  const kept = fill(english, params, { plain: String });
  expect(recognise(kept, ledgerEndings)).toEqual({ code, params });
  expect(wordsForEnding(kept, de).language).toBe('de');
});

test('an ending of another version is left as it was kept', () => {
  expect(wordsForEnding('the moon rose', de)).toEqual({ words: 'the moon rose', language: 'en' });
});

test('whose word it is', () => {
  expect(wordsForSetter('your settings', 'de')).toBe('Ihre Einstellungen');
  expect(wordsForSetter('the VPN link tun0', 'de')).toBe('die VPN-Verbindung tun0');
  expect(wordsForSetter('ann', 'de')).toBe('ann');
  expect(wordsForSetter('your settings', 'en')).toBe('your settings');
  expect(wordsForConsent('allowed by ann', de).words).toBe('Erlaubt durch ann.');
  expect(wordsForConsent('fallback, by your settings', de).words).toBe(
    'Erlaubt als Rückfall, durch Ihre Einstellungen.',
  );
});
