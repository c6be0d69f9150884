/** A rule in words: its names, where they go, and "only for backup.service, only Mon and Tue 22:00 to 06:00". Pure. */

import type { BypassRule } from '../../../app/contract/settings/bypass-rule.ts';
import {
  type Condition,
  type HoursWindow,
  weekdays,
} from '../../../app/contract/settings/condition.ts';
import { readRuleTarget } from '../../../app/contract/settings/rule-words.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Words } from '../../text/use-text.ts';

type Spoken = Pick<Words, 'text' | 'formats'>;

/** Harmless to show. */
export function conditionWords({ user, unit, network, hours }: Condition, spoken: Spoken): string {
  const words = spoken.text.exceptions.when;
  const either = (names: readonly (string | number)[]) =>
    names.map((name) => safe(String(name))).join(words.or);
  return [
    ...(user === undefined ? [] : [words.user(either(user))]),
    ...(unit === undefined ? [] : [words.unit(either(unit))]),
    ...(network === undefined ? [] : [words.network(either(network))]),
    ...(hours === undefined
      ? []
      : [words.hours(hours.map((window) => hoursWords(window, spoken)).join(words.or))]),
  ].join(', ');
}

/** The names of a rule, and its condition: what tells it from all others. Harmless to show. */
export function ruleWords({ suffix, when }: Pick<BypassRule, 'suffix' | 'when'>, spoken: Spoken) {
  return when === undefined ? safe(suffix) : `${safe(suffix)}, ${conditionWords(when, spoken)}`;
}

/** "goes to the resolvers of tun0, 192.0.2.53". Harmless to show. */
export function targetWords(to: readonly string[], { text }: Pick<Words, 'text'>): string {
  const { goesTo, targets } = text.exceptions;
  const called = to.map(readRuleTarget).map((target) => {
    if (target.kind === 'network') return targets.network;
    return target.kind === 'link' ? targets.link(safe(target.link)) : safe(target.address);
  });
  return goesTo(called.join(', '));
}

function hoursWords({ days, from, to }: HoursWindow, { text, formats }: Spoken): string {
  const words = text.exceptions.when;
  const named = weekdays.filter((day) => days?.includes(day)).map((day) => words.days[day]);
  const window = words.from(from, to);
  return named.length === 0 ? window : `${formats.list(named)} ${window}`;
}
