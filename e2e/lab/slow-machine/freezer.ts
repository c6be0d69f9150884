/**
 * A control group whose processes can be stopped all at once, wherever they moved since and whoever their parent is now, and go on
 * as if nothing had been: unlike SIGSTOP, nobody is told. In the hierarchy "freezer" (cgroups version 1), or the unified one.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const first = '/sys/fs/cgroup/freezer';
const unified = '/sys/fs/cgroup';

export function whyNoFreezer(): string | null {
  if (process.getuid?.() !== 0) return 'control groups need root';
  return rootOf() === null ? 'no control groups are mounted below /sys/fs/cgroup' : null;
}

function rootOf(): string | null {
  if (existsSync(join(first, 'tasks'))) return first;
  return existsSync(join(unified, 'cgroup.controllers')) ? unified : null;
}

export class Freezer {
  readonly #folder: string;
  readonly #state: [file: string, frozen: string, thawed: string];

  constructor(name: string) {
    const root = rootOf() ?? unified;
    this.#folder = join(root, name);
    mkdirSync(this.#folder, { recursive: true });
    this.#state =
      root === first ? ['freezer.state', 'FROZEN', 'THAWED'] : ['cgroup.freeze', '1', '0'];
  }

  /** The command line that runs a program in it. */
  inside(command: string, args: string[]): [string, string[]] {
    const enter = 'echo $$ > "$0"; exec "$@"';
    return ['/bin/sh', ['-ec', enter, join(this.#folder, 'cgroup.procs'), command, ...args]];
  }

  freeze(): void {
    this.#write(this.#state[1]);
  }

  thaw(): void {
    this.#write(this.#state[2]);
  }

  /** Ends what a test left running, and returns the numbers of these processes. */
  async end(): Promise<number[]> {
    this.thaw();
    const left = () =>
      readFileSync(join(this.#folder, 'cgroup.procs'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(Number);
    for (let tries = 0; left().length > 0 && tries < 50; tries++) await pause(100);
    const found = left();
    for (const pid of found) kill(pid);
    while (left().length > 0) await pause(100);
    rmdirSync(this.#folder);
    return found;
  }

  #write(state: string): void {
    writeFileSync(join(this.#folder, this.#state[0]), state);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
}
