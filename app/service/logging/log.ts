/**
 * The application log: JSON lines on stderr, for whoever runs the service. Messages are constants in lower case; fields
 * are numbers, codes, paths and addresses of ours. What was asked goes to the query log and nowhere else, so the field
 * names under which a question could slip in are removed whatever a caller does.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

/** Whoever read it may go away; DNS goes on. */
function standardError(): DestinationStream {
  const stream = destination({ dest: 2, sync: true });
  stream.on('error', () => {});
  return stream;
}

/** Type and place of a bug, not its message: that could carry a name that was asked for. */
export function sayBug(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [error.name, ...(place ?? [])].join('\n');
}

const neverLogged = ['name', 'qname', 'question', 'event', 'events', 'reply', 'params'];

export function createLog(stream: DestinationStream = standardError()): Log {
  return pino(
    {
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      redact: { paths: neverLogged.flatMap((field) => [field, `*.${field}`]), remove: true },
    },
    stream,
  );
}
