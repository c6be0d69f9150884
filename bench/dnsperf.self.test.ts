import { expect, test } from 'vitest';
import { parseLoad } from './dnsperf.ts';

const fullRun = `DNS Performance Testing Tool
Version 2.10.0

[Status] Command line: dnsperf -s 127.0.0.1 -p 5300 -d names -l 5
[Status] Sending queries (to 127.0.0.1:5300)
[Timeout] Query timed out: msg id 8613
Statistics:

  Queries sent:         250012
  Queries completed:    250009 (100.00%)
  Queries lost:         3 (0.00%)

  Response codes:       NOERROR 249999 (100.00%), SERVFAIL 10 (0.00%)
  Average packet size:  request 39, response 55
  Run time (s):         5.012500
  Queries per second:   49877.107232

  Average Latency (s):  0.001900 (min 0.000010, max 0.014960)
  Latency StdDev (s):   0.002376
`;

test('lost queries and responses with errors are told apart', () => {
  expect(parseLoad(fullRun)).toEqual({
    sent: 250012,
    answered: 249999,
    failed: 10,
    lost: 3,
    seconds: 5.0125,
  });
});

test('responses of a server that only refuses do not count', () => {
  const refused = fullRun.replace(/NOERROR.*/, 'REFUSED 250009 (100.00%)');
  expect(parseLoad(refused)).toMatchObject({ answered: 0, failed: 250009 });
});

test('silence has no response codes', () => {
  const silent = fullRun
    .replace(/completed:.*/, 'completed:    0 (0.00%)')
    .replace(/lost:.*/, 'lost:         250012 (100.00%)')
    .replace(/^ *Response codes.*$/m, '');
  expect(parseLoad(silent)).toMatchObject({ answered: 0, failed: 0, lost: 250012 });
});

test('no statistics, no figures', () => {
  expect(parseLoad('Error: unable to open names')).toBeNull();
});
