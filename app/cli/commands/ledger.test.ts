import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import {
  finished,
  runCommand,
  serve,
  startCommand,
  startFakeService,
} from '../fixtures/fake-service.ts';
import { someStats } from '../fixtures/made-up.ts';

function someEntry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: 7,
    class: 'policy',
    network: '3f2a9c01b7de',
    networkLabel: 'the café\u202e',
    group: '',
    rule: '',
    reason: 'no private path (Quad9: timed out)',
    who: 'ann',
    since: Date.UTC(2026, 0, 31, 14, 2),
    until: Date.UTC(2026, 0, 31, 14, 32),
    count: 12,
    closed: null,
    ...changes,
  };
}

test('the newest stands last; each line says class, time, packets, who, where and why', async () => {
  const asked: unknown[] = [];
  const entries = [
    someEntry(),
    someEntry({
      id: 6,
      class: 'service-down',
      networkLabel: '',
      who: 'the guardian',
      reason: 'it crashed',
      count: null,
      closed: 'Sotto runs again',
    }),
    someEntry({ id: 5, class: 'bypass', rule: 'corp.example', until: null, reason: '' }),
  ];
  const home = await serve({
    'stats.get': () => succeed(someStats()),
    'ledger.list': (params) => {
      asked.push(params);
      return succeed({ entries });
    },
  });
  const { code, out } = await runCommand(home, 'ledger', '-n', '3');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    'entry  class         since             until             in cleartext  by, where, why',
    '    5  bypass        2026-01-31 14:02  it is ended             12  ann; on the café\\u202e; for corp.example; open',
    '    6  service-down  2026-01-31 14:02  2026-01-31 14:32   unknown  the guardian; it crashed; ended: Sotto runs again',
    '    7  policy        2026-01-31 14:02  2026-01-31 14:32        12  ann; on the café\\u202e; no private path (Quad9: timed out); open',
    'Beside it, without a name that anybody asked for, since the service started at 2026-01-31 12:53: 2 offers of STARTTLS, 1 name of a login probe; the last at 2026-01-31 14:57.',
    '',
  ]);
  const json = await runCommand(home, 'ledger', '--class', 'policy', '--json');
  expect(json.out.trim().split('\n')).toHaveLength(3);
  expect(asked).toEqual([{ limit: 3 }, { limit: 20, class: 'policy' }]);
});

test('following goes on with every change, and ends with the service', async () => {
  let tell = (_entry: LedgerEntry) => {};
  const service = await startFakeService({
    'ledger.follow': (_params, session) => {
      tell = (entry) => session.notify('ledger.changed', entry);
      return succeed({ entries: [someEntry()], completeSince: 0 });
    },
  });
  const child = startCommand(service.home, 'ledger', '--follow', '--json');
  const ran = finished(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  tell(someEntry({ count: 13 }));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await service.close();
  const { code, out } = await ran;
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).count),
  ).toEqual([12, 13]);
  expect(code).toBe(3);
});

test('an empty ledger is good news, said on the other stream', async () => {
  const ownProbes = [{ kind: 'starttls', count: 0, last: null } as const];
  const home = await serve({
    'ledger.list': () => succeed({ entries: [] }),
    'stats.get': () => succeed(someStats({ ownProbes })),
  });
  const { out, errors } = await runCommand(home, 'ledger');
  expect(out).toBe(
    'Of its own accord Sotto has sent nothing in cleartext since the service started at 2026-01-31 12:53.\n',
  );
  expect(errors).toMatch(/nothing was allowed to leave in cleartext/);
});

test.each([
  [['-n', '0'], /a number from 1 to 10000/],
  [['--class', 'none'], /none/],
])('ledger %j is wrong usage', async (words, message) => {
  const home = await serve({});
  const { code, errors } = await runCommand(home, 'ledger', ...words);
  expect(code).toBe(2);
  expect(errors).toMatch(message);
});

test('the rules of a list are printed one by one', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'ledger.rules': (params) => {
      asked.push(params);
      return succeed({ rules: 'corp.example\n=www.lab.example' });
    },
  });
  const list = 'list:2:3f2a9c81d0e4b7a6';
  const printed = await runCommand(home, 'ledger', '--rules', list);
  expect(asked).toEqual([{ list }]);
  expect(printed.out).toBe('corp.example\n=www.lab.example\n');
  const json = await runCommand(home, 'ledger', '--rules', list, '--json');
  expect(json.out).toBe('{"rule":"corp.example"}\n{"rule":"=www.lab.example"}\n');
});
