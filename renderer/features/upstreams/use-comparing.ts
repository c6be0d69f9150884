/** How fast providers answer from here: those in use and, when chosen, others of the catalogue. Measured only on request. */
import { useEffect, useRef, useState } from 'react';
import { comparedQueries } from '../../../app/contract/bounds.ts';
import type { Failure, Result } from '../../../app/contract/errors.ts';
import { followWork } from '../../../app/contract/probing/follow-work.ts';
import type { ServiceClient } from '../../../app/contract/service-api.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';
import { type Candidate, type Found, keyOf, type Measured } from './compared.ts';

export interface Comparing {
  running: boolean;
  /** those of the last comparison, in the order in which they were given; empty before the first */
  candidates: readonly Candidate[];
  found: Found;
  begin(candidates: readonly Candidate[]): void;
  cancel(): void;
}

/** One comparison; results of an earlier one are ignored. */
interface Run {
  work: number | null;
  isOver: boolean;
}

export function useComparing(): Comparing {
  const { session } = useService();
  const [running, setRunning] = useState(false);
  const [candidates, setCandidates] = useState<readonly Candidate[]>([]);
  const [found, setFound] = useState<Found>(new Map());
  const mine = useRef<Run | null>(null);

  function cancel(): void {
    const run = mine.current;
    mine.current = null;
    setRunning(false);
    if (run === null) return;
    run.isOver = true;
    // It may have ended by itself meanwhile: then there is nothing left to cancel.
    if (run.work !== null) void session.call('work.cancel', { work: run.work });
  }

  async function begin(wanted: readonly Candidate[]): Promise<void> {
    const state = session.state.get();
    if (state.is !== 'connected') return;
    const run: Run = { work: null, isOver: false };
    mine.current = run;
    setRunning(true);
    setCandidates(wanted);
    setFound(new Map());
    const failure = await compare(state.connection, wanted, run, (key, measured) =>
      setFound((before) => new Map(before).set(key, measured)),
    );
    if (run.isOver) return;
    mine.current = null;
    setRunning(false);
    if (failure !== null) tellFailure(failure);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is left
  useEffect(() => cancel, []);
  return { running, candidates, found, begin: (wanted) => void begin(wanted), cancel };
}

/** Others are measured after those in use, so that their handshakes slow none of those down. */
async function compare(
  service: ServiceClient,
  wanted: readonly Candidate[],
  run: Run,
  tell: (key: string, measured: Measured) => void,
): Promise<Failure | null> {
  const failure = await followWork(
    service,
    'upstream.measured',
    () => begun(service, run, () => service.call('upstream.measure', {})),
    ({ upstream, responseMs, error }) => {
      if (!run.isOver) tell(keyOf({ kind: 'upstream', id: upstream }), { responseMs, error });
    },
  );
  const resolvers = wanted.filter(({ kind }) => kind === 'resolver').map(({ id }) => id);
  if (failure !== null || run.isOver || resolvers.length === 0) return failure;
  return await followWork(
    service,
    'catalogue.measured',
    () =>
      begun(service, run, () =>
        service.call('catalogue.measure', { resolvers, queries: comparedQueries }),
      ),
    ({ resolver, responseMs, error, tried }) => {
      if (!run.isOver)
        tell(keyOf({ kind: 'resolver', id: resolver }), { responseMs, error, tried });
    },
  );
}

/** Cancels it at once where the person went on before it had a number. */
async function begun(
  service: ServiceClient,
  run: Run,
  begin: () => Promise<Result<{ work: number }>>,
): Promise<Result<{ work: number }>> {
  const reply = await begin();
  if (!reply.ok) return reply;
  run.work = reply.value.work;
  if (run.isOver) void service.call('work.cancel', reply.value);
  return reply;
}
