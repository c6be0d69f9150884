/** The program's own files: beside its package.json, whether it runs from its sources or bundled. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = findRoot(dirname(fileURLToPath(import.meta.url)));

/** @param path relative to the installation, as `assets/data/resolvers.json` */
export function installed(path: string): string {
  return join(root, path);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('this program is not where it was installed');
  return findRoot(parent);
}
