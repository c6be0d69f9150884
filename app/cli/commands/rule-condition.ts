/** The options that say when a rule holds, for `sotto rule add` and `sotto rule remove`. */
import { Option } from 'commander';
import { type Condition, readHours } from '../../contract/settings/condition.ts';
import { badUsage } from '../failure.ts';

export interface ConditionOptions {
  user?: string[];
  unit?: string[];
  network?: string[];
  hours?: string[];
}

export const conditionOptions: readonly Option[] = [
  new Option(
    '--user <account>',
    'only for programs of this account, by name or number; may be repeated',
  ).argParser(collect),
  new Option(
    '--unit <unit>',
    'only for programs in this unit of the system, such as backup.service; may be repeated',
  ).argParser(collect),
  new Option(
    '--network <network>',
    'only on this network, by name or id; may be repeated',
  ).argParser(collect),
  new Option(
    '--hours <window>',
    'only at this time, such as 22:00-06:00 or "mon,tue 08:00-17:00"; may be repeated',
  ).argParser(collect),
];

export const aboutConditions = `With --user, --unit, --network or --hours the rule holds only where all of them fit: for others it does not exist, and their names go
to the upstreams. A program that is not known gets no such rule, nor does one that asks for others, such as systemd-resolved.`;

/** undefined: no option was given. */
export function readCondition({
  user,
  unit,
  network,
  hours,
}: ConditionOptions): Condition | undefined {
  const when = {
    ...(user && { user: user.map(readAccount) }),
    ...(unit && { unit }),
    ...(network && { network }),
    ...(hours && { hours: hours.map(readWindow) }),
  };
  return Object.keys(when).length === 0 ? undefined : when;
}

/** A number is one of a user. */
export function readAccount(text: string): string | number {
  return /^\d{1,10}$/.test(text) ? Number(text) : text;
}

function collect(item: string, before: string[] | undefined): string[] {
  return [...(before ?? []), item];
}

function readWindow(text: string) {
  const window = readHours(text);
  if (window === null)
    throw badUsage(
      `${JSON.stringify(text)} is no time of the day`,
      'write it as 22:00-06:00 or "mon,tue 08:00-17:00"',
    );
  return window;
}
