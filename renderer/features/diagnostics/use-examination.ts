/** An examination by the service: its findings as they come. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { NotificationOf } from '../../../app/contract/service-api.ts';
import type { Finding } from '../../../app/contract/status/finding.ts';
import type { Connection } from '../../bridge/connection.ts';
import { useService } from '../../state/service.ts';

export interface ExaminationState {
  /** null: none was started yet */
  findings: readonly Finding[] | null;
  running: boolean;
  failure: Failure | null;
}

export function useExamination(): ExaminationState & { examine(): Promise<void> } {
  const { session } = useService();
  const [state, setState] = useState<ExaminationState>({
    findings: null,
    running: false,
    failure: null,
  });
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);

  const examine = useCallback(async () => {
    const now = session.state.get();
    if (now.is !== 'connected') return;
    stop.current();
    setState({ findings: [], running: true, failure: null });
    await new Promise<void>((resolve) => {
      stop.current = run(now.connection, setState, resolve);
    });
  }, [session]);
  return { ...state, examine };
}

/** The function returned cancels it, and `ended` resolves. */
function run(
  connection: Connection,
  tell: (change: (before: ExaminationState) => ExaminationState) => void,
  ended: () => void,
): () => void {
  let work: number | null = null;
  /** findings that came before the reply with their work's number */
  const early: NotificationOf<'doctor.found'>[] = [];

  const forget = connection.on('doctor.found', (progress) => {
    if (work === null) early.push(progress);
    else take(progress);
  });

  function take(progress: NotificationOf<'doctor.found'>): void {
    if (progress.work !== work) return;
    tell((before) => ({
      findings: [...(before.findings ?? []), ...progress.items],
      running: !progress.done,
      failure: progress.failure,
    }));
    if (progress.done) finish();
  }

  function finish(): void {
    forget();
    ended();
  }

  function fail(failure: Failure | null): void {
    tell((before) => ({ ...before, running: false, failure }));
    finish();
  }

  let stopped = false;
  void connection.call('doctor.run', {}).then((begun) => {
    if (stopped) {
      if (begun.ok) void connection.call('work.cancel', { work: begun.value.work });
      return;
    }
    if (!begun.ok) return fail(begun.failure);
    work = begun.value.work;
    for (const progress of early) take(progress);
  });
  connection.onClose(() => {
    if (!stopped) fail(null);
  });
  return () => {
    stopped = true;
    finish();
    if (work !== null) void connection.call('work.cancel', { work });
  };
}
