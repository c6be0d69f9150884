import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';

/** What tells a network from all others in a sentence: the person's own name for it, else its label. */
export function called({ name, label }: Pick<NetworkEntry, 'name' | 'label'>): string {
  return safe(name ?? label);
}
