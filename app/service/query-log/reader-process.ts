/**
 * The process that reads the log, so that a long question delays neither the writer nor the service. It has the compilers
 * that the service goes without, which read several times as fast, and ends with the service, or when nobody asks any more.
 */
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { FromReader, ToReader } from './log-messages.ts';
import { LogReader } from './log-reader.ts';

/** As nice(1) counts: behind the writer, which is behind whatever answers questions. */
const niceness = 15;

const [, , file = ''] = process.argv;
stepBack();
const reader = new LogReader(file, {
  now: () => performance.now(),
  breathe: () => setImmediate(),
  send: (message: FromReader) => process.send?.(message),
});
process.on('message', (message: ToReader, connection: Socket | undefined) => {
  if (message.kind !== 'pour') void reader.receive(message);
  // A client that has gone meanwhile has left no connection.
  else if (connection === undefined) process.send?.({ job: message.job, poured: true });
  else void reader.pour(message.job, message.request, connection);
});
process.on('disconnect', () => process.exit());
// What a terminal tells all of us is for the service to follow; we end with it. At SIGUSR1 Node would open a debugger's port.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => {});

/** On Linux a priority is a thread's own: the collector's and the compilers' are to stand back, too. */
function stepBack(): void {
  if (process.platform === 'linux')
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness);
  else setPriority(niceness);
}
