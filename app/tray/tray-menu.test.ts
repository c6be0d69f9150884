import { expect, test } from 'vitest';
// biome-ignore-start lint/style/noRestrictedImports: tests share their made-up service with the command line's, and compare words with the page's.
import { de as pageInGerman } from '../../renderer/text/de.ts';
import { en as pageInEnglish } from '../../renderer/text/en.ts';
import { someStatus, someSystemDns, someUpstream } from '../cli/fixtures/made-up.ts';
// biome-ignore-end lint/style/noRestrictedImports: tests share their made-up service with the command line's, and compare words with the page's.
import type { ServiceStatus } from '../contract/status/service-status.ts';
import { de } from './text/de.ts';
import { en } from './text/en.ts';
import { trayView } from './tray-view.ts';
import { around, click, lines, quad9, quiet, shown } from './tray-view-fixture.ts';

test('each provider stands with its latency, and a click makes it the first', () => {
  const upstreams = [
    someUpstream({ id: 'Mullvad', state: 'resting', rttMs: 24 }),
    quad9,
    someUpstream({ id: 'Home', state: 'idle', rttMs: null }),
  ];
  const all = lines(shown({ upstreams }).entries);
  const begin = all.indexOf('Quad9 · 11 ms ▸');
  expect(all.slice(begin + 1, begin + 6)).toEqual([
    '  Mullvad · no connection',
    '  Quad9 · 11 ms',
    '  Home',
    '  –',
    '  Choose and compare …',
  ]);
  expect(click(shown({ upstreams }), 'Choose and compare …')).toMatchObject({
    action: { do: 'open', page: 'providers' },
  });
  expect(click(shown({ upstreams }), 'Mullvad · no connection')).toMatchObject({ checked: true });
  expect(click(shown({ upstreams }), 'Home')).toEqual({
    kind: 'action',
    label: 'Home',
    checked: false,
    oneOf: true,
    action: { do: 'call', method: 'upstream.move', params: { id: 'Home', to: 0 } },
  });
});

test('where the order decides nothing, providers are told and none can be made the first', () => {
  const { groups } = someStatus();
  const upstreams = [quad9, someUpstream({ id: 'Home', rttMs: null })];
  const fastest = groups.map((group) => ({ ...group, strategy: 'fastest' as const }));
  const all = lines(shown({ upstreams, groups: fastest }).entries);
  expect(all).toEqual(expect.arrayContaining(['  (Quad9 · 11 ms)', '  (Home)']));
});

test.each<[boolean, Partial<ServiceStatus>, string]>([
  [false, {}, 'Quit the tray (this computer goes on asking Sotto)'],
  [
    false,
    { systemDns: someSystemDns({ taken: false }) },
    'Quit the tray (Sotto’s service goes on)',
  ],
  [false, { systemDns: null }, 'Quit the tray (Sotto’s service goes on)'],
  [true, {}, 'Quit Sotto (this computer asks its network again)'],
  [true, { systemDns: null }, 'Quit Sotto (its service ends, too)'],
])('quitting says what goes on: owns the service %s, %j', (ownsService, changes, label) => {
  const status = someStatus({ ...quiet, ...changes });
  const view = trayView({ is: 'connected', status }, { ...around, ownsService });
  expect(lines(view.entries).at(-1)).toBe(label);
});

test('a tray that cannot be started at login does not offer it', () => {
  const status = someStatus(quiet);
  const view = trayView({ is: 'connected', status }, { ...around, startsAtLogin: null });
  expect(lines(view.entries)).not.toContain('Start at login');
});

test.each([
  [en, pageInEnglish],
  [de, pageInGerman],
])('the menu has the words of the page', (words, page) => {
  const { pause, resume, untilRestart } = page.home.switch;
  expect(words.pause).toBe(pause);
  expect(words.resume(null)).toBe(resume);
  expect(words.pauseUntilRestart.toLowerCase()).toBe(untilRestart.toLowerCase());
  expect(words.protect).toEqual(page.protect);
  expect(words.startAtLogin).toBe(page.settings.startAtLogin);
});
