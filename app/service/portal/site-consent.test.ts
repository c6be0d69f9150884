import { expect, test } from 'vitest';
import { writeLogFilter } from '../../contract/query-log/log-filter.ts';
import type { NameClaim, RuleInForce } from '../../contract/settings/rule-methods.ts';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest, type Settings } from '../../contract/settings/settings-shape.ts';
import { namesLearned, namesOfSettings, visitsTo, whoseName, whyNotSite } from './site-consent.ts';

function about(site: string, changes: Partial<Settings>) {
  return whoseName(site, namesOfSettings({ ...nest(defaultSettings), ...changes }));
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
  expect(about(site, changes)).toBe(rule === null ? null : `your rule for ${rule}`);
});

const claim = (changes: Partial<NameClaim>): NameClaim => ({
  suffix: 'corp.example',
  link: 'tun0',
  by: 'resolved',
  vpn: true,
  to: ['10.99.0.53:53'],
  state: 'believed',
  ...changes,
});
const learnedRule: RuleInForce = {
  rule: 'corp.example',
  to: ['10.99.0.53:53'],
  class: 'bypass',
  origin: { from: 'link', link: 'tun0', by: 'resolved' },
};

test.each<[string, string, Parameters<typeof namesLearned>[0], string[], string | null]>([
  [
    'a rule learned from a tunnel',
    'login.corp.example',
    { rules: [learnedRule], claims: [] },
    [],
    'the rule for corp.example that link tun0 brought',
  ],
  [
    'a name that a tunnel claims, whatever became of that',
    'login.corp.example',
    { rules: [], claims: [claim({ state: 'ignored' })] },
    [],
    'corp.example, which link tun0 says is its own',
  ],
  [
    'a name that was believed of another network, once',
    'corp.example',
    { rules: [], claims: [] },
    ['db.corp.example'],
    'db.corp.example, which you decided about when a network claimed it',
  ],
  [
    "the portal's own link claims its name: as hotels do",
    'portal.hotel.example',
    {
      rules: [],
      claims: [claim({ suffix: 'hotel.example', link: 'wlan0', vpn: false, state: 'open' })],
    },
    [],
    null,
  ],
  [
    'a tunnel that wants the root',
    'a.example',
    { rules: [], claims: [claim({ suffix: '', state: 'too-wide' })] },
    [],
    null,
  ],
  [
    'a rule of a standard',
    'ipv4only.arpa',
    {
      rules: [
        { ...learnedRule, rule: 'ipv4only.arpa', origin: { from: 'standard', text: 'RFC 8880' } },
      ],
      claims: [],
    },
    [],
    null,
  ],
])('learned: %s', (_what, site, here, answered, whose) => {
  expect(whoseName(site, namesLearned(here, answered, 'wlan0'))).toBe(whose);
});

test.each([
  ['www.bank.co.uk', 'name:bank.co.uk,*.bank.co.uk'],
  ['bank.example', 'name:bank.example,*.bank.example'],
  ['portal', 'name:portal,*.portal'],
  ['someone.github.io', 'name:someone.github.io,*.someone.github.io'],
])('visits to %s are those to its domain', (site, text) => {
  expect(writeLogFilter(visitsTo(site))).toBe(`${text} outcome:forwarded,cached,stale,bypassed`);
});

test.each<[string, object, RegExp | null]>([
  ['nobody has been there', {}, null],
  ['its domain was visited', { hasOne: async () => true }, /names of its domain are in your/],
  ['it falls under a rule', { own: [{ suffix: 'example', by: 'a rule' }] }, /falls under a rule/],
  ['it is answered here', { explain: () => ({ verdict: 'local', rule: 'localhost' }) }, /machine/],
  ['it is no name', { explain: () => null }, /no name that could be asked for/],
  ['the query log is off', { settings: { queryLog: { mode: 'off' } } }, /keeps no names/],
  ['the query log only counts', { settings: { queryLog: { mode: 'counts' } } }, /keeps no names/],
  ['the query log keeps domains', { settings: { queryLog: { mode: 'domain' } } }, null],
  [
    'the query log can’t be read',
    { hasOne: () => Promise.reject(new Error('x')) },
    /can’t be read/,
  ],
])('what speaks against a site where %s', async (_what, changes, why) => {
  const said = await whyNotSite('portal.example', {
    own: [],
    settings: nest(defaultSettings),
    explain: () => ({ verdict: 'forward', rule: '' }),
    hasOne: async () => false,
    ...changes,
  });
  if (why === null) expect(said).toBeNull();
  else expect(said).toMatch(why);
});
