/** From the start to the end of the service: how the process handles signals, requests to stop, and bugs. */
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { giveBackAfterStart } from '../base/give-back-memory.ts';
import { type Journal, sayBug } from '../logging/journal.ts';
import type { Ending } from './stop-wish.ts';

export interface Mortal {
  /** Reads the settings again, as when their file has changed. */
  reload(): Promise<void>;
  /** Answers what is in flight, stores what happened; the system's DNS stays with us unless it is to be given back. */
  stop(how: { giveBack: boolean }): Promise<void>;
  /** Takes no more queries; resolves when those in flight have responses. */
  answerInFlight(): Promise<void>;
  /** Events that were handed over are stored; nothing else changes. */
  storeEvents(): Promise<void>;
  /** Resolves when a client with that right has asked for an end. */
  stopAsked: Promise<void>;
}

interface Circumstances {
  /** of a signal that ends programs */
  meaningOf(signal: NodeJS.Signals): Ending;
  guarded?: boolean;
  now?(): number;
}

/** After a bug, queries in flight get this long for their responses; those that come meanwhile wait for the next service. */
const lastResponsesMs = 250;

/** After a bug the process ends after this time at the latest, because the guardian waits to start the service again. */
const lastWordsMs = 500;

/** A service that nobody asked to end is soon started again: queries wait meanwhile. */
const killedMs = 1500;

/** One Ctrl-C can arrive twice: from the terminal, and from the npm that started the service. */
const echoMs = 1000;

/**
 * Resolves with the exit code when the service has stopped: 0 only after a request to stop, so that a guardian starts it again
 * after every other end. A second signal does not wait for that. Under a guardian each signal may come twice: from its sender,
 * who signals both processes, and from the guardian.
 */
export function untilEnd(
  service: Mortal,
  journal: Journal,
  {
    meaningOf,
    guarded = process.env['SOTTO_GUARDED'] !== undefined,
    now = Date.now,
  }: Circumstances,
): Promise<number> {
  return new Promise((resolve) => {
    giveBackAfterStart();
    let stopping = false;
    let stoppedAt = 0;
    const stop = (ending: Ending, because: string, code: number) => {
      stopping = true;
      stoppedAt = now();
      const systemDns = ending === 'give-back' ? 'given-back' : 'kept';
      journal.note('service-stopping', { because, systemDns });
      if (ending === 'killed') setTimeout(() => process.exit(code), killedMs).unref();
      service.stop({ giveBack: ending === 'give-back' }).then(() => resolve(code), crash);
    };
    const hear = (signal: NodeJS.Signals) => {
      if (stopping && isEcho(signal, guarded, now() - stoppedAt)) return;
      if (stopping) process.exit(1);
      const ending = meaningOf(signal);
      stop(ending, signal, exitCodeOf(ending, signal));
    };
    const crash = (error: unknown) => {
      journal.note('service-crashed', { error: sayBug(error) });
      const exit = () => process.exit(1);
      setTimeout(exit, lastWordsMs);
      if (!stopping) lastWords(service).then(exit, exit);
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

async function lastWords(service: Mortal): Promise<void> {
  const answered = service.answerInFlight().catch(() => {});
  await Promise.race([answered, pause(lastResponsesMs)]);
  await service.storeEvents();
}

/** Whether a signal is the one that already stops the service, which arrived twice. */
function isEcho(signal: NodeJS.Signals, guarded: boolean, afterMs: number): boolean {
  return (guarded || signal === 'SIGINT') && afterMs < echoMs;
}

function exitCodeOf(ending: Ending, signal: NodeJS.Signals): number {
  return ending === 'killed' ? 128 + constants.signals[signal] : 0;
}
