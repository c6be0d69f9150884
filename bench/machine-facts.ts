/** What readers must know about the machine before they compare figures with those of another one. */
import { readFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { packageVersion } from './debian.ts';

export interface MachineFacts {
  processor: string;
  cores: number;
  memoryGigabytes: number;
  kernel: string;
  node: string;
  dnsperf: string;
  /** dnsdist as upstream of everybody */
  upstream: string;
  /** unbound as upstream of pairs */
  nagle: string;
  /** octets of a UDP socket's default receive buffer */
  receiveBuffer: number;
  /** the load of one minute before the first run, that is, of other work */
  loadBefore: number;
}

export async function machineFacts(): Promise<MachineFacts> {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    kernel: release(),
    node: process.version,
    dnsperf: await packageVersion('dnsperf'),
    upstream: `dnsdist ${await packageVersion('dnsdist')}`,
    nagle: `unbound ${await packageVersion('unbound')}`,
    receiveBuffer: Number(await readFile('/proc/sys/net/core/rmem_default', 'utf8')),
    loadBefore: loadavg()[0] ?? 0,
  };
}
