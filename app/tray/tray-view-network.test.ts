/** The entries of the menu for a network that wants a login, or claims names. */
import { expect, test } from 'vitest';
import { say } from '../contract/sentences/sentence.ts';
import { describeHealthIssue } from '../contract/status/health-issue.ts';
import type { PortalStatus } from '../contract/system/portal.ts';
import { click, lines, minute, now, shown } from './tray-view-fixture.ts';

const seen: PortalStatus = {
  evidence: 'api',
  site: 'portal.example',
  url: 'http://portal.example/',
  since: now,
  byItself: false,
  skipped: false,
  login: null,
};
const open = { by: 'window', since: now, until: now + 4.5 * minute, who: 'you', entry: 7 } as const;

test('a network that wants a login offers it, and the word that it is none', () => {
  const view = shown({ protection: { state: 'portal' }, portal: seen });
  expect(click(view, 'Open login page')).toMatchObject({ action: { do: 'open-login' } });
  expect(click(view, 'This is no login page')).toMatchObject({
    action: { method: 'portal.skip' },
  });
  expect(view.changesAt).toBeNull();
});

test('a login that is open is counted down and can be closed', () => {
  const view = shown({ protection: { state: 'portal' }, portal: { ...seen, login: open } });
  expect(click(view, 'Close login (5 minutes left)')).toMatchObject({
    action: { method: 'portal.close' },
  });
  expect(view.changesAt).toBe(now + minute / 2);
});

test('a verdict that was set aside offers nothing', () => {
  const view = shown({ portal: { ...seen, skipped: true } });
  expect(lines(view.entries).join()).not.toMatch(/login page/);
});

const claimed = (...suffixes: string[]) =>
  suffixes.map((suffix) =>
    describeHealthIssue(
      'names-claimed',
      suffix,
      [say('name-claimed', { suffix, link: 'eth0' })],
      0,
    ),
  );

test.each<[string, string[], string[]]>([
  ['nothing', [], []],
  [
    'one domain',
    ['corp.example'],
    ['This network claims corp.example ▸', '  Believe', '  Don’t believe'],
  ],
  [
    'more than a menu is for',
    ['a', 'b', 'c', 'd', 'e'],
    [
      ...['a', 'b', 'c'].flatMap((suffix) => [
        `This network claims ${suffix} ▸`,
        '  Believe',
        '  Don’t believe',
      ]),
      '2 more claims …',
    ],
  ],
  [
    'a name that would be more than a name',
    ['x\u202e\u0007'],
    [String.raw`This network claims x\u202e\x07 ▸`, '  Believe', '  Don’t believe'],
  ],
])('a network that claims %s', (_, suffixes, expected) => {
  const { entries } = shown({ health: claimed(...suffixes) });
  const about = lines(entries).filter((line) => /claim|elieve/.test(line));
  expect(about).toEqual(expected);
});

test('a claim is answered for its domain and its link', () => {
  const view = shown({ health: claimed('corp.example') });
  const params = { suffix: 'corp.example', link: 'eth0' };
  for (const [label, believe] of [
    ['Believe', true],
    ['Don’t believe', false],
  ] as const)
    expect(click(view, label)).toMatchObject({
      action: { do: 'call', method: 'rule.answer', params: { ...params, believe } },
    });
  expect(click(shown({ health: claimed('a', 'b', 'c', 'd') }), '1 more claim …')).toMatchObject({
    action: { do: 'open', page: 'exceptions' },
  });
});
