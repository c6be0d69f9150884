/**
 * The ledger's entry for queries that may go past us while another program decides which resolver programs use, and nothing
 * rejects them. It has no lease and no count, because these queries never come to us.
 */
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { Ledger } from './ledger.ts';

interface Parts {
  ledger: Pick<Ledger, 'openUncounted' | 'close'>;
  network: Pick<CurrentNetwork, 'stay' | 'label'>;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
}

/** To be called with the time since when queries may go past us; null: they may not. A repeated call changes nothing. */
export function createContestEntry({
  ledger,
  network,
  health,
}: Parts): (since: number | null) => void {
  let open: number | null = null;

  function begin(since: number): void {
    open ??= ledger.openUncounted({
      class: 'contested',
      network: network.stay().identity.id,
      networkLabel: network.label(),
      reason: "something else changed the system's DNS",
      who: 'nobody',
      since,
    }).id;
  }

  function end(): void {
    if (open !== null) ledger.close(open, ledgerEndings['asked-again']);
    open = null;
  }

  return (since) => {
    try {
      if (since === null) end();
      else begin(since);
    } catch (error) {
      health.raise('ledger-unwritable', error instanceof Error ? `${error.message}.` : '');
    }
  };
}
