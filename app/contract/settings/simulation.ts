/**
 * What a version of a profile would change: queries that were asked here, or that the caller gives, decided by the engine under the
 * present settings and under those that would hold, without sending any.
 */

import { z } from 'zod';
import { typedName } from '../dns/typed-name.ts';
import { destinations, fates } from '../engine-words.ts';
import { downgradePolicy } from './downgrade-policy.ts';

/** The gravest first. */
export const changeKinds = [
  /** encrypted or not sent now; it would leave unencrypted, by no bypass rule that is an exception */
  'unencrypted',
  /** it would leave unencrypted as an exception: a bypass rule for it comes, or leads to other plain resolvers than now */
  'elsewhere',
  /** it would not be sent */
  'refused',
  /** the same as now, but where no encrypted connection works, the policy for it is looser */
  'looser',
  /** it would go to another upstream, encrypted as now */
  'upstream',
  /** it would be answered on this machine, or otherwise than now */
  'here',
  /** it is answered on this machine now, and would go to an upstream */
  'no-longer-here',
  /** it is refused now, and would go to an upstream, encrypted */
  'no-longer-refused',
  /** it leaves unencrypted now, and would be encrypted */
  'encrypted',
  /** the reverse of `looser` */
  'stricter',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Why there is nothing to decide about; the settings are judged all the same. */
export const simulationObstacles = [
  /** the query log is off */
  'log-off',
  /** it keeps counts, and no names */
  'log-counts',
  /** it keeps registrable domains, so nobody knows which names below them were asked */
  'log-domains',
] as const;
export type SimulationObstacle = (typeof simulationObstacles)[number];

const count = z.int().nonnegative();
const milliseconds = z.number();

export const simulatedDecision = z.strictObject({
  verdict: z.enum(destinations),
  /**
   * here: answered on this machine. private: inside TLS, as long as an upstream can be reached that way. clear: unencrypted.
   * refused: not sent.
   */
  fate: z.enum(fates),
  /** the special-use name, the rule's word, or that of a list of many rules; empty without one */
  rule: z.string(),
  /** the first of them: ip:port of plain resolvers, or ids of upstreams, in the order they would be asked */
  servers: z.array(z.string()),
  /** how the first upstream is reached, as in "dot://192.0.2.1:853#dns.example"; null: no upstream is asked */
  at: z.string().nullable(),
  /** id of its group; empty: the default one; null: no upstream is asked */
  group: z.string().nullable(),
  /** the policy where no encrypted connection works; null: none is tried */
  below: downgradePolicy.nullable(),
});
export type SimulatedDecision = z.infer<typeof simulatedDecision>;

export const simulatedChange = z.strictObject({
  kind: z.enum(changeKinds),
  queries: count,
  before: simulatedDecision,
  after: simulatedDecision,
  /** some of their names, no two alike */
  names: z.array(z.string()),
});
export type SimulatedChange = z.infer<typeof simulatedChange>;

export const simulation = z.strictObject({
  /** null: queries were decided about */
  cannot: z.enum(simulationObstacles).nullable(),
  /** while it is off or paused, most queries go to the system's resolvers whatever the settings say */
  protection: z.enum(['on', 'off', 'paused']),
  queries: count,
  /** when the oldest of them was asked; null: there is none, or the caller gave them */
  since: milliseconds.nullable(),
  /** of the queries, those that no settings resolve: zone transfers, other classes than IN, what is no name */
  unresolved: count,
  /** of the queries, those for which something would change */
  changed: count,
  /** by kind, the gravest first, those that occur. A query with another upstream and a looser policy counts in both */
  totals: z.array(z.strictObject({ kind: z.enum(changeKinds), queries: count })),
  /** the same by decisions, the gravest kind first and then the most queries; the first of them where they are many */
  changes: z.array(simulatedChange),
  /** ids of upstreams that would be asked, and were never reached from here nor tried: whether they can be, nobody knows */
  untried: z.array(z.string()),
});
export type Simulation = z.infer<typeof simulation>;

/** So many changes are told; the totals count all. */
export const mostChanges = 40;
export const mostLogged = 1_000_000;
export const usuallyLogged = 100_000;
/** In one request; what is left over goes into another one. */
export const mostGiven = 5_000;

export const givenQuery = z.strictObject({
  name: typedName,
  /** mnemonic, or TYPE65280; absent: A */
  type: z.string().min(1).max(20).optional(),
  /** how often it was asked; absent: once */
  times: z.int().positive().max(1_000_000_000).optional(),
});
export type GivenQuery = z.infer<typeof givenQuery>;

/** Of queries that were given in several requests. */
export function joinSimulations(one: Simulation, other: Simulation): Simulation {
  const changes = new Map<string, SimulatedChange>();
  for (const change of [...one.changes, ...other.changes]) {
    const key = JSON.stringify([change.kind, change.before, change.after]);
    const known = changes.get(key);
    if (known === undefined) changes.set(key, change);
    else
      changes.set(key, {
        ...known,
        queries: known.queries + change.queries,
        names: [...new Set([...known.names, ...change.names])].slice(0, 5),
      });
  }
  return {
    ...other,
    queries: one.queries + other.queries,
    unresolved: one.unresolved + other.unresolved,
    changed: one.changed + other.changed,
    totals: changeKinds.flatMap((kind) => {
      const queries = totalOf(one, kind) + totalOf(other, kind);
      return queries === 0 ? [] : [{ kind, queries }];
    }),
    changes: gravestFirst([...changes.values()]).slice(0, mostChanges),
  };
}

function totalOf({ totals }: Simulation, wanted: ChangeKind): number {
  return totals.find(({ kind }) => kind === wanted)?.queries ?? 0;
}

export function gravestFirst(changes: readonly SimulatedChange[]): SimulatedChange[] {
  const gravity = ({ kind }: SimulatedChange) => changeKinds.indexOf(kind);
  return [...changes].sort(
    (one, other) => gravity(one) - gravity(other) || other.queries - one.queries,
  );
}
