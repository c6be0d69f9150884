/** The report for others, shown before it is passed on. */
import { useState } from 'react';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './diagnostics-page.module.css';

interface Composed {
  at: number;
  text: string;
}

export function Report() {
  const { text, formats } = useWords();
  const { session } = useService();
  const live = useLive();
  const [report, setReport] = useState<Composed | null>(null);
  const words = text.diagnostics.report;

  async function compose(): Promise<void> {
    const composed = await session.call('report.compose', {});
    if (composed.ok) setReport(composed.value);
    else tellFailure(composed.failure);
  }

  async function copy({ text: written }: Composed): Promise<void> {
    if (await host.copy(written)) toast('done', words.copied);
    else toast('problem', words.notCopied);
  }

  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <p className={styles.quiet}>{words.meaning}</p>
      <div className={styles.buttons}>
        <Button disabled={!live} onClick={() => void compose()}>
          {report === null ? words.compose : words.again}
        </Button>
        {report === null ? null : (
          <>
            <Button variant="main" onClick={() => void copy(report)}>
              {words.copy}
            </Button>
            <span className={styles.quiet}>{words.composed(formats.dateTime(report.at))}</span>
          </>
        )}
      </div>
      {report === null ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
        <section className={styles.report} tabIndex={0} aria-label={words.title}>
          <pre lang="en">{report.text.split('\n').map(safe).join('\n')}</pre>
        </section>
      )}
    </section>
  );
}
