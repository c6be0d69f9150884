/** From the start to the signal that ends the service: what the process does with signals and with bugs. */
import { giveBackMemory } from './give-back-memory.ts';
import { type Log, sayBug } from './logging/log.ts';

interface Mortal {
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** After a bug the last events get this long to reach the disk. */
const lastWordsMs = 2000;

/** Questions that waited for the start are answered first. */
const startedMs = 500;

/** One Ctrl-C can arrive twice: from the terminal, and from the npm that started us. */
const echoMs = 1000;

/**
 * Resolves when the service has stopped. A second signal does not wait for that; under a guardian each may come twice, from
 * whoever sent it to us both, and from the guardian.
 */
export function untilSignal(
  service: Mortal,
  log: Log,
  guarded = process.env['SOTTO_GUARDED'] !== undefined,
): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(giveBackMemory, startedMs).unref();
    let stopping = false;
    let stoppedAt = 0;
    const stop = (signal: string) => {
      const echo = (guarded || signal === 'SIGINT') && Date.now() - stoppedAt < echoMs;
      if (stopping && echo) return;
      if (stopping) process.exit(1);
      stopping = true;
      stoppedAt = Date.now();
      log.info({ signal }, 'stopping');
      service.stop().then(resolve, crash);
    };
    const crash = (error: unknown) => {
      log.fatal({ error: sayBug(error) }, 'unexpected error');
      setTimeout(() => process.exit(1), lastWordsMs);
      const exit = () => process.exit(1);
      if (!stopping) service.stop().then(exit, exit);
      stopping = true;
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('SIGHUP', () => void service.reload());
    process.on('uncaughtException', crash);
    process.on('unhandledRejection', crash);
  });
}
