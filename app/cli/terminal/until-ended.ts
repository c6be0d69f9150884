/** What ends a command that would go on for ever: the service, or the person. */
import type { ServiceClient } from '../../contract/service-api.ts';
import { CommandFailed } from '../failure.ts';

/** Resolves on Ctrl-C and SIGTERM; rejects when the service ends, or what it tells of. To be called before anything is awaited from it. */
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
  // Nobody may be waiting yet.
  ended.catch(() => {});
  return ended;
}
