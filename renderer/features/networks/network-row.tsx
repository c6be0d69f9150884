/** One remembered network. */
import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Row } from '../../components/rows.tsx';
import { useNow } from '../../state/now.ts';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';
import styles from './networks.module.css';

const minute = 60_000;

interface NetworkRowProps {
  network: NetworkEntry;
  onChange(): void;
  onForget(): void;
}

export function NetworkRow({ network, onChange, onForget }: NetworkRowProps) {
  const { text, formats } = useWords();
  const live = useLive();
  const now = useNow(minute);
  const words = text.networks;
  const { name, label, policy, authenticated, lastSeen } = network;
  return (
    <Row>
      <span className={styles.names}>
        <strong>{called(network)}</strong>
        {name === null ? null : <span className={styles.quiet}> {safe(label)}</span>}
      </span>
      <span className={styles.buttons}>
        <Button
          variant="quiet"
          disabled={!live}
          aria-label={words.changeOf(called(network))}
          onClick={onChange}
        >
          {words.change}
        </Button>
        <Button
          variant="quiet"
          disabled={!live}
          aria-label={words.forgetOf(called(network))}
          onClick={onForget}
        >
          {words.forget}
        </Button>
      </span>
      <span className={styles.known}>
        {policy === null ? null : (
          <Chip tone={policy === 'fallback' ? 'exposed' : 'quiet'}>
            {words.dialog.names[policy]}
          </Chip>
        )}
        <span className={styles.quiet}>
          {authenticated ? words.authenticatedThere : words.unauthenticatedThere}
        </span>
        <span className={styles.quiet}>{words.lastSeen(formats.moment(lastSeen, now))}</span>
      </span>
    </Row>
  );
}
