/** The parts of a condition that are judged here: network and hours. Users and units are judged by the engine. Pure. */
import type { Fit } from '../../contract/engine-words.ts';
import type { Condition } from '../../contract/settings/condition.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import type { EngineWhen } from '../engine/boundary.ts';
import { isWithinHours } from './hours.ts';

export interface PlaceAndTime {
  /** Whether we are on one of these networks, by id or name. "unknown": it seems so, and nothing has proved it. */
  isNetwork(references: readonly string[]): Fit;
  now(): number;
}

export function fitHere({ network, hours }: Condition, here: PlaceAndTime): Fit {
  if (hours !== undefined && !isWithinHours(hours, new Date(here.now()))) return 'no';
  return network === undefined ? 'yes' : here.isNetwork(network);
}

/** Which account has which number; null: nobody knows. */
export type NumberOf = (account: string) => number | null;

/** Every account that a condition of these settings names, once. */
export function accountsIn({
  bypass,
  groups,
  refuseFor,
}: Pick<Settings, 'bypass' | 'groups' | 'refuseFor'>): string[] {
  const whens = [...bypass, ...Object.values(groups)].flatMap(({ when }) => when ?? []);
  const users = [...whens, ...refuseFor].flatMap(({ user }) => user ?? []);
  return [...new Set(users.filter((user) => typeof user === 'string'))];
}

/** What the engine judges of it; null: nothing is left to judge. */
export function engineWhen(condition: Condition | null, numberOf: NumberOf): EngineWhen | null {
  if (condition?.user === undefined && condition?.unit === undefined) return null;
  const numbers = condition.user?.map((user) => (typeof user === 'number' ? user : numberOf(user)));
  return {
    users: numbers?.filter((number) => number !== null) ?? null,
    unknownUsers: numbers?.includes(null) ?? false,
    units: condition.unit ?? null,
  };
}
