/** How long sotto-server takes to read many certificates anew, and what clients notice of it. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { selfSigned } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { type LoadSummary, startClients } from './clients.ts';
import { begin, rounds } from './costs.ts';
import { type Server, type Started, sotto } from './servers.ts';

export const manyCertificates = 1_000;
/** of one connection that stays */
const load = { kind: 'queries', connections: 1, rate: 1_000, seconds: 5 } as const;
const patienceMs = 60_000;

export interface Reloads {
  /** from each SIGHUP to the line that says renewed */
  milliseconds: number[];
  /** queries while that went on, and the same load without it */
  during: LoadSummary;
  quiet: LoadSummary;
}

export async function reloads(lab: Lab): Promise<Reloads> {
  const folder = join(lab.directory, 'certificates');
  await mkdir(folder);
  for (let at = 0; at < manyCertificates; at++) {
    const made = await selfSigned(lab, { for: [`DNS:dns${at}.example`] });
    const name = join(folder, `dns${at}.example`);
    await copyFile(made.certificate, `${name}.pem`);
    await copyFile(made.key, `${name}.key`);
  }
  const identity = { certificate: '', key: '', authority: '', pin: '' };
  const started = await begin(lab, withFolder(folder), identity);
  const quiet = await (await startClients(lab, started.port, load)).summary();
  const asking = await startClients(lab, started.port, load);
  const milliseconds: number[] = [];
  for (let round = 0; round < rounds; round++) milliseconds.push(await reload(started));
  const measured = { milliseconds, during: await asking.summary(), quiet };
  await started.program.stop();
  console.log(`${manyCertificates} certificates:`, measured);
  return measured;
}

function withFolder(folder: string): Server {
  return {
    ...sotto,
    async command(...of) {
      const words = await sotto.command(...of);
      const at = words.indexOf('--certificate');
      return words.toSpliced(at, 4, '--certificates', folder);
    },
  };
}

async function reload({ program }: Started): Promise<number> {
  const lines = program.stdout.split('\n').length;
  const began = performance.now();
  program.signal('SIGHUP');
  while (program.stdout.split('\n').length === lines) {
    if (performance.now() - began > patienceMs) throw new Error(program.transcript());
    await pause(1);
  }
  const milliseconds = performance.now() - began;
  const { event, certificates } = JSON.parse(program.stdout.trimEnd().split('\n').at(-1) ?? '');
  if (event !== 'renewed' || certificates !== manyCertificates)
    throw new Error(`not all certificates were taken\n${program.transcript()}`);
  return milliseconds;
}
