/** Names that links claim: what waits for a person's answer, and what became of the others. */
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
import type { Done } from './done-line.tsx';
import styles from './exceptions.module.css';

interface ClaimsProps {
  claims: readonly NameClaim[];
  onAnswered(done: Done): void;
}

/** Nothing of these names leaves unencrypted before the answer. */
export function WaitingClaims({ claims, onAnswered }: ClaimsProps) {
  const { text } = useWords();
  const words = text.exceptions.claims;
  const waiting = claims.filter(({ state }) => state === 'open');
  if (waiting.length === 0) return null;
  return (
    <Section title={words.waiting}>
      <p className={styles.note}>{words.waitingAbout}</p>
      <Rows label={words.waiting}>
        {waiting.map((claim) => (
          <Row key={keyOf(claim)}>
            <div className={styles.what}>
              <p>
                <Rich
                  of={words.wants}
                  link={<strong className={styles.names}>{safe(claim.link)}</strong>}
                  names={<NamesOf claim={claim} />}
                />
              </p>
              <From claim={claim} />
            </div>
            <Answers claim={claim} onAnswered={onAnswered} />
          </Row>
        ))}
      </Rows>
    </Section>
  );
}

/** The names that links brought, and those that were kept from them. */
export function KnownClaims({ claims, onAnswered }: ClaimsProps) {
  const { text } = useWords();
  const words = text.exceptions.claims;
  const known = claims.filter(({ state }) => state !== 'open');
  if (known.length === 0) return null;
  return (
    <>
      <h3 className={styles.subtitle}>{words.title}</h3>
      <p className={styles.note}>{words.about}</p>
      <Rows label={words.title}>
        {known.map((claim) => (
          <Row key={keyOf(claim)}>
            <div className={styles.what}>
              <span className={styles.head}>
                <NamesOf claim={claim} />
                <Chip tone={tones[claim.state]}>{words.states[claim.state]}</Chip>
              </span>
              <From claim={claim} />
            </div>
            <Answers claim={claim} onAnswered={onAnswered} />
          </Row>
        ))}
      </Rows>
    </>
  );
}

function keyOf({ link, suffix }: NameClaim): string {
  return `${link} ${suffix}`;
}

function NamesOf({ claim: { suffix } }: { claim: NameClaim }) {
  const { text } = useWords();
  const words = suffix === '' ? text.exceptions.claims.everyName : safe(suffix);
  return <strong className={styles.names}>{words}</strong>;
}

function From({ claim: { link, by, to } }: { claim: NameClaim }) {
  const { text } = useWords();
  return (
    <span className={styles.note}>
      {text.exceptions.claims.from(safe(link), tellers[by], to.map(safe).join(', '))}
    </span>
  );
}

function Answers({ claim, onAnswered }: { claim: NameClaim; onAnswered(done: Done): void }) {
  const { text } = useWords();
  const live = useLive();
  const answer = useAnswer(onAnswered);
  const words = text.exceptions.claims;
  const [name, link] = [safe(claim.suffix), safe(claim.link)];
  const canAllow = ['open', 'refused'].includes(claim.state);
  const canKeep = ['open', 'believed', 'unconfirmed'].includes(claim.state);
  return (
    <div className={styles.act}>
      {canAllow ? (
        <Button
          disabled={!live}
          aria-label={words.allowOf(name, link)}
          onClick={() => void answer(claim, true)}
        >
          {words.allow}
        </Button>
      ) : null}
      {canKeep ? (
        <Button
          disabled={!live}
          aria-label={words.keepOf(name)}
          onClick={() => void answer(claim, false)}
        >
          {words.keep}
        </Button>
      ) : null}
    </div>
  );
}

/** What was kept encrypted is not allowed again by "Undo": before the answer, it was encrypted, too. */
export function useAnswer(onAnswered: (done: Done) => void) {
  const { text } = useWords();
  const { session } = useService();
  const words = text.exceptions.claims;
  return async ({ suffix, link }: Pick<NameClaim, 'suffix' | 'link'>, believe: boolean) => {
    const answered = await session.call('rule.answer', { suffix, link, believe });
    if (!answered.ok) return tellFailure(answered.failure);
    onAnswered({
      words: believe ? words.allowed(safe(suffix), safe(link)) : words.kept(safe(suffix)),
      undo: believe ? { allowed: { suffix, link } } : null,
      removed: true,
    });
  };
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
  'answered-here': 'refused',
  overruled: 'quiet',
  ignored: 'quiet',
} as const;
