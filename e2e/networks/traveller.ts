/** A person who comes to a network with a computer, its desktop and the tray, and goes through the network's login. */
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { inRoot } from '../../build/places.mjs';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { person } from '../tray/person.ts';
import type { Machine } from './machine.ts';
import type { Habits, Sight } from './traveller-program.ts';

const travellerProgram = fileURLToPath(new URL('./traveller-program.ts', import.meta.url));

/** A whole login: on a busy machine Electron alone takes a minute to start, and each page some seconds. */
export const journeyMs = 180_000;

export class Traveller {
  readonly #machine: Machine;
  readonly #program: Program;

  /** Resolves when the tray shows its service's state; the lab, whose files the person can read, ends everything. */
  static async sitDown(lab: Lab, machine: Machine, habits: Habits): Promise<Traveller> {
    await chmod(lab.directory, 0o711);
    const program = await machine.start(process.execPath, [
      travellerProgram,
      JSON.stringify(habits),
    ]);
    const traveller = new Traveller(machine, program);
    await traveller.sees('desktop');
    return traveller;
  }

  private constructor(machine: Machine, program: Program) {
    this.#machine = machine;
    this.#program = program;
  }

  /** Everything so far, in order. */
  get sights(): Sight[] {
    const lines = this.#program.stdout.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Sight);
  }

  /** The first of this kind. */
  async sees<Is extends Sight['is']>(is: Is): Promise<Sight & { is: Is }> {
    const isMeant = (sight: Sight): sight is Sight & { is: Is } => sight.is === is;
    return await this.#program.ready(async () => this.sights.find(isMeant), journeyMs);
  }

  /** Runs a command of Sotto as the same person. */
  async sotto(...args: string[]): Promise<string> {
    const { home } = await this.sees('desktop');
    const command = person.inside(process.execPath, [inRoot('build', 'sotto.mjs'), ...args]);
    const ended = await this.#machine.run(...command, { env: { SOTTO_HOME: home } });
    if (ended.code !== 0 && ended.stdout === '')
      throw new Error(`sotto ${args.join(' ')} ended with ${ended.code}\n${ended.stderr}`);
    return ended.stdout;
  }

  async status(): Promise<ServiceStatus> {
    return JSON.parse(await this.sotto('status', '--json')) as ServiceStatus;
  }

  async ledger(): Promise<LedgerEntry[]> {
    return lines(await this.sotto('ledger', '--json'));
  }

  /** The names that were looked up for the login. */
  async asked(): Promise<QueryEvent[]> {
    return lines(await this.sotto('log', '--json', '--outcome', 'portal', '--limit', '100'));
  }
}

function lines<T>(text: string): T[] {
  const all = text.split('\n').filter(Boolean);
  return all.map((line) => JSON.parse(line) as T);
}
