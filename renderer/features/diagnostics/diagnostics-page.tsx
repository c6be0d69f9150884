/** Troubleshoot: an examination with its problems first and their repairs, the facts, and a report to pass on. */
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './diagnostics-page.module.css';
import { Examination } from './examination.tsx';
import { Report } from './report.tsx';
import { ServiceFacts } from './service-facts.tsx';

export function DiagnosticsPage() {
  const { text } = useWords();
  const known = useStore(useService().status);
  return (
    <div className={styles.page}>
      <h1>{text.frame.pages.diagnostics}</h1>
      <Examination health={known?.value.health ?? []} />
      {known === null ? null : <ServiceFacts status={known.value} />}
      <Report />
    </div>
  );
}
