/**
 * From switch, settings, connections and answers to the one state a person sees, the wanted permissions, the consent requests
 * to open and close, and the health issues. Pure: `decide` adds what the engine and the ledger need.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { ProtectionState } from '../../contract/protection/protection-state.ts';
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { HealthIssueCode } from '../../contract/status/health-issue.ts';
import {
  consentOf,
  type GroupFacts,
  type GroupSurroundings,
  type GroupTransition,
  groupTransition,
} from './group-transition.ts';
import type { Permission } from './permissions.ts';
import type { Switch } from './switch.ts';

export interface ProtectionFacts extends GroupSurroundings {
  /** how many network changes are known: leases from before the last of them are suspended until we confirm them to the engine */
  networkChanges: number;
  position: Switch;
  /** the default group first */
  groups: readonly GroupFacts[];
  /** open ledger entries of bypass rules so wide that they are downgrades */
  wideRules: readonly LedgerEntry[];
}

export interface Transition {
  state: ProtectionState;
  groups: { id: string; state: ProtectionState }[];
  /** the classes policy and portal; permissions of the switch and of bypass rules do not depend on what works */
  permissions: Permission[];
  requests: { group: string; change: 'open' | 'expire' | 'drop' }[];
  /** code to subject, the group, to detail */
  health: Map<ProtectionIssueCode, Map<string, readonly Said[]>>;
}

const protectionIssueCodes = [
  'no-network',
  'no-private-path',
  'asking',
  'exposed',
  'queries-in-cleartext',
] as const satisfies HealthIssueCode[];

export type ProtectionIssueCode = (typeof protectionIssueCodes)[number];

export function transition(facts: ProtectionFacts): Transition {
  const { position, groups } = facts;
  if (position.protection !== 'on') return switchedAway(facts, position);
  const changes = groups.map((group) => ({ group, ...groupTransition(group, facts) }));
  return {
    state: gravest([...changes.map(({ state }) => state), ...ofWideRules(facts)]),
    groups: changes.map(({ group, state }) => ({ id: group.rules.id, state })),
    permissions: [
      ...changes.flatMap(({ permission }) => (permission === null ? [] : [permission])),
      ...loginPermission(facts),
    ],
    requests: changes.flatMap(({ group, request }) =>
      request === null ? [] : [{ group: group.rules.id, change: request }],
    ),
    health: healthOf(changes),
  };
}

/** While a person has switched Sotto off or paused it, there is no consent request, and nothing of class policy is allowed. */
function switchedAway(
  { groups }: ProtectionFacts,
  position: Exclude<Switch, { protection: 'on' }>,
): Transition {
  const state: ProtectionState =
    position.protection === 'off'
      ? { state: 'off', since: position.since }
      : { state: 'paused', until: position.until };
  return {
    state,
    groups: groups.map(({ rules }) => ({ id: rules.id, state })),
    permissions: [],
    requests: groups.flatMap(({ rules, request }) =>
      request === null ? [] : [{ group: rules.id, change: 'drop' as const }],
    ),
    health: healthOf([]),
  };
}

/** Such a rule sends in cleartext whether or not a private path works; without a network it sends nothing. */
function ofWideRules({ wideRules, groups, here }: ProtectionFacts): ProtectionState[] {
  if (groups.every(({ path }) => path.kind === 'offline')) return [];
  return wideRules
    .filter(({ network }) => network === here.id)
    .map(({ since, until, rule, who }) => ({
      state: 'exposed',
      since,
      until,
      consent: consentOf(say('consent-rule', { rule, who })),
    }));
}

/** A login lasts no longer than the stay on which it began, and no longer than its budget. */
function loginPermission({ portal: { login }, here, now }: ProtectionFacts): Permission[] {
  if (login === null || login.network !== here.id || login.until <= now) return [];
  const { network, networkLabel, site: rule, reason, who, until } = login;
  return [{ class: 'portal', network, networkLabel, group: '', rule, reason, who, until }];
}

/** What leaves in cleartext anywhere comes first, then open consent requests, then the state of most names. */
function gravest(states: readonly ProtectionState[]): ProtectionState {
  const [defaultGroup] = states;
  return (
    states.find(({ state }) => state === 'exposed') ??
    states.find(({ state }) => state === 'asking') ??
    defaultGroup ?? { state: 'refusing', why: 'No upstream can be used.' }
  );
}

type GroupChange = GroupTransition & { group: GroupFacts };

function healthOf(changes: readonly GroupChange[]): Transition['health'] {
  const health: Transition['health'] = new Map();
  for (const code of protectionIssueCodes)
    health.set(
      code,
      new Map(
        changes.flatMap((one) => {
          const detail = issueOf(one);
          return detail?.code === code ? [[one.group.rules.id, detail.says]] : [];
        }),
      ),
    );
  return health;
}

function issueOf({
  group,
  state,
  says = [],
}: GroupChange): { code: ProtectionIssueCode; says: readonly Said[] } | null {
  const { rules, request, chosenClear, path } = group;
  const whose = rules.id === '' ? [] : [say('of-group', { group: rules.id })];
  const why = path.kind === 'none' ? path.says : [];
  switch (state.state) {
    case 'refusing':
      return path.kind === 'offline'
        ? { code: 'no-network', says: whose }
        : { code: 'no-private-path', says: [...whose, ...says] };
    case 'asking': {
      const answer =
        request?.state === 'open' ? [say('answer-consent-request', { id: request.id })] : [];
      return { code: 'asking', says: [...whose, ...why, ...answer] };
    }
    case 'exposed':
      return chosenClear !== null
        ? { code: 'queries-in-cleartext', says: whose }
        : { code: 'exposed', says: [...whose, ...why, ...says] };
    default:
      return null;
  }
}
