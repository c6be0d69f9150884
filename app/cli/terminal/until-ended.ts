/** Ends a command that would go on without end: the service ends it, or the person does. */
import type { ServiceClient } from '../../contract/service-api.ts';
import { CommandFailed } from '../failure.ts';

/** Resolves on Ctrl-C and SIGTERM; rejects when the service or the subscription ends. To be called before the first await. */
export function untilEnded(service: ServiceClient): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    service.on('subscription.ended', ({ failure }) => reject(new CommandFailed(failure)));
    service.onClose(() =>
      reject(
        new CommandFailed({
          code: 'connection-lost',
          message: 'the service ended',
          remedy: '"sotto status" says how to start it again',
        }),
      ),
    );
  });
  // The promise may reject before it is awaited.
  ended.catch(() => {});
  return ended;
}
