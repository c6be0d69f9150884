/** A condition as a person fills it into a form, and back. Pure. */
import {
  accountName,
  type Condition,
  type HoursWindow,
  mostOfCondition,
  timeOfDay,
  unitName,
} from '../../../app/contract/settings/condition.ts';

export interface ConditionDraft {
  network: string;
  unit: string;
  user: string;
  hours: readonly HoursDraft[];
}

export interface HoursDraft {
  days: NonNullable<HoursWindow['days']>;
  /** "22:00"; empty: not given yet */
  from: string;
  to: string;
}

export type ConditionProblem =
  | { at: 'unit' | 'user'; word: string }
  | { at: 'too-many'; of: 'network' | 'unit' | 'user' }
  | { at: 'hours'; place: number };

export function draftOf({ network, unit, user, hours }: Condition = {}): ConditionDraft {
  const written = (words: readonly (string | number)[] = []) => words.join(', ');
  return {
    network: written(network),
    unit: written(unit),
    user: written(user),
    hours: (hours ?? []).map(({ days = [], from, to }) => ({ days, from, to })),
  };
}

/** Undefined: there is no condition. */
export function readCondition(draft: ConditionDraft): Condition | undefined {
  const network = wordsOf(draft.network);
  const unit = wordsOf(draft.unit);
  const user = wordsOf(draft.user).map((word) => (isNumber(word) ? Number(word) : word));
  const hours = draft.hours.map(({ days, from, to }) => ({
    ...(days.length === 0 ? {} : { days }),
    from,
    to,
  }));
  const given = {
    ...(user.length === 0 ? {} : { user }),
    ...(unit.length === 0 ? {} : { unit }),
    ...(network.length === 0 ? {} : { network }),
    ...(hours.length === 0 ? {} : { hours }),
  };
  return Object.keys(given).length === 0 ? undefined : given;
}

/** The first of each field; the service judges the rest. */
export function problemsOf(draft: ConditionDraft): ConditionProblem[] {
  const unit = wordsOf(draft.unit).find((word) => !unitName.test(word));
  const user = wordsOf(draft.user).find((word) => !isNumber(word) && !accountName.test(word));
  const tooMany = (['network', 'unit', 'user'] as const).filter(
    (of) => wordsOf(draft[of]).length > mostOfCondition,
  );
  const place = draft.hours.findIndex(
    ({ from, to }) => !timeOfDay.test(from) || !timeOfDay.test(to),
  );
  return [
    ...(unit === undefined ? [] : [{ at: 'unit', word: unit } as const]),
    ...(user === undefined ? [] : [{ at: 'user', word: user } as const]),
    ...tooMany.map((of) => ({ at: 'too-many', of }) as const),
    ...(place < 0 ? [] : [{ at: 'hours', place } as const]),
  ];
}

function wordsOf(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

function isNumber(word: string): boolean {
  return /^\d{1,10}$/.test(word) && Number(word) <= 4_294_967_294;
}
