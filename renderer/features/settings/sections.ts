/** Where a setting stands on the page: what most people look for is open, everything else is folded. Pure. */
import type { Text } from '../../text/catalogue.ts';
import type { Setting } from './settings-store.ts';

export const foldedSections = [
  'privacy',
  'upstreams',
  'rules',
  'portals',
  'listening',
  'cache',
  'connections',
  'metrics',
] as const satisfies readonly (keyof Text['settings']['groups'])[];

export type FoldedSection = (typeof foldedSections)[number];
export type Section = 'protect' | 'queries' | FoldedSection;

export function sectionOf({ key, group }: Pick<Setting, 'key' | 'group'>): Section {
  if (key === 'systemDns.take') return 'protect';
  if (group !== 'queries') return group;
  return key.startsWith('queryLog.') ? 'queries' : 'connections';
}
