/** Changes of what is remembered about a network. Each takes effect at once, and a button undoes it. */
import { useMemo, useRef } from 'react';
import type { Failure, Result } from '../../../app/contract/errors.ts';
import type { NetworkEntry, NetworkParams } from '../../../app/contract/system/network.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { offerUndo } from '../../components/undo-toast.tsx';
import { useActions } from '../../state/actions.ts';
import { useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';

export interface NetworkChanges {
  /** Why it was refused; null: it is done. */
  rename(network: NetworkEntry, name: string | null): Promise<Failure | null>;
  setPolicy(network: NetworkEntry, policy: NetworkEntry['policy']): Promise<void>;
  /** Brings a remembered policy into force that waits for a proof. */
  confirm(network: NetworkEntry): Promise<void>;
  forget(network: NetworkEntry): Promise<void>;
}

type Undo = () => Promise<Result<unknown>>;

export function useNetworkChanges(onChanged: () => void): NetworkChanges {
  const { text } = useWords();
  const { session } = useService();
  const words = text.networks;
  const last = useRef<Undo | null>(null);
  const undo = useRef(async (back: Undo | null) => {
    if (back === null) return void toast('done', words.nothingToUndo);
    if (last.current === back) last.current = null;
    const done = await back();
    onChanged();
    if (done.ok) toast('done', words.undone);
    else tellFailure(done.failure);
  });
  const { undoLast } = words;
  useActions(
    useMemo(
      () => [{ id: 'networks-undo', label: undoLast, run: () => void undo.current(last.current) }],
      [undoLast],
    ),
  );

  function changed(said: string, back: Undo): void {
    onChanged();
    last.current = back;
    offerUndo(said, () => undo.current(back));
  }

  const set = (network: NetworkEntry, given: Omit<NetworkParams<'set'>, 'network'>) =>
    session.call('network.set', { network: network.id, ...given });

  return {
    async rename(network, name) {
      const done = await set(network, { name });
      if (!done.ok) return done.failure;
      const now = called(done.value);
      changed(name === null ? words.unnamedNow(now) : words.named(now), () =>
        set(network, { name: network.name }),
      );
      return null;
    },
    async setPolicy(network, policy) {
      const done = await set(network, { policy });
      if (!done.ok) return tellFailure(done.failure);
      const said = policy === null ? words.asSettings : words.policies[policy];
      changed(words.policySet(called(network), said), () =>
        set(network, { policy: network.policy }),
      );
    },
    async confirm(network) {
      const done = await set(network, { policy: network.policy });
      onChanged();
      if (done.ok) toast('done', words.waiting.done);
      else tellFailure(done.failure);
    },
    async forget(network) {
      const done = await session.call('network.forget', { network: network.id });
      if (!done.ok) return tellFailure(done.failure);
      changed(words.forgotten(called(network)), () =>
        session.call('network.restore', { network: network.id }),
      );
    },
  };
}
