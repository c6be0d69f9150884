/** The processor time of a process's threads, to the microsecond: /proc/PID/task/…/schedstat (the kernel's sched-stats). */
import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds so far, by thread. */
export type ProcessorTime = ReadonlyMap<string, number>;

export async function processorTime(pid: number): Promise<ProcessorTime> {
  const threads = await readdir(`/proc/${pid}/task`);
  const each = await Promise.all(
    threads.map(async (thread) => [thread, await threadMs(pid, thread)] as const),
  );
  return new Map(each.flatMap(([thread, ms]) => (ms === null ? [] : [[thread, ms]])));
}

/** The last work of a thread that has ended meanwhile is not included. */
export function passed(before: ProcessorTime, after: ProcessorTime): number {
  const each = [...after].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
  return each.reduce((sum, ms) => sum + ms, 0);
}

/** Null where the thread ended between being listed and being read. */
async function threadMs(pid: number, thread: string): Promise<number | null> {
  const file = `/proc/${pid}/task/${thread}/schedstat`;
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : Number(text.split(' ')[0]) / 1e6;
}
