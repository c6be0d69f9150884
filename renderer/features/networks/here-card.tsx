/** The network that this computer is on: what may leave it unencrypted, and what else applies there. */
import type { NetworkDetails } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { useAsked } from '../../state/asked.ts';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { AppliesHere } from './applies-here.tsx';
import type { CardProps } from './known-card.tsx';
import { Links } from './links.tsx';
import { NetworkFacts } from './network-facts.tsx';
import { NetworkName } from './network-name.tsx';
import styles from './networks.module.css';
import { waits } from './policies.ts';
import { PolicyChoice } from './policy-choice.tsx';

interface HereCardProps extends CardProps {
  /** null: not known yet */
  details: NetworkDetails | null;
  /** it wants a login */
  hasPortal: boolean;
}

export function HereCard(props: HereCardProps) {
  const { network, details, general, changes, hasPortal } = props;
  const { text } = useWords();
  const links = details?.links ?? [];
  const claims =
    useAsked('rule.list', {}, links.map(({ domains }) => domains).join()).value?.claims ?? [];
  const learned = claims
    .filter(({ state }) => state === 'believed')
    .map(({ suffix }) => safe(suffix === '' ? '.' : suffix));
  return (
    <section className={styles.here} aria-label={text.networks.here}>
      <p className={styles.mark}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 15s5-5 5-8.6A5 5 0 0 0 3 6.4C3 10 8 15 8 15Z" />
          <circle cx="8" cy="6.4" r="1.7" />
        </svg>
        {text.networks.here}
      </p>
      <NetworkName network={network} level={2} changes={changes} />
      {details !== null && general !== null && waits(details, general) ? (
        <Waiting {...props} />
      ) : null}
      <PolicyChoice network={network} general={general} changes={changes} />
      <AppliesHere
        applies={props.applies}
        learned={learned}
        hasPortal={hasPortal}
        authenticated={network.authenticated}
      />
      <details className={styles.details}>
        <summary>{text.networks.details}</summary>
        <div className={styles.inside}>
          <NetworkFacts network={network} />
          {links.length === 0 ? null : <Links links={links} claims={claims} />}
        </div>
      </details>
    </section>
  );
}

/** Setting the policy here confirms it. */
function Waiting({ network, changes }: CardProps) {
  const { text } = useWords();
  const live = useLive();
  const words = text.networks.waiting;
  if (network.policy === null) return null;
  return (
    <Notice
      severity="warning"
      title={words.title(text.networks.policies[network.policy])}
      actions={
        <Button disabled={!live} onClick={() => void changes.confirm(network)}>
          {words.confirm}
        </Button>
      }
    >
      {words.text}
    </Notice>
  );
}
