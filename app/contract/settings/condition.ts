/** When a rule, a group or a refusal holds: for whom, where and at what time (docs/decisions/0045-conditions.md). */
import { z } from 'zod';

/** More than a rule needs; a longer list belongs into a group of accounts or a slice of its own. */
export const mostOfCondition = 16;

export const accountName = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?$/;
export const unitName = /^[A-Za-z0-9:_.\\@-]{1,240}\.(?:service|scope)$/;
export const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const conditionUser = z
  .union([z.int().min(0).max(4_294_967_294), z.string().regex(accountName)], {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is neither the name of an account nor its number`,
  })
  .meta({ description: 'an account, by name or number', examples: ['backup', 1001] });

export const conditionUnit = z
  .string()
  .regex(unitName, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not a unit of systemd such as "backup.service"`,
  })
  .meta({ description: "a unit of the system's manager", examples: ['backup.service'] });

/** An id, or a person's name for a network. */
const networkReference = z
  .string()
  .min(1)
  .max(64)
  .refine((text) => text === text.trim() && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text), {
    error: (issue) =>
      `${JSON.stringify(issue.input)} begins or ends with a blank, or holds characters that can't be seen`,
  });

const clock = z.string().regex(timeOfDay, {
  error: (issue) => `${JSON.stringify(issue.input)} is not a time of day such as "22:00"`,
});

export const hoursWindow = z.strictObject({
  days: z.array(z.enum(weekdays)).min(1).max(7).optional().meta({
    description: 'days on which it begins; without them, every day',
  }),
  from: clock.meta({ description: 'local time at which it begins' }),
  to: clock.meta({
    description:
      'local time at which it ends; not later than "from": on the next day, and equal: after a day',
  }),
});

export const condition = z
  .strictObject({
    user: list(conditionUser).optional().meta({ description: 'whose programs; one must fit' }),
    unit: list(conditionUnit).optional().meta({
      description:
        'units of the system in which the program runs; one must fit. Units of a person never do, because any program can give itself such a name',
    }),
    network: list(networkReference)
      .optional()
      .meta({ description: 'networks by name or id, as "sotto network list" shows them' }),
    hours: list(hoursWindow).optional().meta({ description: 'times of the day; one must fit' }),
  })
  .refine((given) => Object.values(given).some((part) => part !== undefined), {
    error: 'a condition needs at least one of user, unit, network and hours',
  })
  .meta({
    description: 'when it holds: all of user, unit, network and hours that are given must fit',
  });

export type Condition = z.infer<typeof condition>;
export type HoursWindow = z.infer<typeof hoursWindow>;

function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1).max(mostOfCondition);
}

/** "user backup, 1001; unit a.service; network Office; hours mon,tue 22:00-06:00": the same for equal conditions. */
export function conditionText({ user, unit, network, hours }: Condition): string {
  const parts: [string, string[] | undefined][] = [
    ['user', user?.map(String)],
    ['unit', unit],
    ['network', network],
    ['hours', hours?.map(hoursText)],
  ];
  return parts
    .flatMap(([word, items]) =>
      items === undefined ? [] : [`${word} ${[...new Set(items)].sort().join(', ')}`],
    )
    .join('; ');
}

/** "mon,tue 22:00-06:00", as `readHours` reads it. */
export function hoursText({ days, from, to }: HoursWindow): string {
  const inWeek = weekdays.filter((day) => days?.includes(day));
  return `${inWeek.length === 0 ? '' : `${inWeek.join(',')} `}${from}-${to}`;
}

/** null: it is none. */
export function readHours(text: string): HoursWindow | null {
  const [, days, from = '', to = ''] =
    /^(?:([a-z,]+)[\s@]+)?(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text.trim().toLowerCase()) ?? [];
  const read = hoursWindow.safeParse({
    ...(days === undefined ? {} : { days: days.split(',') }),
    from,
    to,
  });
  return read.success ? read.data : null;
}

/** The same conditions, whatever the order of their lists. */
export function isSameCondition(one?: Condition, other?: Condition): boolean {
  return sameForEqual(one) === sameForEqual(other);
}

/** The same text for the same conditions, whatever the order of their lists. */
export function sameForEqual(given: Condition = {}): string {
  const { user, unit, network, hours } = given;
  const lists = [user?.map(String), unit, network, hours?.map(hoursText)];
  return JSON.stringify(lists.map((items) => [...new Set(items)].sort()));
}
