import { expect, test } from 'vitest';
import { type PolicyEntry, readPolicy } from '../settings/policy-file.ts';
import { entriesOf, holdsText } from './enrolment.ts';

const stated = (text: string) => readPolicy('', text).policy?.entries ?? [];
const plain = (entries: readonly PolicyEntry[]) =>
  entries.map((entry) => ({ ...entry, problem: entry.problem(['x'], 'wrong') }));

test('what is written is remembered as it reads back', () => {
  const entries = stated(
    JSON.stringify({
      name: 'Example Corp',
      settings: {
        downgrade: { value: 'refuse', lock: 'hidden', reason: 'it must' },
        bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] },
        'cache.entries': { value: 10, lock: true, until: '2030-01-01T00:00:00Z' },
      },
    }),
  ).map((entry) => ({ ...entry, held: true }));
  const holds = holdsText('Example Corp', entries);
  expect(plain(entriesOf({ holds }))).toEqual(plain(stated(holds)));
});
