/**
 * The process that reads the log, so that a long search delays neither the writer nor the service. It has the compilers that
 * the service goes without and reads several times as fast. It ends with the service, or a minute after the last request.
 */
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FromReader, ToReader } from './log-messages.ts';
import { LogReader } from './log-reader.ts';
import { stepBack } from './step-back.ts';

/** As nice(1) counts: behind the writer, which is behind the threads that answer queries. */
const niceness = 15;

const [, , file = ''] = process.argv;
giveWay();
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
// The service handles the signals that a terminal sends to the whole group, and this process ends with it. At SIGUSR1 Node would
// open a debugger's port.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => {});

/** On Linux a priority belongs to a thread: those of the collector and the compilers get the same. */
function giveWay(): void {
  if (process.platform === 'linux')
    for (const thread of readdirSync('/proc/self/task')) stepBack(Number(thread), niceness);
  else stepBack(0, niceness);
}
