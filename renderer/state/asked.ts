/** The reply of one call to the service, for values without a topic; the call is repeated on a new connection and on request. */
import { useCallback, useEffect, useState } from 'react';
import type { Failure } from '../../app/contract/errors.ts';
import type { MethodName, Params, ResultOf } from '../../app/contract/service-api.ts';
import { useService } from './service.ts';
import { useStore } from './store.ts';

export interface Asked<Value> {
  /** the last reply; null until then */
  value: Value | null;
  /** why the last call failed */
  failure: Failure | null;
  again(): void;
}

/** `after`: a value that changes whenever the reply may have changed. */
export function useAsked<Name extends MethodName>(
  name: Name,
  params: Params<Name>,
  after = '',
): Asked<ResultOf<Name>> {
  const { session } = useService();
  const connection = useStore(session.state);
  const [round, setRound] = useState(0);
  const [told, setTold] = useState<Omit<Asked<ResultOf<Name>>, 'again'>>(nothing);
  const written = JSON.stringify(params);
  // biome-ignore lint/correctness/useExhaustiveDependencies: round and after only say that it is to be asked again
  useEffect(() => {
    if (connection.is !== 'connected') return;
    let current = true;
    void session.call(name, JSON.parse(written)).then((answer) => {
      if (!current) return;
      if (answer.ok) setTold({ value: answer.value, failure: null });
      else setTold((before) => ({ ...before, failure: answer.failure }));
    });
    return () => {
      current = false;
    };
  }, [session, connection, name, written, after, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...told, again };
}

const nothing = { value: null, failure: null };
