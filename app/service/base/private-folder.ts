/** Folders of ours are for their owner only. */
import { mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withoutLinks } from './open-to-write.ts';

/**
 * Step by step: Node's own recursive way never returns where a parent takes no folders, as in /proc. None is made behind a link of
 * another user, who could lead root to a folder of root's.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(join(withoutLinks(parent), basename(path)), { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
