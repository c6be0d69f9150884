/** A wall clock that a test can set, for programs started under it. */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';
import { run } from '../rig/process.ts';

const source = join(import.meta.dirname, 'jumping-clock.c');

export class JumpingClock {
  readonly #library: string;
  readonly #offsetFile: string;
  readonly #file: number;

  /** The reason why this machine can't do so, if there is one. */
  static async create(lab: Lab): Promise<JumpingClock | string> {
    if (process.platform !== 'linux') return 'setting one program’s clock is written for Linux';
    const library = join(lab.directory, 'jumping-clock.so');
    try {
      const { code, stderr } = await run('cc', ['-shared', '-fPIC', '-O1', '-o', library, source]);
      return code === 0 ? new JumpingClock(lab, library) : `cc does not build it: ${stderr}`;
    } catch (error) {
      return `no C compiler: apt-get install gcc libc6-dev (${(error as Error).message})`;
    }
  }

  private constructor(lab: Lab, library: string) {
    this.#library = library;
    this.#offsetFile = join(lab.directory, 'clock-offset');
    this.#file = openSync(this.#offsetFile, 'w');
    this.set(0);
  }

  /**
   * Sets how many seconds the clock differs from the machine's from now on. `passed`: so many of them have passed since the
   * machine's start, as those of a sleep; none where somebody sets the clock.
   */
  set(seconds: number, passed = 0): void {
    const offsets = Buffer.alloc(16);
    offsets.writeBigInt64LE(BigInt(seconds));
    offsets.writeBigInt64LE(BigInt(passed), 8);
    writeSync(this.#file, offsets, 0, offsets.length, 0);
  }

  /** Programs that `start` starts use this clock. */
  async under<T>(start: () => Promise<T>): Promise<T> {
    const { env } = process;
    env['LD_PRELOAD'] = this.#library;
    env['JUMPING_CLOCK'] = this.#offsetFile;
    try {
      return await start();
    } finally {
      delete env['LD_PRELOAD'];
      delete env['JUMPING_CLOCK'];
    }
  }
}
