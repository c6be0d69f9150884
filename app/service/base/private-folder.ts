/** Folders of ours are for their owner only. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Step by step: Node's own recursive way never returns where a parent takes no folders, as in /proc. */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
