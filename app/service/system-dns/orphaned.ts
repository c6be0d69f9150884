/** Takes over into the ledger what sotto-helper gave back while neither service nor guardian was there. */
import type { Ledger } from '../protection/ledger.ts';
import type { Helper } from './helper.ts';

export async function takeOverOrphaned(helper: Helper, ledger: Pick<Ledger, 'add'>): Promise<void> {
  const said = await helper.ask({ verb: 'status' });
  const orphaned = said.ok && 'held' in said.value ? (said.value.orphaned ?? []) : [];
  if (orphaned.length === 0) return;
  ledger.add(
    orphaned.map(({ since, reason }) => ({
      since,
      reason,
      until: null,
      count: null,
      who: 'sotto-helper',
    })),
  );
  await helper.ask({
    verb: 'forget-orphaned',
    until: Math.max(...orphaned.map(({ since }) => since)),
  });
}
