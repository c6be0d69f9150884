/**
 * Faults that are loaded into a service before it starts, and of which it dies when it is told to. The program itself contains
 * none of them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../../rig/lab.ts';
import { succeed } from '../../rig/process.ts';

const within = join(import.meta.dirname, 'faults-within.mjs');
const panics = join(import.meta.dirname, 'engine-panics.c');

export class LoadedFaults {
  /** Belongs into the environment in which the service is started. */
  readonly env: Record<string, string>;
  readonly #wordFile: string;
  readonly #panicFile: string;

  static async build(lab: Lab): Promise<LoadedFaults> {
    const library = join(lab.directory, 'engine-panics.so');
    await succeed('cc', ['-O1', '-shared', '-fPIC', '-o', library, panics, '-ldl']);
    return new LoadedFaults(lab.directory, library);
  }

  private constructor(folder: string, library: string) {
    this.#wordFile = join(folder, 'fault-within');
    this.#panicFile = join(folder, 'engine-panics');
    this.env = {
      NODE_OPTIONS: `--import=${within}`,
      LD_PRELOAD: library,
      SOTTO_TRIAL_FAULT: this.#wordFile,
      SOTTO_TRIAL_PANIC: this.#panicFile,
    };
  }

  /** Sets what faults-within.mjs does when the service next gets SIGUSR2. */
  prepare(how: string): void {
    writeFileSync(this.#wordFile, how);
  }

  /** Makes the engine's thread panic as soon as anything wakes it. */
  panic(): void {
    writeFileSync(this.#panicFile, '');
  }
}
