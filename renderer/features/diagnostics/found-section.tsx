/**
 * An examination that the service makes on request: a button, its findings, and remedies that the service can carry out itself.
 */
import type { ReactNode } from 'react';
import type { Finding } from '../../../app/contract/status/finding.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { begin } from '../protect/attempt.ts';
import styles from './diagnostics-page.module.css';
import { Findings } from './findings.tsx';
import type { Remedy } from './remedy.ts';

interface FoundSectionProps {
  words: Readonly<Record<'title' | 'meaning' | 'run' | 'again' | 'running' | 'findings', string>>;
  variant?: 'main';
  /** null: no examination was started yet */
  findings: readonly Finding[] | null;
  running: boolean;
  look(): Promise<void>;
  /** called after a remedy, to examine again */
  onRemedied?(): void;
  /** the result, in one line */
  result?: ReactNode;
  children?: ReactNode;
}

export function FoundSection(props: FoundSectionProps) {
  const { words, variant, findings, running, look, onRemedied, result = null, children } = props;
  const { session } = useService();
  const disabled = !useLive() || running;

  async function carryOut(remedy: Remedy): Promise<void> {
    if (!(await carriedOut(session, remedy))) return;
    await look();
    onRemedied?.();
  }

  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <p className={styles.quiet}>{words.meaning}</p>
      <div className={styles.buttons}>
        <Button {...(variant && { variant })} disabled={disabled} onClick={() => void look()}>
          {findings === null ? words.run : words.again}
        </Button>
        <output>{running ? words.running : result}</output>
      </div>
      {children}
      {findings === null || findings.length === 0 ? null : (
        <Findings
          label={words.findings}
          findings={findings}
          isNamed={findings.some(({ check }) => check !== findings[0]?.check)}
          disabled={disabled}
          onRemedy={carryOut}
        />
      )}
    </section>
  );
}

/** A failure is shown, and how this computer was led here has a dialog of its own. */
async function carriedOut(session: Session, remedy: Remedy): Promise<boolean> {
  if (remedy.method === 'system.take') return await begin(session, 'take');
  const done = await session.call(remedy.method, remedy.params);
  if (!done.ok) tellFailure(done.failure);
  return done.ok;
}
