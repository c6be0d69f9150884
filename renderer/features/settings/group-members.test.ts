import { expect, test } from 'vitest';
import { type Grouped, lacking, membersOf, withGroups, withMember } from './group-members.ts';

const upstreams = [
  { id: 'a', transport: 'dot' },
  { id: 'b', transport: 'dot', group: 'corp' },
];
const grouped: Grouped = { groups: { corp: {} }, members: membersOf(upstreams) };

test('members are the upstreams, each with its group', () => {
  expect(grouped.members).toEqual([
    { upstream: 'a', group: null },
    { upstream: 'b', group: 'corp' },
  ]);
  expect(membersOf('auto')).toEqual([]);
});

test.each<[string, Grouped, ReturnType<typeof lacking>]>([
  ['complete', grouped, null],
  ['a group lost its provider', withMember(grouped, 'b', null), { is: 'provider', group: 'corp' }],
  ['nobody is left for other names', withMember(grouped, 'a', 'corp'), { is: 'other' }],
  [
    'a new group has none',
    withGroups(grouped, { corp: {}, lab: {} }),
    { is: 'provider', group: 'lab' },
  ],
  ['no groups', withGroups(grouped, {}), null],
])('%s', (_what, draft, lack) => {
  expect(lacking(draft)).toEqual(lack);
});

test('a provider whose group is removed answers for every other name again', () => {
  expect(withGroups(grouped, {}).members.map(({ group }) => group)).toEqual([null, null]);
});
