/** Datagrams that the kernel threw away because a socket's buffer was full (proc_net_udp). */
import { readFile } from 'node:fs/promises';

export interface Drops {
  /** at every IPv4 socket bound to the port */
  atPort: number;
  /** at all sockets of the machine, also the generator's where it was too slow to read the responses */
  everywhere: number;
}

export async function dropsSoFar(port: number): Promise<Drops> {
  const [sockets, counters] = await Promise.all(
    ['udp', 'snmp'].map((file) => readFile(`/proc/net/${file}`, 'utf8')),
  );
  return {
    atPort: countDrops(sockets ?? '', port),
    everywhere: countBufferErrors(counters ?? ''),
  };
}

/** /proc/net/snmp: a line with the names, then one with the values. */
export function countBufferErrors(counters: string): number {
  const [names, values] = counters.split('\n').filter((line) => line.startsWith('Udp:'));
  const column = names?.split(' ').indexOf('RcvbufErrors') ?? -1;
  return Number(values?.split(' ')[column] ?? 0);
}

export function countDrops(table: string, port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(suffix))
    .reduce((sum, columns) => sum + Number(columns.at(-1)), 0);
}
