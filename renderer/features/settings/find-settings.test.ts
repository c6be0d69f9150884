import { expect, test } from 'vitest';
import { settingDeclarations, settingKeys } from '../../../app/contract/settings/settings.ts';
import { saidInOthers } from '../../text/declared-settings.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { findSettings } from './find-settings.ts';
import type { Setting } from './settings-store.ts';

await loadLanguage('en');
const others = await saidInOthers('en');
const all = settingKeys.map((key) => ({ key, ...settingDeclarations[key] }) as unknown as Setting);

test.each([
  ['keep queries', 'queryLog.keepDays'],
  ['Anfragen aufbewahren', 'queryLog.keepDays'],
  ['queryLog.keep', 'queryLog.keepDays'],
  ['captive', 'portal.detect'],
  ['hotspot', 'portal.detect'],
  ['RFC 8767', 'cache.serveStale'],
  ['tls tickets', 'connections.ticketHours'],
  ['klartext', 'downgrade'],
  ['Megabyte', 'queryLog.maxMegabytes'],
  ['firma', 'groups'],
])('"%s" finds %s', (typed, key) => {
  expect(findSettings(all, typed, 'en', others).map((setting) => setting.key)).toContain(key);
});

test('every word must fit, and nothing typed finds all', () => {
  expect(findSettings(all, 'captive zeppelin', 'en', others)).toEqual([]);
  expect(findSettings(all, ' ', 'en', others)).toHaveLength(settingKeys.length);
});
