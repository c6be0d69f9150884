import { describe, expect, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someConsentRequest, someStatus } from '../cli/fixtures/made-up.ts';
import { describeHealthIssue } from '../contract/status/health-issue.ts';
import { noticeText } from './notice-text.ts';
import type { Notice } from './notices.ts';
import { de } from './text/de.ts';
import { en } from './text/en.ts';

const hostile = `\u202egpj.exe\u0007\u001b[31m\n<b>&amp; ${'long '.repeat(2000)}`;
const issue = describeHealthIssue('certificate-wrong', hostile, hostile, 0);
const { network } = someStatus();

const notices: Notice[] = [
  {
    about: 'consent',
    key: 'consent',
    request: someConsentRequest({ upstream: hostile, group: hostile }),
  },
  {
    about: 'exposed',
    key: 'exposed',
    status: someStatus({ network: { ...network, label: hostile } }),
  },
  { about: 'trouble', key: 'trouble', issue },
];

describe.each([
  ['en', en],
  ['de', de],
] as const)('%s', (_language, words) => {
  test.each(notices)('a notice about $about obeys nothing from outside', (notice) => {
    const { title, body } = noticeText(notice, words);
    for (const text of [title, body]) {
      expect(text).toMatch(/\w/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
    expect(title.length).toBeLessThanOrEqual(100);
    expect(body.length).toBeLessThanOrEqual(300);
  });
});
