/** Makes receiving and accepting fail in programs that are started with this. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';
import { run } from '../rig/process.ts';

const source = join(import.meta.dirname, 'failing-sockets.c');

export class FailingSockets {
  readonly #library: string;
  readonly #file: string;

  /** The reason why this machine can't do so, if there is one. */
  static async create(lab: Lab): Promise<FailingSockets | string> {
    if (process.platform !== 'linux') return 'failing sockets are written for Linux';
    const library = join(lab.directory, 'failing-sockets.so');
    try {
      const { code, stderr } = await run('cc', ['-shared', '-fPIC', '-O1', '-o', library, source]);
      return code === 0
        ? new FailingSockets(library, join(lab.directory, 'failing-sockets'))
        : `cc does not build it: ${stderr}`;
    } catch (error) {
      return `no C compiler: apt-get install gcc libc6-dev (${(error as Error).message})`;
    }
  }

  private constructor(library: string, file: string) {
    this.#library = library;
    this.#file = file;
    this.heal();
  }

  /** Lets them fail from now on; `errno` is the error's number. */
  fail(call: 'recvmmsg' | 'accept4', errno: number): void {
    writeFileSync(this.#file, `${call} ${errno}\n`);
  }

  heal(): void {
    writeFileSync(this.#file, '');
  }

  /** Programs that `start` starts get the errors. */
  async under<T>(start: () => Promise<T>): Promise<T> {
    const { env } = process;
    env['LD_PRELOAD'] = this.#library;
    env['FAILING_SOCKETS'] = this.#file;
    try {
      return await start();
    } finally {
      delete env['LD_PRELOAD'];
      delete env['FAILING_SOCKETS'];
    }
  }
}
