import { expect, test } from 'vitest';
import { fail, succeed } from '../errors.ts';
import type { ServiceClient } from '../service-api.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { readLedger } from './read-ledger.ts';

/** A ledger of 2,500 entries, and the requests that it received. */
function ledger() {
  const asked: string[] = [];
  const call = async (name: string, params: { limit: number; beforeId?: number }) => {
    const { limit, beforeId = 2501 } = params;
    asked.push(`${name} ${JSON.stringify(params)}`);
    const ids = Array.from({ length: limit }, (_, index) => beforeId - 1 - index);
    const entries = ids.filter((id) => id > 0).map((id) => ({ id }) as LedgerEntry);
    return succeed({ entries });
  };
  return { asked, call: call as never as ServiceClient['call'] };
}

test.each([
  [{}, 2500, ['list 1000', 'list 1000 before 1501', 'list 1000 before 501']],
  [{ most: 20 }, 20, ['list 20']],
  [{ most: 1000 }, 1000, ['list 1000']],
  [{ most: 1001 }, 1001, ['list 1000', 'list 1 before 1501']],
  [
    { most: 3000, follow: true },
    2500,
    ['follow 1000', 'list 1000 before 1501', 'list 1000 before 501'],
  ],
])('%j reads %i entries, none twice', async (wanted, count, requests) => {
  const { asked, call } = ledger();
  const read = await readLedger({ call }, wanted);
  if (!read.ok) throw new Error(read.failure.message);
  expect(read.value.map(({ id }) => id)).toEqual(
    Array.from({ length: count }, (_, index) => 2500 - index),
  );
  const written = requests.map((request) => {
    const [method, limit, , before] = request.split(' ');
    const params = { limit: Number(limit), ...(before && { beforeId: Number(before) }) };
    return `ledger.${method} ${JSON.stringify(params)}`;
  });
  expect(asked).toEqual(written);
});

test('of one class, each page is', async () => {
  const { asked, call } = ledger();
  await readLedger({ call }, { class: 'bypass', most: 1500 });
  expect(asked).toHaveLength(2);
  for (const request of asked) expect(request).toContain('"class":"bypass"');
});

test('a page that fails is the answer', async () => {
  const failure = fail('too-many', 'there may be one at once', 'end one first');
  const read = await readLedger({ call: async () => failure }, {});
  expect(read).toEqual(failure);
});
