/**
 * A person's own service, where none is installed: started under the guardian with the Node that came with Sotto, in a session
 * of its own, so that it outlives a tray that dies. A tray that a person quits stops the service that it started
 * (carry-out.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Places } from './places.ts';

export interface PortableService {
  /** Whether a service was started; it needs a moment before it answers. */
  start(): Promise<boolean>;
  /** this tray started it, and it runs */
  isOurs(): boolean;
  /** Ends the service that this tray started, where it does not answer; nothing else. The policy then decides about DNS. */
  end(): void;
}

export function portableService({ service }: Pick<Places, 'service'>): PortableService {
  let child: ChildProcess | null = null;
  return {
    start() {
      if (service === null) return Promise.resolve(false);
      const started = spawn(service.command, service.args, { detached: true, stdio: 'ignore' });
      started.unref();
      started.once('exit', () => {
        child = null;
      });
      return new Promise((resolve) => {
        started.once('spawn', () => {
          child = started;
          resolve(true);
        });
        started.once('error', () => resolve(false));
      });
    },
    isOurs: () => child !== null,
    end: () => child?.kill('SIGTERM'),
  };
}
