/** The calls of methods that are under way: what a call brings about, however late, is recorded as its caller's. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Call {
  /** number of the caller's account; null: unknown */
  account: number | null;
  /** what was asked for held already */
  isWithoutEffect: boolean;
}

export interface Calls {
  during<Outcome>(call: Call, run: () => Outcome): Outcome;
  /** The one from which this is asked; null: none, so the service does it by itself. */
  underWay(): Call | null;
  /** A handler says that nothing was changed, so that there is nothing to record. */
  hadNoEffect(): void;
}

export function followCalls(): Calls {
  const calls = new AsyncLocalStorage<Call>();
  const underWay = () => calls.getStore() ?? null;
  return {
    during: (call, run) => calls.run(call, run),
    underWay,
    hadNoEffect() {
      const call = underWay();
      if (call !== null) call.isWithoutEffect = true;
    },
  };
}
