/** From the start to the end of the service: what the process does with signals, with a wish, and with bugs. */
import { constants } from 'node:os';
import { giveBackMemory } from '../base/give-back-memory.ts';
import { type Journal, sayBug } from '../logging/journal.ts';
import type { Ending } from './stop-wish.ts';

interface Mortal {
  reload(): Promise<void>;
  stop(how: { giveBack: boolean }): Promise<void>;
  /** Events that were handed over are stored; nothing else changes. */
  storeEvents(): Promise<void>;
  /** Resolves when somebody who may has asked for an end. */
  stopAsked: Promise<void>;
}

interface Circumstances {
  /** of a signal that ends programs */
  meaningOf(signal: NodeJS.Signals): Ending;
  guarded?: boolean;
}

/** After a bug the last events get this long to reach the disk: whoever starts us again is waiting. */
const lastWordsMs = 500;

/** Who was not wished to end is soon to be there again: queries wait meanwhile. */
const killedMs = 1500;

/** Queries that waited for the start are answered first. */
const startedMs = 500;

/** One Ctrl-C can arrive twice: from the terminal, and from the npm that started us. */
const echoMs = 1000;

/**
 * Resolves with the exit code when the service has stopped: 0 only where somebody wished it, so that a guardian starts it again
 * after every other end. A second signal does not wait for that; under a guardian each may come twice, from whoever sent it to
 * us both, and from the guardian.
 */
export function untilEnd(
  service: Mortal,
  journal: Journal,
  { meaningOf, guarded = process.env['SOTTO_GUARDED'] !== undefined }: Circumstances,
): Promise<number> {
  return new Promise((resolve) => {
    setTimeout(giveBackMemory, startedMs).unref();
    let stopping = false;
    let stoppedAt = 0;
    const stop = (ending: Ending, because: string, code: number) => {
      stopping = true;
      stoppedAt = Date.now();
      const systemDns = ending === 'give-back' ? 'given-back' : 'kept';
      journal.note('service-stopping', { because, systemDns });
      if (ending === 'killed') setTimeout(() => process.exit(code), killedMs).unref();
      service.stop({ giveBack: ending === 'give-back' }).then(() => resolve(code), crash);
    };
    const hear = (signal: NodeJS.Signals) => {
      const echo = (guarded || signal === 'SIGINT') && Date.now() - stoppedAt < echoMs;
      if (stopping && echo) return;
      if (stopping) process.exit(1);
      const ending = meaningOf(signal);
      stop(ending, signal, ending === 'killed' ? 128 + constants.signals[signal] : 0);
    };
    const crash = (error: unknown) => {
      journal.note('service-crashed', { error: sayBug(error) });
      const exit = () => process.exit(1);
      setTimeout(exit, lastWordsMs);
      if (!stopping) service.storeEvents().then(exit, exit);
      stopping = true;
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
    process.on('SIGHUP', () => void service.reload());
    process.on('uncaughtException', crash);
    process.on('unhandledRejection', crash);
    void service.stopAsked.then(() => {
      if (!stopping) stop('give-back', 'asked', 0);
    });
  });
}
