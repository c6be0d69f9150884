/** Datagrams that the kernel threw away because a socket's buffer was full (proc_net_udp). */
import { readFile } from 'node:fs/promises';

/** Of every IPv4 socket bound to the port. */
export async function droppedAt(port: number): Promise<number> {
  return countDrops(await readFile('/proc/net/udp', 'utf8'), port);
}

export function countDrops(table: string, port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(suffix))
    .reduce((sum, columns) => sum + Number(columns.at(-1)), 0);
}
