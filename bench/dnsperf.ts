/** dnsperf: one thread, one socket, a hundred queries outstanding, as it is by default. */
import { Program } from '../e2e/rig/process.ts';
import { programPath } from './debian.ts';

export interface Load {
  sent: number;
  /** NOERROR */
  answered: number;
  /** responses with another code */
  failed: number;
  lost: number;
  seconds: number;
}

interface LoadOptions {
  port: number;
  /** a file with one query on each line */
  queries: string;
  /** when it ends at the latest, and whether the list is queried once or repeatedly */
  seconds: number;
  once: boolean;
  /** queries a second at most */
  rate?: number;
}

const outstanding = 100;
const lostAfterSeconds = 3;
const startAndEndMs = 15_000;

export async function dnsperf(options: LoadOptions): Promise<Load> {
  const args = [
    ...['-s', '127.0.0.1', '-p', String(options.port), '-d', options.queries],
    ...['-l', String(options.seconds), '-q', String(outstanding), '-t', String(lostAfterSeconds)],
    ...['-T', '1', '-c', '1', ...(options.once ? ['-n', '1'] : [])],
    ...(options.rate === undefined ? [] : ['-Q', String(options.rate)]),
  ];
  const program = await Program.start(programPath('dnsperf'), args);
  const patience = options.seconds * 1000 + startAndEndMs;
  const tooLate = setTimeout(() => program.signal('SIGKILL'), patience);
  await program.exited;
  clearTimeout(tooLate);
  const load = parseLoad(program.stdout);
  if (load === null) throw new Error(`dnsperf gave no statistics\n${program.transcript()}`);
  return load;
}

/** Null where the statistics are missing, because dnsperf gave up before it sent anything. */
export function parseLoad(output: string): Load | null {
  const sent = field(output, /^ *Queries sent: +(\d+)/m);
  const lost = field(output, /^ *Queries lost: +(\d+)/m);
  const completed = field(output, /^ *Queries completed: +(\d+)/m);
  const seconds = field(output, /^ *Run time \(s\): +([\d.]+)/m);
  if (sent === null || lost === null || completed === null || seconds === null) return null;
  const answered = field(output, /^ *Response codes:.*\bNOERROR (\d+)/m) ?? 0;
  return { sent, answered, failed: completed - answered, lost, seconds };
}

function field(output: string, pattern: RegExp): number | null {
  const found = pattern.exec(output)?.[1];
  return found === undefined ? null : Number(found);
}
