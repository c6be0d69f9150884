/** What a process and its threads have computed so far, to the microsecond: /proc/PID/task/…/schedstat (kernel's sched-stats). */
import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds, threads that have ended not included. */
export async function processorMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const each = await Promise.all(threads.map((thread) => threadMs(pid, thread)));
  return each.reduce((sum, ms) => sum + ms, 0);
}

async function threadMs(pid: number, thread: string): Promise<number> {
  const file = `/proc/${pid}/task/${thread}/schedstat`;
  const [nanoseconds = '0'] = (await readFile(file, 'utf8').catch(() => '0')).split(' ');
  return Number(nanoseconds) / 1e6;
}
