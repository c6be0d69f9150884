/** The processors' time that a virtual machine was kept waiting for, because its host gave them to others (proc(5), "steal"). */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

interface Times {
  stolen: number;
  all: number;
}

function times(): Times {
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? [];
  // the last two fields are included in the first two
  const ticks = fields.slice(0, 8).map(Number);
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, one) => sum + one, 0) };
}

export class StolenTime {
  readonly #begin = times();

  /** The share since this began, from 0 to 1. */
  share(): number {
    const now = times();
    const all = now.all - this.#begin.all;
    return all === 0 ? 0 : (now.stolen - this.#begin.stolen) / all;
  }
}

const sinceStart = new StolenTime();

export const percent = (share: number) => `${Math.round(share * 100)} %`;

/** The machine on which a lab ran, as the last line of its report. */
export function machineLine(): string {
  const [cpu] = cpus();
  return [
    `${cpu?.model.trim()}, ${cpus().length} processors, of whose time the host gave ${percent(sinceStart.share())} to others`,
    `load ${loadavg()[0]?.toFixed(1)} at the end, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.`,
  ].join(', ');
}
