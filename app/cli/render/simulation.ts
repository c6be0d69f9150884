/** What a version of a profile would change, for people: the gravest kind first. */
import { rulesInList } from '../../contract/protection/list-word.ts';
import type { ResultOf } from '../../contract/service-api.ts';
import type {
  ChangeKind,
  SimulatedChange,
  SimulatedDecision,
  Simulation,
  SimulationObstacle,
} from '../../contract/settings/simulation.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';

export function saySimulated({
  profile: { id, serial, issuer, name },
  ...said
}: ResultOf<'profile.simulate'>): string[] {
  const { refusal, problems, waiting, kept, simulation } = said;
  return [
    `"${safe(name)}" of ${safe(issuer)} (${safe(id)}, serial ${serial}), simulated: nothing came into force.`,
    ...(refusal === null
      ? []
      : [
          `! This machine would not take it now: ${safe(refusal.message)}; ${safe(refusal.remedy)}.`,
        ]),
    ...problems.map((one) => `! ${safe(one)}`),
    ...waiting.map(sayWaiting),
    ...(kept.length === 0
      ? []
      : [`! ${kept.map(safe).join(', ')}: not readable in it, so what holds now would go on`]),
    ...saySimulation(simulation),
  ];
}

function sayWaiting({
  key,
  grant,
  network,
  behind,
}: ResultOf<'profile.simulate'>['waiting'][number]): string {
  const what = safe(network === undefined ? key : `${key} on the network "${network}"`);
  if (behind !== undefined)
    return `! ${what} would wait for "${safe(behind)}", and is not in this; --approved puts it in`;
  return grant === null
    ? `! ${what} would never hold: no profile may do this`
    : `! ${what} would wait ("${grant}"), and is not in this; --approved puts it in`;
}

function saySimulation(simulation: Simulation): string[] {
  const { cannot, protection, queries, unresolved, totals, changes, untried } = simulation;
  if (cannot !== null) return [obstacles[cannot], 'Give queries of your own: --queries FILE.'];
  return [
    ...(protection === 'on'
      ? []
      : [
          `! Protection is ${protection}, so most queries are decided by that, and not by settings.`,
        ]),
    sayCount(simulation),
    ...(unresolved === 0
      ? []
      : [
          `  ${unresolved} of them are resolved by no settings: zone transfers, other classes than IN, no names`,
        ]),
    ...totals.flatMap(({ kind, queries: all }) => [
      `${isGrave(kind) ? '! ' : '  '}${all} would ${kinds[kind]}`,
      ...sayChanges(
        changes.filter((one) => one.kind === kind),
        all,
      ),
    ]),
    ...(queries === 0 ? [] : untried.map((id) => sayUntried(id, changes))),
  ];
}

function sayCount({ queries, since, changed }: Simulation): string {
  if (queries === 0) return 'There are no queries to decide about.';
  const asked = since === null ? '' : ` since ${dayAndMinute(since)}`;
  return changed === 0
    ? `Nothing would change for the ${queries} queries${asked}.`
    : `Something would change for ${changed} of ${queries} queries${asked}:`;
}

function sayChanges(changes: readonly SimulatedChange[], all: number): string[] {
  const told = changes.reduce((sum, { queries }) => sum + queries, 0);
  return [
    ...changes.flatMap(({ queries, before, after, names }) => [
      `    ${queries}: ${sayDecision(before)} → ${sayDecision(after)}`,
      `      ${names.map(safe).join(', ')}${names.length < queries ? ' …' : ''}`,
    ]),
    ...(told < all ? [`    and ${all - told} more`] : []),
  ];
}

const obstacles: Record<SimulationObstacle, string> = {
  'log-off': 'The query log is off, so nobody knows what was asked here.',
  'log-counts': 'The query log keeps counts and no names, so nobody knows what was asked here.',
  'log-domains':
    'The query log keeps registrable domains, so nobody knows which names below them were asked here.',
};

const kinds: Record<ChangeKind, string> = {
  unencrypted: 'leave unencrypted',
  elsewhere: 'leave unencrypted by a bypass rule, or to other resolvers than now',
  refused: 'be refused',
  looser: 'have a looser policy where no encrypted connection works',
  upstream: 'go to another upstream',
  here: 'be answered on this machine, or otherwise than now',
  'no-longer-here': 'no longer be answered on this machine',
  'no-longer-refused': 'no longer be refused',
  encrypted: 'no longer leave unencrypted',
  stricter: 'have a stricter policy where no encrypted connection works',
};

function isGrave(kind: ChangeKind): boolean {
  return kind === 'unencrypted' || kind === 'elsewhere' || kind === 'refused' || kind === 'looser';
}

function sayDecision(decision: SimulatedDecision): string {
  const { fate, rule, servers } = decision;
  const by = rule === '' ? '' : ` (${sayRule(rule)})`;
  switch (fate) {
    case 'here':
      return `answered here${by}`;
    case 'refused':
      return `refused${by}`;
    case 'clear':
      return `unencrypted to ${servers.map(safe).join(', ')}${by}`;
    case 'private':
      return `encrypted to ${sayUpstream(decision)}`;
  }
}

function sayRule(rule: string): string {
  const rules = rulesInList(rule);
  return rules === null ? `"${safe(rule)}"` : `one of ${rules} rules`;
}

function sayUpstream({ servers: [first = ''], at, group, below }: SimulatedDecision): string {
  return [
    at === null ? safe(first) : `${safe(first)} at ${safe(at)}`,
    group ? ` of the group ${safe(group)}` : '',
    below === null ? '' : `, else ${below}`,
  ].join('');
}

function sayUntried(id: string, changes: readonly SimulatedChange[]): string {
  const at = changes.find(({ after }) => after.servers[0] === id)?.after.at;
  // Of several addresses or names, or behind a proxy, it is no argument of the command.
  const isArgument = at != null && !/[, ]/.test(at);
  const remedy = isArgument ? `; try it: sotto query example.com --at ${safe(at)}` : '';
  return `! ${safe(id)} was never reached from here: whether it can be, nobody knows${remedy}`;
}
