import { expect, test } from 'vitest';
import { parseDuration, sayDuration } from '../contract/text/duration.ts';
import { sayLatency } from '../contract/text/quantity.ts';
import { pauseParams } from './commands/pause.ts';
import { sayHowToAsk } from './commands/run.ts';
import { parseServerAddress } from './queries/server-address.ts';
import { renderTable } from './terminal/table.ts';
import { openTerminal } from './terminal/terminal.ts';

test.each([
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['500ms', 500],
  ['0s', null],
  ['10', null],
  ['m', null],
  ['10 m', null],
  ['-1m', null],
  ['1e3s', null],
  ['1..5h', null],
  ['', null],
])('the duration %j is %j ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [90_061_000, '1 d 1 h'],
])('%i ms is said as %s', (duration, said) => {
  expect(sayDuration(duration)).toBe(said);
});

test.each([
  [0, '0.00 ms'],
  [0.004, '< 0.01 ms'],
  [0.104, '0.10 ms'],
  [9.996, '10.0 ms'],
  [12.04, '12.0 ms'],
  [99.96, '100 ms'],
  [999.6, '1.00 s'],
  [5000, '5.00 s'],
  [61_234, '61.2 s'],
])('%f ms fits a column as %s', (value, said) => {
  expect(sayLatency(value)).toBe(said);
});

test('a pause is minutes or until the restart', () => {
  expect(pauseParams('90s')).toEqual({ minutes: 1.5 });
  expect(pauseParams('7d')).toEqual({ minutes: 10_080 });
  expect(pauseParams('restart')).toEqual({ untilRestart: true });
  expect(() => pauseParams('10081m')).toThrow(/longer/);
  expect(() => pauseParams('forever')).toThrow(/not a duration/);
});

test.each([
  ['tdns://192.0.2.1#dns.example', 'tdns', '192.0.2.1:53', ['dns.example']],
  ['dot://192.0.2.1', 'dot', '192.0.2.1:853', []],
  ['DOT://[2001:db8::1]:8853#a.b', 'dot', '[2001:db8::1]:8853', ['a.b']],
  ['tcp://2001:db8::1', 'tcp', '[2001:db8::1]:53', []],
  ['udp://192.0.2.1:5300/', 'udp', '192.0.2.1:5300', []],
])('%s', (text, transport, address, names) => {
  expect(parseServerAddress(text)).toEqual({ transport, address, names });
});

test.each([
  '192.0.2.1',
  'dot://',
  'dot://192.0.2.1:99999',
  'dot://192.0.2.1:0',
  'dot://192.0.2.1#',
  'dot://192.0.2.1/path#a',
])('%s is refused', (text) => {
  expect(() => parseServerAddress(text)).toThrow();
});

test('columns align, the last without blanks at the end', () => {
  const columns = [{ title: 'name' }, { title: 'n', align: 'right' as const }, { title: 'note' }];
  expect(
    renderTable(columns, [
      ['漢字', '1', ''],
      ['longer', '1000', 'x'],
    ]),
  ).toEqual(['name       n  note', '漢字       1', 'longer  1000  x']);
});

test.each([
  [['127.0.0.1:5300', '[::1]:5300'], 'dig @127.0.0.1 -p 5300 example.com'],
  [['[::]:53'], 'dig @::1 -p 53 example.com'],
  [['0.0.0.0:5300'], 'dig @127.0.0.1 -p 5300 example.com'],
  [[], 'listens nowhere'],
])('listening on %j, people are told: %s', (addresses, told) => {
  expect(sayHowToAsk(addresses)).toContain(told);
});

test('colour is for terminals that want it', () => {
  const paint = (isTTY: boolean, environment: Record<string, string>) =>
    openTerminal({ write: () => {}, isTTY, columns: 80 }, { write: () => {} }, environment).paint(
      'red',
      'x',
    );
  expect(paint(true, {})).toBe('\u001b[31mx\u001b[39m');
  expect(paint(true, { NO_COLOR: '' })).toBe('\u001b[31mx\u001b[39m');
  expect(paint(true, { NO_COLOR: '1' })).toBe('x');
  expect(paint(true, { TERM: 'dumb' })).toBe('x');
  expect(paint(false, {})).toBe('x');
});
