import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';

/** What a network is called where it is shown: the person's own name for it, else what it looks like. */
export function called({ name, label }: Pick<NetworkEntry, 'name' | 'label'>): string {
  return safe(name ?? label);
}
