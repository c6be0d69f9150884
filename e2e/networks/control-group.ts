/** Control groups that this test process makes in the kernel's unified hierarchy, named as systemd names those of programs. */
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';

const roots = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];

export class ControlGroup {
  readonly #folder: string;

  /** `name`: as of a scope, such as `app-gnome-firefox-4711.scope`. */
  static create(lab: Lab, name: string): ControlGroup {
    const root = roots.find((folder) => existsSync(join(folder, 'cgroup.controllers')));
    if (root === undefined) throw new Error('the unified hierarchy is not mounted here');
    const folder = join(root, name);
    mkdirSync(folder, { recursive: true });
    return lab.adopt(new ControlGroup(folder));
  }

  private constructor(folder: string) {
    this.#folder = folder;
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
        return false;
      }
    });
  }
}
