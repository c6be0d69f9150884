/** Figures of a running process from the kernel (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

const mebi = 1 << 20;
/** _SC_CLK_TCK, which is 100 on every Linux that Node runs on */
const ticksASecond = 100;

export interface ProcessFigures {
  /** MiB resident, files mapped into memory included */
  resident: number;
  /** MiB of memory that belongs to no file: heaps and stacks */
  anonymous: number;
  descriptors: number;
  threads: number;
  /** seconds of processor time so far, user and system */
  processor: number;
}

export function processFigures(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return {
    resident: (field(status, 'VmRSS') * 1024) / mebi,
    anonymous: (field(status, 'RssAnon') * 1024) / mebi,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field(status, 'Threads'),
    processor: processorSeconds(pid),
  };
}

function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // the name before may hold any character; fields 14 and 15 are utime and stime
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond;
}

function field(status: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status);
  if (found === null) throw new Error(`/proc/PID/status has no ${name}`);
  return Number(found[1]);
}
