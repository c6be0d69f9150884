/** Makes receiving from netlink fail for the network watch of a program that is started with this. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';

const source = join(import.meta.dirname, 'deaf-netlink.c');

export class DeafNetlink {
  /** Belongs into the environment in which the program is started. */
  readonly env: Record<string, string>;
  readonly #file: string;

  static async create(lab: Lab): Promise<DeafNetlink> {
    const library = join(lab.directory, 'deaf-netlink.so');
    await succeed('cc', ['-shared', '-fPIC', '-O1', '-o', library, source]);
    return new DeafNetlink(library, join(lab.directory, 'deaf-netlink'));
  }

  private constructor(library: string, file: string) {
    this.#file = file;
    this.env = { LD_PRELOAD: library, DEAF_NETLINK: file };
    this.heal();
  }

  /** Lets receiving fail from now on; `errno` is the error's number. */
  fail(errno: number): void {
    writeFileSync(this.#file, `${errno}\n`);
  }

  heal(): void {
    writeFileSync(this.#file, '0\n');
  }
}
