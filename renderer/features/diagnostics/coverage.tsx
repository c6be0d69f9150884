/** Which paths of this machine's queries lead here, and the coverage gaps. */
import { useState } from 'react';
import type { Finding } from '../../../app/contract/status/finding.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { FoundSection } from './found-section.tsx';

/** Absent where this service knows no mechanism for the system's DNS. */
export function Coverage({ status }: { status: ServiceStatus }) {
  return status.systemDns === null ? null : <Probe />;
}

function Probe() {
  const { text } = useWords();
  const { session } = useService();
  const [findings, setFindings] = useState<readonly Finding[] | null>(null);
  const [running, setRunning] = useState(false);

  async function probe(): Promise<void> {
    setRunning(true);
    const probed = await session.call('system.probe', {});
    setRunning(false);
    if (probed.ok) setFindings(probed.value.findings);
    else tellFailure(probed.failure);
  }

  return (
    <FoundSection words={text.systemDns.probe} findings={findings} running={running} look={probe} />
  );
}
