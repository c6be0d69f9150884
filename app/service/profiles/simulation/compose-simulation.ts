/** From the engine's pairs of decisions to what a person is told: which kind of change each is, how many queries, some names. Pure. */
import { isDeepStrictEqual } from 'node:util';
import {
  type ChangeKind,
  changeKinds,
  gravestFirst,
  mostChanges,
  type SimulatedChange,
  type SimulatedDecision,
  type Simulation,
} from '../../../contract/settings/simulation.ts';
import type { Decision, Simulated } from '../../engine/boundary.ts';
import { strictest } from '../../network/effective-policy.ts';
import type { Added } from './add-queries.ts';

interface Around extends Added {
  protection: Simulation['protection'];
}

const mostServers = 4;

export function composeSimulation(
  { queries, unresolved, decisions, pairs, untried }: Simulated,
  { cannot, protection, since, leftOut }: Around,
): Simulation {
  const judged = pairs.flatMap(({ before: was, after: is, ...pair }) => {
    const [before, after] = [decisions[was], decisions[is]];
    if (before === undefined || after === undefined) return [];
    return [{ ...pair, before, after, kinds: kindsOf(before, after) }];
  });
  const changes = judged.flatMap(({ kinds, queries: count, names, before, after }) =>
    kinds.map(
      (kind): SimulatedChange => ({
        ...{ kind, queries: count, names },
        ...{ before: told(before), after: told(after) },
      }),
    ),
  );
  const asked = new Set(judged.flatMap(({ after }) => (after.at === null ? [] : after.servers)));
  return {
    ...{ cannot, protection, since },
    queries: queries + leftOut,
    unresolved: unresolved + leftOut,
    changed: sum(judged.filter(({ kinds }) => kinds.length > 0)),
    totals: changeKinds.flatMap((kind) => {
      const ofKind = changes.filter((one) => one.kind === kind);
      return ofKind.length === 0 ? [] : [{ kind, queries: sum(ofKind) }];
    }),
    changes: gravestFirst(changes).slice(0, mostChanges),
    untried: untried.filter((id) => asked.has(id)),
  };
}

function sum(counted: readonly { queries: number }[]): number {
  return counted.reduce((total, { queries }) => total + queries, 0);
}

/** How a query leaves and where to, and apart from that what follows where no encrypted connection works. */
export function kindsOf(before: Decision, after: Decision): ChangeKind[] {
  const kind = kindOf(before, after);
  const isCleartext = [before, after].some(({ fate }) => fate === 'clear');
  const below = isCleartext ? null : kindBelow(before, after);
  return [kind, below].filter((one) => one !== null);
}

function kindOf(before: Decision, after: Decision): ChangeKind | null {
  switch (after.fate) {
    case 'refused':
      return before.fate === 'refused' ? null : 'refused';
    case 'clear':
      return kindInCleartext(before, after);
    case 'private':
      return kindOfPrivate(before, after);
    case 'here':
      return isDeepStrictEqual(placeOf(before), placeOf(after)) ? null : 'here';
  }
}

function kindInCleartext(before: Decision, after: Decision): ChangeKind | null {
  if (isDeepStrictEqual(placeOf(before), placeOf(after))) return null;
  return after.clear === 'bypass' || before.fate === 'clear' ? 'elsewhere' : 'unencrypted';
}

function kindOfPrivate(before: Decision, after: Decision): ChangeKind | null {
  switch (before.fate) {
    case 'refused':
      return 'no-longer-refused';
    case 'clear':
      return 'encrypted';
    case 'here':
      return 'no-longer-here';
    case 'private':
      return before.at === after.at ? null : 'upstream';
  }
}

/** What is equal in this is the same for whoever asked. Upstreams may be called otherwise, and stand in another order behind the first. */
function placeOf({ fate, verdict, rcode, servers, at, clear }: Decision): unknown {
  return { fate, verdict, rcode, clear, at, servers: verdict === 'forward' ? [] : servers };
}

function kindBelow({ below: was }: Decision, { below: is }: Decision): ChangeKind | null {
  if (was === null || is === null || was === is) return null;
  return strictest([was, is]) === is ? 'stricter' : 'looser';
}

function told({ verdict, fate, rule, servers, at, group, below }: Decision): SimulatedDecision {
  return { verdict, fate, rule, servers: servers.slice(0, mostServers), at, group, below };
}
