/** Makes the repository readable for every user of a machine, because others can't read a checkout in root's home. */
import { root } from '../../build/places.mjs';
import type { Machine } from './machine.ts';

const shared = '/run/repository';

export async function shareRepository(machine: Machine): Promise<void> {
  await machine.shell('mkdir -p "$1"; mount --bind "$2" "$1"', shared, root);
}

/** The path of a file of the repository as the others see it. */
export function inShared(path: string): string {
  return path.replace(root, shared);
}
