/** The parts of a condition that are judged here: network and hours. Users and units are judged by the engine. Pure. */
import type { Fit } from '../../contract/engine-words.ts';
import type { Condition, HoursWindow } from '../../contract/settings/condition.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import { once } from '../base/once.ts';
import type { EngineWhen } from '../engine/boundary.ts';
import { isWithinHours } from './hours.ts';

export interface PlaceAndTime {
  /** Whether we are on one of these networks, by id or name. "unknown": it seems so, and nothing has proved it. */
  isNetwork(references: readonly string[]): Fit;
  now(): number;
  /** unix milliseconds of a moment that has certainly passed: a clock that shows an earlier one is wrong */
  built: number;
}

export function fitHere({ network, hours }: Condition, here: PlaceAndTime): Fit {
  const fits: Fit[] = [
    hours === undefined ? 'yes' : fitHours(hours, here),
    network === undefined ? 'yes' : here.isNetwork(network),
  ];
  return (['no', 'unknown'] as const).find((fit) => fits.includes(fit)) ?? 'yes';
}

function fitHours(hours: readonly HoursWindow[], { now, built }: PlaceAndTime): Fit {
  if (now() < built) return 'unknown';
  return isWithinHours(hours, new Date(now())) ? 'yes' : 'no';
}

/** The first number, and how many there are. */
export type NumberRange = [number, number];

export interface AccountNumbers {
  /** null: nobody knows */
  numberOf(account: string): number | null;
  /** numbers under which this account may run programs (subuid(5)) */
  subordinatesOf(account: string | number): NumberRange[];
}

/** `known`: the same, without asking a directory. */
export interface Accounts extends AccountNumbers {
  known: AccountNumbers;
}

type Conditional = Pick<Settings, 'bypass' | 'groups' | 'refuseFor'>;

/** Every account that a condition of these settings names, once. */
export function accountsIn(settings: Conditional): string[] {
  const users = conditionsIn(settings).flatMap(({ user }) => user ?? []);
  return [...new Set(users.filter((user) => typeof user === 'string'))];
}

/** What becomes of some names depends on who asks. */
export function dependsOnAsker(settings: Conditional): boolean {
  return conditionsIn(settings).some(({ user, unit }) => user !== undefined || unit !== undefined);
}

function conditionsIn({ bypass, groups, refuseFor }: Conditional): Condition[] {
  const ofGroups = Object.values(groups).flatMap(({ when }) => when ?? []);
  return [...conditionsOf(bypass), ...ofGroups, ...refuseFor];
}

const conditionsOf = once((bypass: Settings['bypass']) => bypass.flatMap(({ when }) => when ?? []));

export type NumberOf = AccountNumbers['numberOf'];

/** What the engine judges of it; null: nothing is left to judge. */
export function engineWhen(
  condition: Condition | null,
  { numberOf, subordinatesOf }: AccountNumbers,
): EngineWhen | null {
  if (condition?.user === undefined && condition?.unit === undefined) return null;
  const numbers = condition.user?.map((user) => (typeof user === 'number' ? user : numberOf(user)));
  return {
    users: numbers?.filter((number) => number !== null) ?? null,
    unknownUsers: numbers?.includes(null) ?? false,
    subordinates: condition.user?.flatMap(subordinatesOf) ?? [],
    units: condition.unit ?? null,
  };
}
