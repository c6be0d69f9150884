/** Which kind of change a pair of decisions is, and how they are counted. */
import { expect, test } from 'vitest';
import { type ChangeKind, joinSimulations } from '../../../contract/settings/simulation.ts';
import type { Decision } from '../../engine/boundary.ts';
import { nothingAdded } from './add-queries.ts';
import { composeSimulation, kindsOf } from './compose-simulation.ts';

const decision = (more: Partial<Decision>): Decision => ({
  verdict: 'forward',
  fate: 'private',
  rule: '',
  reason: '',
  rcode: null,
  servers: ['a'],
  at: 'dot://192.0.2.1:853#a.example',
  group: '',
  clear: 'none',
  below: 'refuse',
  ...more,
});
const sent = decision({});
const elsewhere = decision({ servers: ['b'], at: 'dot://192.0.2.2:853#b.example' });
const loose = decision({ below: 'fallback' });
const refused = decision({ fate: 'refused', servers: [], at: null, below: null });
const gone = { at: null, group: null, below: null };
const here = decision({ ...gone, verdict: 'local', fate: 'here', rcode: 'NXDOMAIN', servers: [] });
const hereToo = { ...here, rcode: 'NOERROR' };
const cleartext = { ...gone, fate: 'clear' } as const;
const bypassed = decision({
  ...cleartext,
  verdict: 'bypass',
  clear: 'bypass',
  servers: ['192.0.2.53:53'],
});
const bypassedToo = { ...bypassed, servers: ['192.0.2.54:53'] };
const byPolicy = { ...bypassed, clear: 'policy' } as const;

test.each<[string, Decision, Decision, ChangeKind[]]>([
  ['the same', sent, sent, []],
  ['another name of the same upstream', sent, { ...sent, servers: ['z'], group: 'z' }, []],
  ['other upstreams behind the first', sent, { ...sent, servers: ['a', 'b'] }, []],
  ['another rule for the same place', bypassed, { ...bypassed, rule: 'x' }, []],
  ['another upstream', sent, elsewhere, ['upstream']],
  ['a looser policy', sent, loose, ['looser']],
  ['a stricter policy', loose, sent, ['stricter']],
  ['both', sent, { ...elsewhere, below: 'fallback' }, ['upstream', 'looser']],
  ['refused from now on', sent, refused, ['refused']],
  ['refused instead of unencrypted', bypassed, refused, ['refused']],
  ['refused no more', refused, sent, ['no-longer-refused']],
  ['an exception that was none', sent, bypassed, ['elsewhere']],
  ['an exception that was refused', refused, bypassed, ['elsewhere']],
  ['another resolver', bypassed, bypassedToo, ['elsewhere']],
  ['a downgrade', sent, byPolicy, ['unencrypted']],
  ['a downgrade of what was refused', refused, byPolicy, ['unencrypted']],
  ['a downgrade of what was answered here', here, byPolicy, ['unencrypted']],
  ['encrypted again', byPolicy, sent, ['encrypted']],
  ['answered here', sent, here, ['here']],
  ['answered here otherwise', here, hereToo, ['here']],
  ['answered here no more', here, sent, ['no-longer-here']],
])('%s', (_what, before, after, kinds) => {
  expect(kindsOf(before, after)).toEqual(kinds);
});

const around = { ...nothingAdded, protection: 'on' } as const;
const pair = (before: number, after: number, queries: number, ...names: string[]) => ({
  ...{ before, after, queries, names },
});

test('each query counts once as changed, and under each kind; the gravest kind stands first', () => {
  const decisions = [sent, { ...elsewhere, below: 'fallback' as const }, byPolicy];
  const pairs = [pair(0, 0, 70), pair(0, 1, 20, 'x.example'), pair(0, 2, 10, 'y.example')];
  const engine = { queries: 101, unresolved: 1, decisions, pairs, untried: ['b', 'unasked'] };
  const found = composeSimulation(engine, { ...around, leftOut: 4, since: 5 });
  expect(found).toMatchObject({ queries: 105, unresolved: 5, changed: 30, since: 5 });
  expect(found.totals).toEqual([
    { kind: 'unencrypted', queries: 10 },
    { kind: 'looser', queries: 20 },
    { kind: 'upstream', queries: 20 },
  ]);
  expect(found.changes.map(({ kind, names }) => [kind, ...names])).toEqual([
    ['unencrypted', 'y.example'],
    ['looser', 'x.example'],
    ['upstream', 'x.example'],
  ]);
  expect(found.untried).toEqual(['b']);
});

test('of many changes the first are told, and the totals count all', () => {
  const decisions = [
    sent,
    ...Array.from({ length: 60 }, (_, at) => ({ ...elsewhere, at: `${at}` })),
  ];
  const pairs = decisions.slice(1).map((_, index) => pair(0, index + 1, index + 1));
  const found = composeSimulation(
    { queries: 9, unresolved: 0, decisions, pairs, untried: [] },
    around,
  );
  expect(found.changes).toHaveLength(40);
  expect(found.changes[0]?.queries).toBe(60);
  expect(found.totals).toEqual([{ kind: 'upstream', queries: (60 * 61) / 2 }]);
});

test('what was asked for in parts is one result', () => {
  const part = (queries: number, ...names: string[]) =>
    composeSimulation(
      {
        ...{ queries, unresolved: 1, untried: [] },
        decisions: [sent, elsewhere],
        pairs: [pair(0, 1, queries, ...names)],
      },
      around,
    );
  const joined = joinSimulations(part(2, 'a', 'b'), part(3, 'b', 'c'));
  expect(joined).toMatchObject({ queries: 5, unresolved: 2, changed: 5 });
  expect(joined.totals).toEqual([{ kind: 'upstream', queries: 5 }]);
  expect(joined.changes).toMatchObject([{ queries: 5, names: ['a', 'b', 'c'] }]);
});
