/**
 * The journal: JSON lines on standard error or in a file, for administrators. An event has the fields that the contract lists
 * and no others, so that no field can hold a queried name, which belongs into the query log alone.
 */
import { type DestinationStream, destination, pino } from 'pino';
import {
  type JournalEvent,
  type JournalFields,
  type JournalWord,
  journalEvents,
  journalVariable,
} from '../../contract/journal.ts';
import { openToWrite } from '../base/open-to-write.ts';

export interface Journal {
  note<Word extends JournalWord>(event: Word, fields: JournalFields<Word>): void;
}

export function createJournal(stream: DestinationStream): Journal {
  const lines = pino(
    {
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
    },
    stream,
  );
  return {
    note(event, fields) {
      const { level, message, fields: known }: JournalEvent = journalEvents[event];
      const given: Partial<Record<string, unknown>> = fields;
      const told = known.map((field) => [field, given[field]]);
      lines[level]({ event, ...Object.fromEntries(told) }, message);
    },
  };
}

export function openJournal(environment: Readonly<Record<string, string | undefined>>): Journal {
  return createJournal(journalStream(environment[journalVariable]));
}

/** Its reader may go away, and a disk may be full; DNS goes on. Absent: standard error. */
export function journalStream(file?: string): DestinationStream {
  const stream = destination({ dest: journalDescriptor(file), sync: true });
  stream.on('error', () => {});
  return stream;
}

function journalDescriptor(file: string | undefined): number {
  return file === undefined ? 2 : openToWrite(file, 'append', 0o600);
}

/** Type and place of a bug, not its message: that could carry a name that was asked for. */
export function sayBug(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [error.name, ...(place ?? [])].join('\n');
}
