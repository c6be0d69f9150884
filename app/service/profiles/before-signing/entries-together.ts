/** The entries of a profile that hold at the same place: elsewhere, and on each network over those. Pure. */
import type { PolicyEntry } from '../../settings/policy-file.ts';
import type { Profile } from '../profile-file.ts';

export function entriesTogether({ entries, networks }: Profile): PolicyEntry[][] {
  return [
    entries,
    ...networks.map((network) => {
      const isSaid = (key: string) => network.entries.some((one) => one.key === key);
      return [...network.entries, ...entries.filter(({ key }) => !isSaid(key))];
    }),
  ];
}
