/** The ways through a carrier: what is on there, and how the server responds to datagrams. */
import type { CarrierKind, CarrierOption } from '../../e2e/rig/carriers/carrier.ts';
import type { Way } from '../../e2e/rig/carriers/carry.ts';

export interface Column {
  title: string;
  /** everything that the carrier has */
  on: readonly CarrierOption[] | 'everything';
  unproven: Way['unproven'];
}

const randomCase = 'random case';
const minimised = ['minimisation'] as const;
const strictly = [...minimised, 'strict minimisation'] as const;

export const columns: readonly Column[] = [
  { title: 'both off', on: [], unproven: 'full' },
  { title: '0x20', on: [randomCase], unproven: 'full' },
  { title: 'minimised', on: minimised, unproven: 'full' },
  { title: 'minimised, 0x20', on: [...minimised, randomCase], unproven: 'full' },
  { title: 'strictly minimised', on: strictly, unproven: 'full' },
  { title: 'strictly minimised, 0x20', on: [...strictly, randomCase], unproven: 'full' },
  { title: 'everything on, cookie or TCP', on: 'everything', unproven: 'truncated' },
];

/** Null where the carrier has no such option. */
export function wayThrough(kind: CarrierKind, { on, unproven }: Column): Way | null {
  const chosen = new Set(on === 'everything' ? kind.options : on);
  const has = [...chosen].every((option) => kind.options.includes(option));
  return has ? { kind, chosen, unproven } : null;
}
