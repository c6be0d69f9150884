/** The circumstances of the measurement. */

import { statSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { addon, program } from '../../../../bench/places.ts';
import { sottoServer } from '../../../rig/available.ts';
import type { Program } from '../program.ts';

export interface RunFacts {
  date: string;
  processor: string;
  cores: number;
  kernel: string;
  /** the load of one minute before the first round, that is, of other work */
  loadBefore: number;
  rttMs: number;
  rounds: number;
  /** our programs were built anew meanwhile, so the end was not measured with the same build as the beginning */
  changedMeanwhile: boolean;
  minutes: number;
  /** further remarks, written by the person who kept the run */
  remarks?: string[];
  programs: { title: string; version: string; setup: string }[];
}

export async function gatherFacts(
  programs: readonly Program[],
): Promise<Omit<RunFacts, 'rttMs' | 'rounds' | 'changedMeanwhile' | 'minutes'>> {
  const [processor] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: processor?.model.trim() ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    loadBefore: loadavg()[0] ?? 0,
    programs: await Promise.all(
      programs.map(async ({ title, version, setup }) => ({
        title,
        version: await version(),
        setup,
      })),
    ),
  };
}

/** Differs as soon as one of our programs has been built anew. */
export function buildStamp(): string {
  const files = [addon, sottoServer, ...program.slice(-1)];
  return files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join();
}
