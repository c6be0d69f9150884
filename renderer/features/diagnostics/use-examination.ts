/** An examination by the service, begun when the page opens. What the last one found stays until the next one is complete. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { NotificationOf } from '../../../app/contract/service-api.ts';
import type { Finding } from '../../../app/contract/status/finding.ts';
import type { Connection } from '../../bridge/connection.ts';
import { useLive, useService } from '../../state/service.ts';

export interface ExaminationState {
  /** null: none is complete yet */
  findings: readonly Finding[] | null;
  /** when it was complete, in unix milliseconds */
  at: number;
  running: boolean;
  /** why the last one could not be made */
  failure: Failure | null;
}

const before: ExaminationState = { findings: null, at: 0, running: false, failure: null };

export function useExamination(): ExaminationState & { examine(): Promise<void> } {
  const { session } = useService();
  const live = useLive();
  const [state, setState] = useState(before);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);

  const examine = useCallback(async () => {
    const now = session.state.get();
    if (now.is !== 'connected') return;
    stop.current();
    setState((last) => ({ ...last, running: true, failure: null }));
    const ended = await new Promise<Ended>((resolve) => {
      stop.current = run(now.connection, resolve);
    });
    if (ended.is !== 'stopped') setState((last) => after(last, ended));
  }, [session]);
  useEffect(() => {
    if (live) void examine();
  }, [live, examine]);
  return { ...state, examine };
}

function after(last: ExaminationState, ended: Ended): ExaminationState {
  if (ended.is === 'complete')
    return { findings: ended.findings, at: Date.now(), running: false, failure: null };
  return { ...last, running: false, failure: ended.is === 'failed' ? ended.failure : null };
}

type Ended =
  | { is: 'complete'; findings: readonly Finding[] }
  | { is: 'failed'; failure: Failure }
  /** `lost`: the connection closed; `stopped`: another began, or the page was left */
  | { is: 'lost' | 'stopped' };

/** The function returned cancels it. */
function run(connection: Connection, tell: (ended: Ended) => void): () => void {
  let work: number | null = null;
  let ended = false;
  const found: Finding[] = [];
  /** findings that came before the reply with their work's number */
  const early: NotificationOf<'doctor.found'>[] = [];

  const forget = connection.on('doctor.found', (progress) => {
    if (work === null) early.push(progress);
    else take(progress);
  });

  function take(progress: NotificationOf<'doctor.found'>): void {
    if (progress.work !== work) return;
    found.push(...progress.items);
    if (progress.failure !== null) end({ is: 'failed', failure: progress.failure });
    else if (progress.done) end({ is: 'complete', findings: found });
  }

  function end(how: Ended): void {
    if (ended) return;
    ended = true;
    forget();
    tell(how);
  }

  void connection.call('doctor.run', {}).then((begun) => {
    if (ended) {
      if (begun.ok) void connection.call('work.cancel', { work: begun.value.work });
      return;
    }
    if (!begun.ok) return end({ is: 'failed', failure: begun.failure });
    work = begun.value.work;
    for (const progress of early) take(progress);
  });
  connection.onClose(() => end({ is: 'lost' }));
  return () => {
    if (!ended && work !== null) void connection.call('work.cancel', { work });
    end({ is: 'stopped' });
  };
}
