/** Running works whose results come one by one: begun, reported, and cancelled by their client. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Progress } from '../../contract/probing/progress.ts';
import type { ServiceSession } from '../../contract/service-api.ts';

export interface Works {
  /**
   * `work` runs once the reply with its number is on its way. If it throws, it ends as a failure. Fails where there are as many
   * works as there may be.
   */
  begin<Item>(
    session: ServiceSession,
    work: Work<Item>,
    notify: (progress: Told<Item>) => void,
  ): Result<{ work: number }>;
  cancel(work: number, session: ServiceSession): Result<Record<string, never>>;
}

type Work<Item> = (tell: (item: Item) => void, signal: AbortSignal) => Promise<void>;
type Told<Item> = Progress<Item> & { work: number; failure: Failed };
type Failed = Extract<Result<never>, { ok: false }>['failure'] | null;

/** Of one connection; a cancelled one may take a moment more. */
const mostAtOnce = 4;

export function createWorks(onBug: (error: unknown) => void): Works {
  const running = new Map<number, { session: ServiceSession; stop: AbortController }>();
  let last = 0;

  return {
    begin<Item>(session: ServiceSession, work: Work<Item>, notify: (progress: Told<Item>) => void) {
      const held = session.beginWork();
      if (!held.ok) return held;
      const number = ++last;
      const stop = new AbortController();
      const mine = [...running.values()].filter((one) => one.session === session && !isOver(one));
      // The oldest is cancelled, because its client has gone on to something else.
      if (mine.length >= mostAtOnce) mine[0]?.stop.abort();
      running.set(number, { session, stop });
      const callOff = session.onClose(() => stop.abort());
      const tell = (item: Item) => {
        if (stop.signal.aborted) return;
        notify({ work: number, items: [item], done: false, failure: null });
      };
      setImmediate(async () => {
        let failure: Failed = null;
        try {
          if (!stop.signal.aborted) await work(tell, stop.signal);
        } catch (error) {
          onBug(error);
          failure = fail(
            'internal',
            'it failed inside the service',
            "see the service's own log",
          ).failure;
        }
        running.delete(number);
        callOff();
        held.value.end();
        notify({ work: number, items: [], done: true, failure });
      });
      return succeed({ work: number });
    },

    cancel(number, session) {
      const found = running.get(number);
      if (found === undefined || found.session !== session)
        return fail(
          'unknown-subscription',
          `there is no work ${number}, or it is done`,
          'use the number its beginning gave',
          'work',
        );
      found.stop.abort();
      return succeed({});
    },
  };
}

const isOver = ({ stop }: { stop: AbortController }) => stop.signal.aborted;

/** Runs `worker` for each item, in their order, at most so many at once; none begins after the signal. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  signal: AbortSignal,
  worker: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  async function next(): Promise<void> {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift())
      await worker(item);
  }
  await Promise.all(Array.from({ length: atOnce }, next));
}
