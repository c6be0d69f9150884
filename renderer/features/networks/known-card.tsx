/** A network on which this computer has been. */
import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { Button } from '../../components/button.tsx';
import { useNow } from '../../state/now.ts';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import type { Applies } from './applies-at.ts';
import { AppliesHere } from './applies-here.tsx';
import { called } from './called.ts';
import { NetworkFacts } from './network-facts.tsx';
import { NetworkName } from './network-name.tsx';
import styles from './networks.module.css';
import type { GeneralPolicy } from './policies.ts';
import { PolicyChoice } from './policy-choice.tsx';
import type { NetworkChanges } from './use-network-changes.tsx';

export interface CardProps {
  network: NetworkEntry;
  /** null: not known yet */
  general: GeneralPolicy | null;
  applies: Applies;
  changes: NetworkChanges;
}

const minute = 60_000;

export function KnownCard({ network, general, applies, changes }: CardProps) {
  const { text, formats } = useWords();
  const live = useLive();
  const now = useNow(minute);
  const words = text.networks;
  return (
    <li className={styles.card}>
      <div className={styles.top}>
        <NetworkName network={network} level={3} changes={changes} />
        <span className={styles.quiet}>
          {words.lastSeen(formats.moment(network.lastSeen, now))}
        </span>
      </div>
      <PolicyChoice network={network} general={general} changes={changes} />
      <AppliesHere applies={applies} authenticated={network.authenticated} />
      <div className={styles.foot}>
        <details className={styles.details}>
          <summary>{words.details}</summary>
          <div className={styles.inside}>
            <NetworkFacts network={network} />
          </div>
        </details>
        <Button
          variant="quiet"
          className={styles.forget}
          disabled={!live}
          aria-label={words.forgetOf(called(network))}
          onClick={() => void changes.forget(network)}
        >
          {words.forget}
        </Button>
      </div>
    </li>
  );
}
