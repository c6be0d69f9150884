/**
 * Sends metrics to a collector about once a minute, spread by chance so that a fleet does not come at once. What could not be
 * sent is not kept: the next figures say it all, because counts go on from the start of the service.
 */
export interface PushParts {
  /** Sends the figures of this moment. Null: they arrived; else why not. */
  send(signal: AbortSignal): Promise<string | null>;
  /** Null: they arrive. A text: why they have not arrived for a while. */
  onTrouble(why: string | null): void;
  onBug(error: unknown): void;
  /** at least 0 and less than 1 */
  random?(): number;
}

const minute = 60_000;
const longestMs = 30 * minute;
/** A collector that is being restarted is no trouble. */
const patientFailures = 3;

/** The function returned ends it. */
export function startPush(parts: PushParts): () => void {
  const { send, onTrouble, onBug, random = Math.random } = parts;
  const ending = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let failures = 0;

  /** Half of it at the least, and half as much again at the most. */
  function arm(inMs: number): void {
    if (ending.signal.aborted) return;
    timer = setTimeout(() => void push().catch(onBug), inMs * (0.5 + random())).unref();
  }

  async function push(): Promise<void> {
    try {
      const why = await send(ending.signal);
      if (ending.signal.aborted) return;
      failures = why === null ? 0 : failures + 1;
      if (failures === 0 || failures >= patientFailures) onTrouble(why);
    } finally {
      arm(Math.min(longestMs, minute * 2 ** Math.max(0, failures - 1)));
    }
  }

  // The first time soon, so that whoever sets it up sees it arrive.
  arm(5_000);
  return () => {
    if (timer !== null) clearTimeout(timer);
    ending.abort();
  };
}
