import { describe, expect, test } from 'vitest';
import {
  describeHealthIssue,
  type HealthIssueCode,
  healthIssueKinds,
} from '../../app/contract/status/health-issue.ts';
import { healthIssues as german } from './de/health-issues.ts';
import { wordsForIssue } from './health-words.ts';
import { loadLanguage } from './loaded.ts';

await loadLanguage('en');
await loadLanguage('de');

const codes = Object.keys(healthIssueKinds) as HealthIssueCode[];

test('every health issue has German words, and no word is of one that is gone', () => {
  expect(Object.keys(german).sort()).toEqual([...codes].sort());
});

describe.each(codes)('%s', (code) => {
  const detail = 'upstream “x” said: no';
  const issue = describeHealthIssue(code, 'x', detail, 0);

  test('says in English all that the service said', () => {
    const words = wordsForIssue(issue, 'en');
    expect(words).toMatchObject({ title: issue.title, remedy: issue.remedy, detail });
    expect(`${words.meaning} ${words.detail}`.trim()).toBe(issue.text);
  });

  test('says as much in German, with the same detail', () => {
    const english = wordsForIssue(issue, 'en');
    const words = wordsForIssue(issue, 'de');
    expect(words.detail).toBe(detail);
    for (const part of ['title', 'meaning', 'remedy'] as const) {
      expect(words[part].trim()).not.toBe('');
      expect(words[part]).not.toBe(english[part]);
    }
  });
});

test('words of a newer service are shown whole', () => {
  const issue = { ...describeHealthIssue('no-network', '', '', 0), text: 'Said otherwise.' };
  expect(wordsForIssue(issue, 'de')).toMatchObject({ detail: 'Said otherwise.' });
  expect(wordsForIssue(issue, 'en')).toMatchObject({ meaning: '', detail: 'Said otherwise.' });
});
