/** Work of which one at most is under way: whoever wants it meanwhile gets the end of that one. */

export interface SharedRun<Outcome> {
  run(): Promise<Outcome>;
  isUnderWay(): boolean;
  /** Tells the work so, by its signal. */
  stop(): void;
  /** Resolves when none is under way. */
  ended(): Promise<void>;
}

/** `failed`: what becomes of work that threw; `after`: none is under way any more. */
export function sharedRun<Outcome>(
  work: (signal: AbortSignal) => Promise<Outcome>,
  failed: (error: unknown) => Outcome,
  after: () => void = () => {},
): SharedRun<Outcome> {
  let current: { outcome: Promise<Outcome>; stop: AbortController } | null = null;

  function begin(): Promise<Outcome> {
    const stop = new AbortController();
    const outcome = work(stop.signal)
      .catch(failed)
      .finally(() => {
        current = null;
        after();
      });
    current = { outcome, stop };
    return outcome;
  }

  return {
    run: () => current?.outcome ?? begin(),
    isUnderWay: () => current !== null,
    stop: () => current?.stop.abort(),
    async ended() {
      await current?.outcome;
    },
  };
}
