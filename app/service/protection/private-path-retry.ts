/**
 * Carries out "retry": while the engine dials anew, every private upstream of a group gets a query over a connection of its
 * own; the query carries no name of a user. It ends when an upstream is reached, when all were tried in vain, or when the time
 * is over.
 */
import type { UpstreamError } from '../../contract/status/service-status.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';

export interface Attempt {
  engine: Pick<EngineDriver, 'test' | 'reconnect' | 'status'>;
  /** ids of the group's private upstreams */
  upstreams: readonly string[];
  /** the engine has a private path for the group */
  isReached(): boolean;
  /** Records what was found out about an upstream; null: it answered. */
  note(upstreamId: string, error: UpstreamError | null): void;
  /** Called whenever the engine's condition may have changed; the function returned ends it. */
  onSettled(listener: () => void): () => void;
  pause(milliseconds: number): Promise<void>;
}

/** "retry" has this long before the next consent request. */
export const retryGraceMs = 5_000;

/** Resolves to the id of one that answered, else to null. */
export async function tryPrivatePaths(attempt: Attempt): Promise<string | null> {
  let answered: string | null = null;
  let allTested = false;
  let end = () => {};
  const decided = new Promise<void>((resolve) => {
    const look = () => {
      if (attempt.isReached() || (allTested && !isDialing(attempt))) resolve();
    };
    end = attempt.onSettled(look);
    const tests = attempt.upstreams.map(async (id) => {
      if (await testOne(id, attempt)) answered ??= id;
    });
    void Promise.all(tests).then(() => {
      allTested = true;
      look();
    });
  });
  await Promise.race([decided, attempt.pause(retryGraceMs)]);
  end();
  return answered;
}

/** Resolves to whether it answered over either of its transports; then the engine was told to use it. */
async function testOne(id: string, { engine, note, pause }: Attempt): Promise<boolean> {
  const tested = await engine.test(id);
  if (!tested.ok) return false;
  const { ok, error, tried, alternative } = tested.value;
  const works = ok || alternative?.ok === true;
  const { code, message } = error ?? { code: 'unknown', message: 'no connection' };
  note(id, works ? null : { code, text: message, tried });
  if (!works) return false;
  const resting = engine.status().upstreams.find((one) => one.id === id)?.restingMs ?? 0;
  if (resting > 0) await pause(resting);
  // A test that succeeds makes the engine dial, except where a dial rests or needs the other transport.
  if (!ok) await engine.reconnect();
  else if (resting > 0) await engine.test(id);
  return true;
}

function isDialing({ engine, upstreams }: Attempt): boolean {
  return engine
    .status()
    .upstreams.some(({ id, state }) => upstreams.includes(id) && state === 'dialing');
}
