/** What may happen when no private path works: the words of the settings, and the shape of one group of upstreams. */
import { z } from 'zod';
import { rungNames, strategies } from '../engine-words.ts';
import { condition } from './condition.ts';
import { downgradePolicies } from './downgrade-policies.ts';
import { askedSuffix } from './upstream-settings.ts';

export const consents = ['anyone', 'administrator'] as const;

export type Consent = (typeof consents)[number];

export const downgradePolicy = words('a downgrade policy', downgradePolicies);
export const strategy = words('a strategy', strategies);
export const consent = words('a consent', consents);
export const rungs = z
  .array(words('a rung', rungNames))
  .refine((list) => new Set(list).size === list.length, {
    error: 'a rung is there twice; remove one',
  });

export const groupNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const groupName = z
  .string()
  .regex(groupNamePattern, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not a group's name: letters, digits, ".", "_" and "-", at most 64 of them`,
  })
  .meta({ description: 'name of a group: letters, digits, ".", "_" and "-"' });

/** As many as a profile has room for. */
const mostNames = 50_000;

/** Each has an upstream of its own. */
const mostGroups = 256;

/** For keys that it leaves out, the settings of the same name hold. */
export const groupSetting = z.strictObject({
  names: z.array(askedSuffix).min(1).max(mostNames).meta({
    description: 'names, with everything below them, that go to the upstreams of this group alone',
  }),
  downgrade: downgradePolicy.optional().meta({ description: 'as "downgrade", for this group' }),
  rungs: rungs.optional().meta({ description: 'as "rungs", for this group' }),
  strategy: strategy.optional().meta({ description: 'as "strategy", for this group' }),
  consent: consent.optional().meta({ description: 'as "consent", for this group' }),
  when: condition.optional().meta({
    description:
      'it takes its names only where all of this fits; elsewhere they go to the group that has them otherwise. Of two such groups that fit, the one whose id comes first in the alphabet has them, in whatever order they are written. Where it is unknown whether it fits, the stricter policy of the two counts',
  }),
});

export const groupSettings = z
  .record(groupName, groupSetting)
  .refine((groups) => Object.keys(groups).length <= mostGroups, {
    error: `has more than ${mostGroups} entries; remove some`,
  });

export type GroupSetting = z.infer<typeof groupSetting>;

function words<const Words extends readonly [string, ...string[]]>(kind: string, known: Words) {
  return z.enum(known, {
    error: (issue) => `${JSON.stringify(issue.input)} is not ${kind}: ${known.join(', ')}`,
  });
}
