/** Names that networks and VPNs want to answer, and people's answers to those that are not allowed by themselves. */
import type { NameClaim } from '../../../app/contract/settings/rule-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Section } from '../../components/page-body.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useLive, useService } from '../../state/service.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './exceptions.module.css';

interface ClaimsProps {
  claims: readonly NameClaim[];
  onAnswered(): void;
}

export function Claims({ claims, onAnswered }: ClaimsProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.exceptions.claims;
  if (claims.length === 0) return null;

  async function answer({ suffix, link }: NameClaim, believe: boolean): Promise<void> {
    const answered = await session.call('rule.answer', { suffix, link, believe });
    if (answered.ok) onAnswered();
    else tellFailure(answered.failure);
  }

  return (
    <Section title={words.title}>
      <p>{words.about}</p>
      <Rows label={words.title}>
        {claims.map((claim) => {
          const { suffix, link, by, to, state } = claim;
          const name = suffix === '' ? '.' : safe(suffix);
          const canBelieve = ['open', 'refused'].includes(state);
          const canRefuse = ['open', 'believed', 'unconfirmed'].includes(state);
          return (
            <Row key={`${link} ${suffix}`}>
              <span className={styles.suffix}>
                {state === 'open' ? (
                  <Rich of={words.wants} link={safe(link)} names={<code>{name}</code>} />
                ) : (
                  <code>{name}</code>
                )}{' '}
                <Chip tone={tones[state]}>{words.states[state]}</Chip>
              </span>
              <span className={styles.to}>
                {words.from(tellers[by], [safe(link), ...to.map(safe)].join(', '))}
              </span>
              <span className={styles.answers}>
                {canBelieve ? (
                  <Button
                    disabled={!live}
                    aria-label={words.believeOf(name)}
                    onClick={() => void answer(claim, true)}
                  >
                    {words.believe}
                  </Button>
                ) : null}
                {canRefuse ? (
                  <Button
                    disabled={!live}
                    aria-label={words.refuseOf(name)}
                    onClick={() => void answer(claim, false)}
                  >
                    {words.refuse}
                  </Button>
                ) : null}
              </span>
            </Row>
          );
        })}
      </Rows>
    </Section>
  );
}

export const tellers = {
  resolved: 'systemd-resolved',
  'network-manager': 'NetworkManager',
} as const;

const tones = {
  believed: 'exposed',
  open: 'wait',
  refused: 'quiet',
  unconfirmed: 'wait',
  'too-wide': 'refused',
  overruled: 'quiet',
  ignored: 'quiet',
} as const;
