/** What the ledger counted since the service started, by class: a ledger shows single entries, a counter only ever rises. */
import type { ClearClass } from '../../contract/engine-words.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { Ledger } from '../protection/ledger.ts';

export interface CleartextCount {
  /** entries that were opened */
  opened: number;
  /** packets that carried a name in cleartext */
  packets: number;
}

/** The function returned reads the counts. */
export function countCleartext(
  ledger: Pick<Ledger, 'standing' | 'follow'>,
): () => ReadonlyMap<ClearClass, CleartextCount> {
  /** the last known count, by entry */
  const known = new Map<number, number>();
  const counts = new Map<ClearClass, CleartextCount>();
  for (const { id, count } of ledger.standing()) known.set(id, count ?? 0);

  function see(entry: LedgerEntry): void {
    const before = known.get(entry.id);
    const { opened, packets } = counts.get(entry.class) ?? { opened: 0, packets: 0 };
    const sent = entry.count ?? 0;
    counts.set(entry.class, {
      opened: opened + (before === undefined ? 1 : 0),
      packets: packets + Math.max(0, sent - (before ?? 0)),
    });
    // A closed entry takes no count any more.
    if (entry.closed === null) known.set(entry.id, Math.max(sent, before ?? 0));
    else known.delete(entry.id);
  }

  // The ledger ends with the service, and this with it.
  ledger.follow(see);
  return () => counts;
}
