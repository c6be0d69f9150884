/** The resolvers of the catalogue, and how fast they respond from here: measured only on request. */
import { useEffect, useRef, useState } from 'react';
import { followWork } from '../../../app/contract/probing/follow-work.ts';
import type {
  CatalogueEntry,
  MeasuredResolver,
} from '../../../app/contract/settings/upstream-methods.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useAsked } from '../../state/asked.ts';
import { useService } from '../../state/service.ts';
import { useUpstreamsInUse } from './use-settings.ts';

/** null until it is known; which of them are upstreams is read again when the upstreams change. */
export function useCatalogue(): readonly CatalogueEntry[] | null {
  return useAsked('catalogue.list', {}, useUpstreamsInUse()).value?.resolvers ?? null;
}

export interface Measuring {
  running: boolean;
  /** by the resolver's id, as they come */
  measured: ReadonlyMap<string, MeasuredResolver>;
  begin(): void;
  cancel(): void;
}

export function useMeasuring(): Measuring {
  const { session } = useService();
  const [running, setRunning] = useState(false);
  const [measured, setMeasured] = useState<Measuring['measured']>(new Map());
  /** The measurement that this page follows. Results of an earlier one are ignored. */
  const mine = useRef<{ work: number | null } | null>(null);

  function cancel(): void {
    const work = mine.current?.work ?? null;
    mine.current = null;
    setRunning(false);
    // It may have ended by itself meanwhile: then there is nothing left to cancel.
    if (work !== null) void session.call('work.cancel', { work });
  }

  async function begin(): Promise<void> {
    const state = session.state.get();
    if (state.is !== 'connected') return;
    const { connection } = state;
    const run = { work: null as number | null };
    mine.current = run;
    setRunning(true);
    setMeasured(new Map());
    const failure = await followWork(
      connection,
      'catalogue.measured',
      async () => {
        const begun = await connection.call('catalogue.measure', {});
        if (!begun.ok) return begun;
        run.work = begun.value.work;
        if (mine.current !== run) void connection.call('work.cancel', begun.value);
        return begun;
      },
      (item) => {
        if (mine.current === run) setMeasured((before) => new Map(before).set(item.resolver, item));
      },
    );
    if (mine.current !== run) return;
    mine.current = null;
    setRunning(false);
    if (failure !== null) tellFailure(failure);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is left
  useEffect(() => cancel, []);
  return { running, measured, begin: () => void begin(), cancel };
}
