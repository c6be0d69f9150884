/** Which of this machine's ways of looking up names lead here, and what goes past. */
import { useState } from 'react';
import type { Finding } from '../../../app/contract/finding.ts';
import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './diagnostics-page.module.css';
import { Findings } from './findings.tsx';
import type { Remedy } from './remedy.ts';

/** Absent where this service knows no way to the system's DNS. */
export function Coverage({ status }: { status: ServiceStatus }) {
  return status.systemDns === null ? null : <Probe />;
}

function Probe() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [findings, setFindings] = useState<readonly Finding[] | null>(null);
  const [running, setRunning] = useState(false);
  const words = text.systemDns.probe;

  async function probe(): Promise<void> {
    setRunning(true);
    const probed = await session.call('system.probe', {});
    setRunning(false);
    if (probed.ok) setFindings(probed.value.findings);
    else tellFailure(probed.failure);
  }

  async function carryOut(remedy: Remedy): Promise<void> {
    const done = await session.call(remedy.method, remedy.params);
    if (done.ok) await probe();
    else tellFailure(done.failure);
  }

  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <p className={styles.quiet}>{words.meaning}</p>
      <div className={styles.buttons}>
        <Button disabled={!live || running} onClick={() => void probe()}>
          {findings === null ? words.run : words.again}
        </Button>
        <output>{running ? words.running : null}</output>
      </div>
      {findings === null || findings.length === 0 ? null : (
        <Findings
          label={words.findings}
          findings={findings}
          disabled={!live || running}
          onRemedy={carryOut}
        />
      )}
    </section>
  );
}
