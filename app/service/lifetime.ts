/** From the start to the signal that ends the service: what the process does with signals and with bugs. */
import { type Log, sayBug } from './logging/log.ts';

interface Mortal {
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** After a bug the last events get this long to reach the disk. */
const lastWordsMs = 2000;

/** Resolves when the service has stopped. A second signal does not wait for that. */
export function untilSignal(service: Mortal, log: Log): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (signal: string) => {
      if (stopping) process.exit(1);
      stopping = true;
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
