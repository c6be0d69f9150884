import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { readLogFilter } from '../../../app/contract/query-log/log-filter-reading.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { rowsBehind } from './rows-behind.ts';
import { wayToStop } from './way-to-stop.ts';

const entry: LedgerEntry = {
  id: 7,
  class: 'policy',
  network: '0123456789ab',
  networkLabel: 'Café',
  group: '',
  rule: '',
  reason: 'no private path',
  who: 'ada',
  since: Date.UTC(2026, 0, 31, 15, 0, 0, 5),
  until: null,
  count: 3,
  closed: null,
};
const until = Date.UTC(2026, 0, 31, 15, 10);

test.each<[Partial<LedgerEntry>, string]>([
  [{}, 'clear:policy since:2026-01-31T15:00:00.005Z'],
  [{ until }, 'clear:policy since:2026-01-31T15:00:00.005Z'],
  [
    { until, closed: 'its time ran out' },
    'clear:policy since:2026-01-31T15:00:00.005Z until:2026-01-31T15:10:00.001Z',
  ],
  [
    { class: 'bypass', rule: 'corp.example' },
    'clear:bypass rule:corp.example since:2026-01-31T15:00:00.005Z',
  ],
  [
    { class: 'bypass', rule: 'list:4711:3f2a9c81d0e4b7a6' },
    'clear:bypass since:2026-01-31T15:00:00.005Z',
  ],
])('what %j let through', (facts, filter) => {
  expect(rowsBehind({ ...entry, ...facts })).toBe(filter);
  expect(readLogFilter(filter).ok).toBe(true);
});

test('a file for spreadsheets obeys nobody', () => {
  const hostile = { ...entry, reason: '=cmd()', who: '\u202e+1,"x"', networkLabel: '' };
  expect(ledgerCsv([hostile]).split('\r\n')).toEqual([
    'id,class,network,networkLabel,group,rule,reason,who,since,until,count,closed',
    '7,policy,0123456789ab,,,,"\'=cmd()","\\u202e+1,""x""",2026-01-31T15:00:00.005Z,,3,',
    '',
  ]);
});

test.each<[Partial<LedgerEntry>, ReturnType<typeof wayToStop>]>([
  [{ class: 'policy', until }, 'policy'],
  [{ class: 'policy' }, null],
  [{ class: 'off' }, 'off'],
  [{ class: 'paused', until }, 'paused'],
  [{ class: 'bypass', rule: 'corp.example' }, 'bypass'],
  [{ class: 'service-down' }, null],
  [{ class: 'portal' }, null],
  [{ class: 'off', until, closed: 'over' }, null],
])('%j can be stopped by: %j', (facts, way) => {
  expect(wayToStop({ ...entry, ...facts })).toBe(way);
});
