import { expect, test } from 'vitest';
import type { Cell, Observed } from './cell.ts';
import { faults } from './faults.ts';
import { policies } from './policies.ts';
import { backWithinMs, judge } from './verdict.ts';

const faultAt = 1_000_000;
const faultOverAt = faultAt + 5_000;

function cell(policyName: string, faultName: string): Cell {
  const policy = policies.find(({ name }) => name === policyName);
  const fault = faults.find(({ name }) => name === faultName);
  if (policy === undefined || fault === undefined) throw new Error(`${policyName} × ${faultName}`);
  return { policy, fault };
}

function clearAt(at: number): Observed['captured'][number] {
  const to = { transport: 'udp', to: '198.51.100.53', port: 53 } as const;
  return { at: at / 1000, name: 'q1.far.example', type: 1, ...to, kind: 'query' };
}

const entry: Observed['ledger'][number] = {
  ...{ id: 1, class: 'policy', network: 'n', networkLabel: 'here', group: '', rule: '' },
  ...{ reason: 'no private path', who: 'your settings', since: faultAt + 100, until: null },
  ...{ count: 2, closed: 'a private path works again' },
};

/** Two queries left in cleartext, and the ledger says so. */
const exposed: Observed = {
  states: ['private', 'exposed', 'private'],
  ...{ faultAt, faultOverAt, privateAt: faultOverAt + 300 },
  ...{ struckAt: null, restoredAt: null, leaseOverAt: null },
  queries: [{ number: 1, at: faultAt, afterMs: 20, rcode: 0 }],
  captured: [clearAt(faultAt + 200), clearAt(faultOverAt + 250)],
  nameInCapture: true,
  ledger: [entry],
  stoodStillMs: 0,
};
const unexposed: Observed = {
  ...exposed,
  states: ['private', 'refusing', 'private'],
  captured: [],
  nameInCapture: false,
  ledger: [],
};
const fallback = cell('fallback', 'TLS stripped');
const refuse = cell('refuse', 'TLS stripped');

test('a correct cell has no problems', () => {
  expect(judge(fallback, exposed)).toMatchObject({
    ...{ captured: 2, ledger: 2, answered: 1, lost: 0 },
    ...{ privateAfterMs: 300, lastClearAfterMs: 250, problems: [] },
  });
  expect(judge(refuse, unexposed)).toMatchObject({ captured: 0, ledger: 0, problems: [] });
});

test.each<[what: string, cell: Cell, observed: Observed, problem: RegExp]>([
  [
    'one more than the ledger knows of',
    fallback,
    { ...exposed, captured: [...exposed.captured, clearAt(faultAt + 300)] },
    /3 queries captured in cleartext, 2 in the ledger/,
  ],
  [
    'a count nobody could make',
    fallback,
    { ...exposed, ledger: [{ ...entry, count: null }] },
    /null/,
  ],
  ['clear under refuse, counted or not', refuse, exposed, /none was allowed/],
  [
    'a permission nobody needed',
    refuse,
    { ...unexposed, ledger: [{ ...entry, count: 0 }] },
    /not needed/,
  ],
  ['a name that tshark does not see', refuse, { ...unexposed, nameInCapture: true }, /disagree/],
  [
    'fallback that never fell',
    fallback,
    { ...exposed, captured: [], ledger: [], nameInCapture: false },
    /nothing was tried/,
  ],
  [
    'clear after the lease',
    fallback,
    { ...exposed, leaseOverAt: faultOverAt },
    /250 ms after the permission had ended/,
  ],
  [
    'an entry left open',
    fallback,
    { ...exposed, ledger: [{ ...entry, closed: null }] },
    /still open/,
  ],
  [
    'trouble where there was another private path',
    cell('warn, unanswered', 'upstream dead'),
    { ...unexposed, states: ['private', 'asking', 'private'] },
    /not private throughout/,
  ],
  [
    'a late return',
    refuse,
    { ...unexposed, privateAt: faultOverAt + backWithinMs + 1 },
    /private only after/,
  ],
  [
    'a query without an answer',
    refuse,
    { ...unexposed, queries: [{ number: 1, at: faultAt, afterMs: 12_000, rcode: null }] },
    /1 queries hung/,
  ],
  [
    'a killed service whose entries do not say so',
    cell('fallback', 'service killed, guarded'),
    exposed,
    /interrupted/,
  ],
])('%s is a problem', (_what, where, observed, problem) => {
  expect(judge(where, observed).problems.join('\n')).toMatch(problem);
});

test('only queries that a killed service held may be lost, and without a guardian those that came while it was gone', () => {
  const [struckAt, restoredAt] = [faultAt + 1000, faultAt + 3000];
  const lostAt = (at: number, where: Cell) =>
    judge(where, {
      ...{ ...unexposed, struckAt, restoredAt },
      queries: [{ number: 1, at, afterMs: 12_000, rcode: null }],
    }).problems;
  const guarded = cell('refuse', 'service killed, guarded');
  const alone = cell('refuse', 'service killed, alone');
  expect(lostAt(struckAt - 100, guarded)).toEqual([]);
  expect(lostAt(struckAt + 1000, guarded)).toEqual(['1 queries hung without an answer']);
  expect(lostAt(struckAt + 1000, alone)).toEqual([]);
  expect(lostAt(restoredAt + 1, alone)).toEqual(['1 queries hung without an answer']);
});
