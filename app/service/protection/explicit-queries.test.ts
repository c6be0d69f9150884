import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceSession } from '../../contract/service-api.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { createExplicitHandlers } from './explicit-queries.ts';
import { type Ledger, openLedger } from './ledger.ts';

let folder: TestFolder;
let ledger: Ledger;
beforeEach(() => {
  folder = testFolder();
  ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => 1000);
});
afterEach(() => {
  ledger.release();
  folder.remove();
});

function session() {
  const closing: (() => void)[] = [];
  const made = { role: 'control', onClose: (end: () => void) => closing.push(end) };
  return { session: made as unknown as ServiceSession, close: () => closing.map((end) => end()) };
}

function handlers(now = 5000) {
  const network = { stay: () => ({ partition: 'cafe#1' }), label: () => 'Café' };
  return createExplicitHandlers({
    ledger,
    network: network as Parameters<typeof createExplicitHandlers>[0]['network'],
    whoIs: () => 'ann',
    now: () => now,
  });
}

const query = { transport: 'udp', address: '192.0.2.1:53', timeoutMs: 2000 } as const;

test('it is in the ledger before the reply, belongs to no lease, and ends with its count', async () => {
  const one = session();
  const { 'ledger.begin': begin, 'ledger.end': end } = handlers();
  expect(await begin(query, one.session)).toEqual({ ok: true, value: { entry: 1 } });
  const entry = {
    ...{ id: 1, class: 'explicit', network: 'cafe#1', networkLabel: 'Café', who: 'ann' },
    ...{ since: 5000, until: 7000, count: null, closed: null },
    reason: 'a command asked udp://192.0.2.1:53 directly',
  };
  expect(ledger.list({ limit: 9 })).toMatchObject([entry]);
  expect([ledger.standing(), ledger.leased()]).toEqual([[], []]);
  expect(await end({ packets: 3 }, one.session)).toMatchObject({ ok: true });
  one.close();
  expect(ledger.list({ limit: 9 })).toMatchObject([{ count: 3, closed: 'it was asked' }]);
});

test('a command that goes without a word leaves the count unknown; another can not end its entry', async () => {
  const [one, other] = [session(), session()];
  const { 'ledger.begin': begin, 'ledger.end': end } = handlers();
  await begin(query, one.session);
  await end({ packets: 3 }, other.session);
  expect(ledger.list({ limit: 9 })).toMatchObject([{ closed: null }]);
  one.close();
  expect(ledger.list({ limit: 9 })).toMatchObject([{ count: null, closed: 'interrupted' }]);
});

test('where the ledger can not be written nothing is begun', async () => {
  ledger.release();
  const begun = await handlers()['ledger.begin'](query, session().session);
  expect(begun).toMatchObject({ ok: false, failure: { code: 'state-unwritable' } });
  ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => 1000);
});

test('an account fills neither the ledger nor the memory, whatever it repeats', async () => {
  const one = session();
  const { 'ledger.begin': begin } = handlers();
  for (let index = 0; index < 300; index++)
    expect(await begin(query, one.session)).toMatchObject({ ok: true });
  expect(await begin(query, one.session)).toMatchObject({ failure: { code: 'too-many' } });
  expect(await begin(query, session().session)).toMatchObject({ failure: { code: 'too-many' } });
  expect(ledger.list({ limit: 999 })).toHaveLength(300);
  expect(one.close()).toHaveLength(1);
});
