/** Which provider answers for which group, and what groups lack. Pure. */
import type { GroupMember } from '../../../app/contract/settings/settings-methods.ts';
import type { SettingJson } from './setting-control.ts';

export interface Grouped {
  groups: SettingJson;
  members: readonly GroupMember[];
}

export function membersOf(upstreams: SettingJson): readonly GroupMember[] {
  if (!Array.isArray(upstreams)) return [];
  return upstreams.flatMap((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
    const { id, group } = one;
    if (typeof id !== 'string') return [];
    return [{ upstream: id, group: typeof group === 'string' ? group : null }];
  });
}

export function withMember(
  { groups, members }: Grouped,
  upstream: string,
  group: string | null,
): Grouped {
  return {
    groups,
    members: members.map((one) => (one.upstream === upstream ? { upstream, group } : one)),
  };
}

/** Members of groups that are gone answer for every other name again. */
export function withGroups({ members }: Grouped, groups: SettingJson): Grouped {
  const names = namesOf(groups);
  return {
    groups,
    members: members.map(({ upstream, group }) => ({
      upstream,
      group: group !== null && names.includes(group) ? group : null,
    })),
  };
}

export type Lack = { is: 'provider'; group: string } | { is: 'other' };

/** null: every group has a provider, and every other name has one. */
export function lacking({ groups, members }: Grouped): Lack | null {
  const empty = namesOf(groups).find((name) => !members.some(({ group }) => group === name));
  if (empty !== undefined) return { is: 'provider', group: empty };
  return members.length > 0 && members.every(({ group }) => group !== null)
    ? { is: 'other' }
    : null;
}

function namesOf(groups: SettingJson): readonly string[] {
  return typeof groups === 'object' && groups !== null ? Object.keys(groups) : [];
}
