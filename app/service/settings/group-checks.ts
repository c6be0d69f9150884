/** Groups and upstreams must fit together: a name has exactly one group, and each group has an upstream. Pure. */
import { sameForEqual } from '../../contract/settings/condition.ts';
import { normalWord } from '../rules/rule-names.ts';
import type { Check, CrossFieldProblem } from './cross-field-problem.ts';
import { normalSuffix, tooWide } from './domain-suffix.ts';

const unknownGroups: Check = ({ upstreams, groups }) =>
  upstreams.flatMap(({ id, group }, index) =>
    group === undefined || Object.hasOwn(groups, group)
      ? []
      : [
          {
            key: 'upstreams',
            within: [index, 'group'],
            reason: `"${id}" is of the group "${group}", which "groups" does not have; add it there or correct its name`,
          },
        ],
  );

const groupsWithoutUpstream: Check = ({ upstreams, groups }) =>
  Object.keys(groups).flatMap((name) =>
    upstreams.some(({ group }) => group === name)
      ? []
      : [
          {
            key: 'groups',
            within: [name],
            reason: `no upstream is of the group "${name}", so its names could never be answered; give one "group": "${name}"`,
          },
        ],
  );

const nothingForOtherNames: Check = ({ upstreams }) =>
  upstreams.length === 0 || upstreams.some(({ group }) => group === undefined)
    ? []
    : [
        {
          key: 'upstreams',
          within: [],
          reason:
            'every upstream is of a group, so no other name could be answered; leave one without "group"',
        },
      ];

const tooWideNames: Check = (settings) =>
  groupNames(settings).flatMap(({ name, given, problem }) => {
    const wide = tooWide(name);
    return wide === null
      ? []
      : [
          problem(
            `"${given}" is ${wide}: a group is for zones of somebody's own; leave the upstream without a group if it shall answer everything`,
          ),
        ];
  });

const namesInTwoPlaces: Check = (settings) => {
  const everywhere = new Set(
    settings.bypass.flatMap(({ suffix, when }) => (when === undefined ? [normalWord(suffix)] : [])),
  );
  /** by name and condition: the group that has it already */
  const places = new Map<string, string>();
  return groupNames(settings).flatMap(({ name, group, when, problem }) => {
    const place = `${name} ${when}`;
    const other = places.get(place);
    places.set(place, other ?? group);
    if (other !== undefined)
      return [
        problem(
          other === group
            ? `"${name}" is there twice; remove one`
            : `"${name}" belongs to the group "${other}" already; a name has exactly one group, or one for each "when"`,
        ),
      ];
    return everywhere.has(name)
      ? [
          problem(
            `"${name}" is also a bypass rule, which would send it in cleartext before the group is asked; keep one of the two`,
          ),
        ]
      : [];
  });
};

export const groupChecks: readonly Check[] = [
  unknownGroups,
  groupsWithoutUpstream,
  nothingForOtherNames,
  tooWideNames,
  namesInTwoPlaces,
];

interface GroupName {
  group: string;
  given: string;
  name: string;
  /** the same text for the same conditions */
  when: string;
  problem(reason: string): CrossFieldProblem;
}

function groupNames({ groups }: Parameters<Check>[0]): GroupName[] {
  return Object.entries(groups).flatMap(([group, { names, when: condition }]) => {
    const when = sameForEqual(condition);
    return names.map((given, index) => ({
      group,
      when,
      given,
      name: normalSuffix(given),
      problem: (reason) => ({ key: 'groups', within: [group, 'names', index], reason }),
    }));
  });
}
