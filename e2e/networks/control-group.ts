/** Control groups that this test process makes in the kernel's unified hierarchy, named as systemd names those of programs. */
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';

const roots = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];

export class ControlGroup {
  readonly #folder: string;
  /** the outermost folder that had to be made */
  readonly #made: string;

  /** `name`: as of a scope, such as `app-gnome-firefox-4711.scope`, below slices or not. */
  static create(lab: Lab, name: string): ControlGroup {
    const root = roots.find((folder) => existsSync(join(folder, 'cgroup.controllers')));
    if (root === undefined) throw new Error('the unified hierarchy is not mounted here');
    const folder = join(root, name);
    return lab.adopt(new ControlGroup(folder, mkdirSync(folder, { recursive: true }) ?? folder));
  }

  private constructor(folder: string, made: string) {
    this.#folder = folder;
    this.#made = made;
  }

  /** The command line that starts a program in this group. */
  inside(command: string, args: string[]): [string, string[]] {
    const enter = 'echo $$ > "$0"; exec "$@"';
    return ['/bin/sh', ['-ec', enter, join(this.#folder, 'cgroup.procs'), command, ...args]];
  }

  /** The kernel keeps a group until its last process is gone. */
  async stop(): Promise<void> {
    await eventually('the control group is empty', () => {
      try {
        rmdirSync(this.#folder);
        return true;
      } catch {
        return !existsSync(this.#folder);
      }
    });
    for (let folder = this.#folder; folder !== this.#made; ) {
      folder = dirname(folder);
      // another group may be below it
      try {
        rmdirSync(folder);
      } catch {
        return;
      }
    }
  }
}
