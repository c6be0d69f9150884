/** A test of one upstream, and its report until it is closed. */
import { useState } from 'react';
import type { ProbeReport } from '../../../app/contract/probing/probe-report.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';

export interface Test {
  running: boolean;
  report: ProbeReport | null;
  begin(): void;
  close(): void;
}

export function useTest(id: string): Test {
  const { session } = useService();
  const [running, setRunning] = useState(false);
  const [report, setReport] = useState<ProbeReport | null>(null);

  async function begin(): Promise<void> {
    setRunning(true);
    const tested = await session.call('upstream.test', { id });
    setRunning(false);
    if (tested.ok) setReport(tested.value);
    else tellFailure(tested.failure);
  }

  return { running, report, begin: () => void begin(), close: () => setReport(null) };
}
