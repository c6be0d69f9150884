/**
 * A service of one's own, where none is installed: started under the guardian with the Node that came with Sotto, in a session
 * of its own, so that it outlives a tray that dies. A tray that is quit by a person stops what it started (carry-out.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Places } from './places.ts';

export interface PortableService {
  /** Whether one was started; it needs a moment before it answers. */
  start(): Promise<boolean>;
  /** this tray started it, and it runs */
  isOurs(): boolean;
  /** Ends what this tray started where it can't be asked to; nothing else. Policy says what becomes of DNS then. */
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
