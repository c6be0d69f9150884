/** Work that runs at most once at a time: a caller that wants it meanwhile waits for the present run. */

export interface SharedRun<Outcome> {
  run(): Promise<Outcome>;
  isUnderWay(): boolean;
  /** Aborts the work by its signal. */
  stop(): void;
  /** Resolves when none is under way. */
  ended(): Promise<void>;
}

/** `failed`: makes the outcome of work that threw; `after`: called when no run is under way any more. */
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
