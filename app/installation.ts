/** The program's own files: beside its package.json, whether it runs from its sources, bundled, or installed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = findRoot(dirname(fileURLToPath(import.meta.url)));

/** In a repository, what is made lies apart from what it is made of; an installation holds nothing else. */
const isRepository = existsSync(join(root, 'native'));

/** @param path relative to the installation, as `assets/data/resolvers.json` */
export function installed(path: string): string {
  return join(root, path);
}

/** @param path of something made, as `renderer` */
export function built(path: string): string {
  return join(root, isRepository ? 'target' : '.', path);
}

export function builtProgram(name: string): string {
  return join(root, isRepository ? 'target/release' : 'bin', name);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('this program is not where it was installed');
  return findRoot(parent);
}
