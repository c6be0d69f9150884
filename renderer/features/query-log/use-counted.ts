/** What the service counts among the rows that fit a filter: once more whenever the rows that fit were counted again. */
import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { LogProgress } from '../../../app/contract/query-log/log-api.ts';
import type { Params, ResultOf } from '../../../app/contract/service-api.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { nextProgress, type Rows } from './query-log-store.ts';

type Counting = 'log.facets' | 'log.histogram' | 'log.top';

interface Question<Name extends Counting> {
  method: Name;
  /** at the time of the call */
  params(now: number): Params<Name>;
  /** differs where anything but the time does */
  key: string;
  /** what a report tells before the reply; undefined: nothing */
  early?(told: LogProgress): ResultOf<Name> | undefined;
}

interface Counted<Result> {
  /** the last result, perhaps of an earlier question; null before the first */
  value: Result | null;
  isOld: boolean;
  /** why the last question got no result; a question that replaced it is no reason */
  failure: Failure | null;
  /** share of the rows that were read; null where no count takes long */
  progress: number | null;
}

export function useCounted<Name extends Counting>(
  question: Question<Name>,
  { total, loading }: Rows,
): Counted<ResultOf<Name>> {
  const { session } = useService();
  const state = useStore(session.state);
  const latest = useRef(question);
  latest.current = question;
  const [counted, setCounted] = useState<{ of: string; value: ResultOf<Name> } | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { method, key } = question;
  const all = total?.of ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of rows is a reason to count again
  useEffect(() => {
    if (state.is !== 'connected' || loading) return;
    const { params, early } = latest.current;
    const progress = nextProgress();
    let current = true;
    const show = (value: ResultOf<Name> | undefined) => {
      if (current && value !== undefined) setCounted({ of: key, value });
    };
    const stop = state.connection.on('log.progress', (told) => {
      if (!current || told.progress !== progress) return;
      setShare(told.scanned / Math.max(1, told.of));
      show(early?.(told));
    });
    const asked = { ...params(Date.now()), progress };
    void state.connection.call(method, asked).then((found) => {
      stop();
      if (!current) return;
      setShare(null);
      setFailure(found.ok || found.failure.code === 'superseded' ? null : found.failure);
      if (found.ok) show(found.value);
    });
    return () => {
      current = false;
      stop();
    };
  }, [state, method, key, all, loading]);
  return { value: counted?.value ?? null, isOld: counted?.of !== key, failure, progress: share };
}
