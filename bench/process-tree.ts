/** Processor time and memory of a program and its children, from /proc (proc(5)). */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { succeed } from '../e2e/rig/process.ts';

const ticksPerSecond = Number(await succeed('getconf', ['CLK_TCK']));
const settleStepMs = 200;
/** a process tree is at rest below this share of one processor */
const atRest = 0.05;
const settleAtMostMs = 15_000;

interface Stat {
  parent: number;
  /** user and system time, including that of ended children */
  ticks: number;
  /** the system time of these */
  kernelTicks: number;
}

/** In seconds. */
export interface ProcessorTime {
  all: number;
  /** the kernel's part */
  kernel: number;
}

/** Null for an invalid line. The name of the program may contain spaces and parentheses. */
export function parseStat(line: string): Stat | null {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [, parent] = fields;
  const times = fields.slice(11, 15).map(Number);
  if (parent === undefined || times.length < 4 || times.some(Number.isNaN)) return null;
  const [user, kernel, childrenUser, childrenKernel] = times as [number, number, number, number];
  const kernelTicks = kernel + childrenKernel;
  return { parent: Number(parent), ticks: user + childrenUser + kernelTicks, kernelTicks };
}

/** In kB, from /proc/PID/status. */
export function parseResident(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

export class ProcessTree {
  readonly #root: number;

  constructor(root: number) {
    this.#root = root;
  }

  /** Seconds of processor time so far. */
  async cpuSeconds(): Promise<number> {
    return (await this.processorTime()).all;
  }

  async processorTime(): Promise<ProcessorTime> {
    const stats = await this.#stats();
    const seconds = (ticks: (stat: Stat) => number) =>
      stats.reduce((sum, { stat }) => sum + ticks(stat), 0) / ticksPerSecond;
    return { all: seconds((stat) => stat.ticks), kernel: seconds((stat) => stat.kernelTicks) };
  }

  /** Resident memory in MB (10^6 octets). */
  async residentMegabytes(): Promise<number> {
    const stats = await this.#stats();
    const statuses = await Promise.all(stats.map(({ pid }) => readOrNothing(`${pid}/status`)));
    return (statuses.reduce((sum, status) => sum + parseResident(status), 0) * 1024) / 1e6;
  }

  /**
   * Waits until the tree is at rest, because work done later, such as writing a log, counts as well. False where it never rests.
   */
  async settled(): Promise<boolean> {
    const deadline = performance.now() + settleAtMostMs;
    let before = await this.cpuSeconds();
    while (performance.now() < deadline) {
      await pause(settleStepMs);
      const now = await this.cpuSeconds();
      if (now - before <= (atRest * settleStepMs) / 1000 + 1e-9) return true;
      before = now;
    }
    return false;
  }

  async #stats(): Promise<{ pid: number; stat: Stat }[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const read = async (pid: number) => ({
      pid,
      stat: parseStat(await readOrNothing(`${pid}/stat`)),
    });
    const all = new Map<number, Stat>();
    for (const { pid, stat } of await Promise.all(pids.map(read))) if (stat) all.set(pid, stat);
    return [...all].filter(([pid]) => this.#owns(pid, all)).map(([pid, stat]) => ({ pid, stat }));
  }

  #owns(pid: number, all: ReadonlyMap<number, Stat>): boolean {
    for (let at: number | undefined = pid; at !== undefined; at = all.get(at)?.parent)
      if (at === this.#root) return true;
    return false;
  }
}

/** A process may end between being listed and being read. */
async function readOrNothing(path: string): Promise<string> {
  return await readFile(`/proc/${path}`, 'utf8').catch(() => '');
}
