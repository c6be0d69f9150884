import { expect, test } from 'vitest';
import { writeLogFilter } from '../../contract/log-filter.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { nest, type Settings } from '../../contract/settings-shape.ts';
import { ruleAbout, visitsTo } from './site-consent.ts';

function about(site: string, changes: Partial<Settings>) {
  return ruleAbout(site, { ...nest(defaultSettings), ...changes });
}

test.each<[string, string, Partial<Settings>, string | null]>([
  ['no rule', 'portal.example', {}, null],
  [
    'a bypass above it',
    'a.corp.example',
    { bypass: [{ suffix: 'Corp.example.', to: ['192.0.2.1'] }] },
    'corp.example',
  ],
  [
    'a bypass below it',
    'corp.example',
    { bypass: [{ suffix: 'a.corp.example', to: ['192.0.2.1'] }] },
    'a.corp.example',
  ],
  [
    'a bypass of that name alone',
    'login.corp.example',
    { bypass: [{ suffix: '=login.corp.example', to: ['link:tun0'] }] },
    'login.corp.example',
  ],
  [
    'a bypass beside it',
    'notcorp.example',
    { bypass: [{ suffix: 'corp.example', to: ['192.0.2.1'] }] },
    null,
  ],
  ['a group', 'db.corp.example', { groups: { corp: { names: ['corp.example'] } } }, 'corp.example'],
  ['private addresses allowed', 'nas.example', { allowPrivate: ['nas.example'] }, 'nas.example'],
  ['a special name forwarded', 'x.test', { forwardSpecial: ['test'] }, 'test'],
])('%s', (_what, site, changes, rule) => {
  expect(about(site, changes)).toBe(rule);
});

test.each([
  ['www.bank.co.uk', 'name:bank.co.uk,*.bank.co.uk'],
  ['bank.example', 'name:bank.example,*.bank.example'],
  ['portal', 'name:portal,*.portal'],
  ['someone.github.io', 'name:someone.github.io,*.someone.github.io'],
])('visits to %s are those to its domain', (site, text) => {
  expect(writeLogFilter(visitsTo(site))).toBe(`${text} outcome:forwarded,cached,stale,bypassed`);
});
