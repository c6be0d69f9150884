/** Under what circumstances it was measured. */
import { cpus, loadavg, release } from 'node:os';
import type { Program } from '../program.ts';

export interface RunFacts {
  date: string;
  processor: string;
  cores: number;
  kernel: string;
  /** one minute's, before the first round: others at work */
  loadBefore: number;
  rttMs: number;
  rounds: number;
  minutes: number;
  programs: { title: string; version: string; setup: string }[];
}

export async function gatherFacts(
  programs: readonly Program[],
): Promise<Omit<RunFacts, 'rttMs' | 'rounds' | 'minutes'>> {
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
