import { expect, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someConsentRequest } from '../cli/fixtures/made-up.ts';
import { describeHealthIssue } from '../contract/status/health-issue.ts';
import { sayNotice } from './said-notice.ts';
import { de } from './text/de.ts';
import { en } from './text/en.ts';

test('a consent request has the answers of the menu as buttons', () => {
  const request = someConsentRequest({ id: 'k7' });
  const { buttons, isQuestion } = sayNotice({ about: 'consent', key: '', request }, en);
  expect(isQuestion).toBe(true);
  expect(buttons.map(({ label, action }) => [label, action])).toEqual([
    ['Retry', { do: 'call', method: 'consent.retry', params: { id: 'k7' } }],
    [
      'Allow unencrypted for 10 minutes',
      { do: 'call', method: 'consent.allow', params: { id: 'k7', minutes: 10 } },
    ],
    ['Stay protected', { do: 'call', method: 'consent.deny', params: { id: 'k7' } }],
  ]);
});

test('a login opens by a click anywhere', () => {
  const portal = {
    evidence: 'address',
    site: 'portal.example',
    url: 'http://portal.example/',
    since: 0,
    byItself: false,
    skipped: false,
    login: null,
  } as const;
  const said = sayNotice({ about: 'portal', key: '', portal }, de);
  expect(said.action).toEqual({ do: 'open-login' });
  expect(said.buttons).toEqual([{ label: 'Anmeldeseite öffnen', action: { do: 'open-login' } }]);
});

test('a claim can be believed or not, and leads to the rules', () => {
  const claim = { suffix: 'corp.example', link: 'eth0' };
  const said = sayNotice({ about: 'claim', key: '', claim }, en);
  expect(said).toMatchObject({
    title: 'This network claims corp.example',
    action: { do: 'open', page: 'exceptions' },
    isQuestion: true,
  });
  expect(said.buttons).toEqual([
    {
      label: 'Believe',
      action: { do: 'call', method: 'rule.answer', params: { ...claim, believe: true } },
    },
    {
      label: 'Don’t believe',
      action: { do: 'call', method: 'rule.answer', params: { ...claim, believe: false } },
    },
  ]);
});

test('trouble leads to the window and has no buttons', () => {
  const issue = describeHealthIssue('certificate-wrong', 'Quad9', '', 0);
  expect(sayNotice({ about: 'trouble', key: '', issue }, en)).toMatchObject({
    action: { do: 'open', page: 'home' },
    buttons: [],
    isQuestion: false,
  });
});

test('names from outside are shown, not obeyed', () => {
  const request = someConsentRequest({ upstream: 'Quad9\u202e\u0007' });
  const { body } = sayNotice({ about: 'consent', key: '', request }, en);
  expect(body).toContain(String.raw`Quad9\u202e\x07`);
});
