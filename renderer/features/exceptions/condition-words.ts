/** A rule's condition in words of the page's language. Pure. */
import {
  type Condition,
  type HoursWindow,
  weekdays,
} from '../../../app/contract/settings/condition.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Words } from '../../text/use-text.ts';

type Weekday = (typeof weekdays)[number];

/** "only for backup, in cron.service, on Office, 22:00–06:00 (Mon, Tue)" */
export function sayCondition({ user, unit, network, hours }: Condition, words: Words): string {
  const { text } = words;
  const { condition } = text.exceptions;
  const { list } = words.formats;
  const parts = [
    user && condition.user(list(user.map((name) => safe(`${name}`)))),
    unit && condition.unit(list(unit.map(safe))),
    network && condition.network(list(network.map(safe))),
    hours && list(hours.map((window) => sayHours(window, words))),
  ];
  return condition.only(parts.filter((part) => part !== undefined).join(', '));
}

function sayHours({ days, from, to }: HoursWindow, { formats }: Words): string {
  const named = weekdays
    .filter((day) => days?.includes(day))
    .map((day) => formats.weekday(weekdays.indexOf(day)));
  return named.length === 0 ? `${from}–${to}` : `${from}–${to} (${named.join(', ')})`;
}

/** What a person writes into the form; empty: it does not matter. */
export interface ConditionFields {
  users: string;
  units: string;
  networks: string;
  from: string;
  to: string;
  days: readonly Weekday[];
}

export const noCondition: ConditionFields = {
  users: '',
  units: '',
  networks: '',
  from: '',
  to: '',
  days: [],
};

export function fieldsOf(when: Condition | undefined): ConditionFields {
  const [window] = when?.hours ?? [];
  return {
    users: (when?.user ?? []).join(', '),
    units: (when?.unit ?? []).join(', '),
    networks: (when?.network ?? []).join(', '),
    from: window?.from ?? '',
    to: window?.to ?? '',
    days: window?.days ?? [],
  };
}

/** Which part of the form can't be meant; null: none. */
export function wrongPart({ users, units, from, to }: ConditionFields) {
  if (!names(users).every((name) => accountForm.test(name))) return 'users';
  if (!names(units).every((name) => unitForm.test(name))) return 'units';
  return (from === '') === (to === '') ? null : 'hours';
}

const accountForm = /^(?:\d{1,10}|[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?)$/;
const unitForm = /^[^\s,]+\.(?:service|scope)$/;

/** undefined: always. `before` has the times that the form does not show. */
export function conditionOf(
  { users, units, networks, from, to, days }: ConditionFields,
  before: Condition | undefined,
): Condition | undefined {
  const user = names(users).map((name) => (/^\d+$/.test(name) ? Number(name) : name));
  const unit = names(units);
  const network = names(networks);
  const hours = [
    ...(from === '' && to === '' ? [] : [windowOf(from, to, days)]),
    ...(before?.hours ?? []).slice(1),
  ];
  const when = {
    ...(user.length === 0 ? {} : { user }),
    ...(unit.length === 0 ? {} : { unit }),
    ...(network.length === 0 ? {} : { network }),
    ...(hours.length === 0 ? {} : { hours }),
  };
  return Object.keys(when).length === 0 ? undefined : when;
}

function windowOf(from: string, to: string, days: readonly Weekday[]): HoursWindow {
  const chosen = weekdays.filter((day) => days.includes(day));
  return { ...(chosen.length === 0 ? {} : { days: chosen }), from, to };
}

function names(written: string): string[] {
  return written
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
