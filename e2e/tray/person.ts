/** A user without special rights, for whom Chromium's sandboxes work; for root they do not. */
import { chown, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';

const nobody = 65534;

export interface Person {
  uid: number;
  /** the command line that runs a program as this person */
  inside(command: string, args: string[]): [string, string[]];
  /** a folder of this person's */
  folder(lab: Lab, name: string): Promise<string>;
}

/** The user nobody where the tests run as root, else the user who runs them. */
export const person: Person =
  process.getuid?.() === 0
    ? {
        uid: nobody,
        inside: (command, args) => ['setpriv', [...asNobody, '--', command, ...args]],
        async folder(lab, name) {
          const folder = await mkdtemp(join(lab.directory, `${name}-`));
          await chown(folder, nobody, nobody);
          return folder;
        },
      }
    : {
        uid: process.getuid?.() ?? 0,
        inside: (command, args) => [command, args],
        folder: (lab, name) => mkdtemp(join(lab.directory, `${name}-`)),
      };

const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--inh-caps=-all'];
