/** The thread that reads the log, so that a long question delays neither the writer nor the service. */
import { parentPort, workerData } from 'node:worker_threads';
import { isUnusable } from './log-file.ts';
import type { FromReader, ToReader } from './log-messages.ts';
import { readEvents } from './log-reader.ts';

if (parentPort === null) throw new Error('reader-worker.ts runs in a worker thread');
const port = parentPort;
const { file } = workerData as { file: string };

port.on('message', ({ request, filter }: ToReader) => port.postMessage(answer(request, filter)));

function answer(request: number, filter: ToReader['filter']): FromReader {
  try {
    return { request, events: readEvents(file, filter) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { request, error: reason, fileAtFault: isUnusable(error) };
  }
}
