import { expect, test } from 'vitest';
import { commandsIn, needsWords, pageFor, readRemedy } from './remedy.ts';

test.each([
  [{ method: 'protection.on', params: {} }],
  [{ method: 'consent.retry', params: { id: 'k7' } }],
  [{ method: 'upstream.test', params: { id: 'garden' } }],
  [{ method: 'upstream.retry', params: {} }],
  [{ method: 'network.set', params: { policy: 'refuse' } }],
  [{ method: 'coverage.fix', params: { fix: 'firefox' } }],
  [{ method: 'settings.restore', params: {} }],
  [{ method: 'portal.open', params: {} }],
  [{ method: 'system.take', params: {} }],
  [{ method: 'system.giveBack', params: {} }],
])('%j is offered as it was told', (action) => {
  expect(readRemedy(action)).toEqual(action);
});

test.each([
  ['nothing to carry out', null],
  ['what takes protection away', { method: 'protection.off', params: {} }],
  ['what loosens a network', { method: 'network.set', params: { policy: 'fallback' } }],
  [
    'what changes another network',
    { method: 'network.set', params: { policy: 'refuse', network: 'a' } },
  ],
  ['a fix nobody has', { method: 'coverage.fix', params: { fix: 'lynx' } }],
  ['a method nobody has', { method: 'constructor', params: {} }],
  ['parameters that do not fit', { method: 'consent.retry', params: { id: 7 } }],
  ['parameters too many', { method: 'protection.on', params: { until: 1 } }],
])('%s is not', (_, action) => {
  expect(readRemedy(action)).toBeNull();
});

test.each([
  ['see: sotto system status', ['sotto system status']],
  ['start it with: sotto run --guarded', ['sotto run --guarded']],
  ['see: resolvectl status eth0; then: sotto system take', ['sotto system take']],
  ['end it with "sotto on", or see "sotto status"', ['sotto on', 'sotto status']],
  ['Run "sudo sotto-helper give-back".', ['sudo sotto-helper give-back']],
  ['correct it; "sotto config check FILE" names its errors', []],
  ['see "sotto on; rm -rf /"', []],
  ['restart the service', []],
])('of "%s" a person can copy %j', (remedy, commands) => {
  expect(commandsIn(remedy)).toEqual(commands);
});

test('a page is offered for what can be changed there, and for nothing that is fine', () => {
  expect(pageFor({ check: 'upstream', verdict: 'fail' })).toBe('providers');
  expect(pageFor({ check: 'upstream', verdict: 'ok' })).toBeNull();
  expect(pageFor({ check: 'constructor', verdict: 'fail' })).toBeNull();
});

test.each([
  ['check the network', { method: 'upstream.retry', params: {} }, null, true],
  ['end it with: sotto on', { method: 'protection.on', params: {} }, null, false],
  ['answer it: sotto consent allow k7', null, 'home', false],
  ['check "name"', null, 'providers', true],
  ['see: sotto system status', null, null, false],
  ['end it, then: sotto system take', null, null, true],
  ['restart the service', null, null, true],
] as const)('"%s" beside %j and the page %s: %s', (words, remedy, page, needed) => {
  expect(needsWords(words, remedy, page)).toBe(needed);
});
