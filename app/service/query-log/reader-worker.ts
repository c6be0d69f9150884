/** The thread that reads the log, so that a long question delays neither the writer nor the service. */
import { setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromReader, ToReader } from './log-messages.ts';
import { LogReader } from './log-reader.ts';

/** As nice(1) counts: behind the writer, which is behind whatever answers questions. */
const niceness = 15;

if (parentPort === null) throw new Error('reader-worker.ts runs in a worker thread');
const port = parentPort;
// On Linux a priority is a thread's own.
if (process.platform === 'linux') setPriority(niceness);

const { file } = workerData as { file: string };
const reader = new LogReader(file, {
  now: () => performance.now(),
  breathe: () => setImmediate(),
  send: (message: FromReader) => port.postMessage(message),
});
port.on('message', (message: ToReader) => reader.receive(message));
