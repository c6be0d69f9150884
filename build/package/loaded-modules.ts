/** The files of node_modules that the program needs at run time, found by letting Node load them. */
import { dirname, join, relative } from 'node:path';
import { root } from '../places.mjs';
import { output } from './place.ts';

/** Paths relative to the repository, with each package's package.json and licence. */
export function loadedModules(node: string, names: readonly string[]): string[] {
  const script = `
    for (const name of ${JSON.stringify(names)}) require(name);
    new (require('better-sqlite3'))(':memory:').close();
    console.log(JSON.stringify(Object.keys(require.cache)));`;
  const files = (JSON.parse(output(node, ['-e', script], root)) as string[]).map((file) =>
    relative(root, file),
  );
  const packages = new Set(files.map(packageOf));
  return [...files, ...[...packages].map((folder) => join(folder, 'package.json'))].sort();
}

/** `node_modules/tldts` for `node_modules/tldts/dist/cjs/index.js`, also for a package within a package or a scope. */
function packageOf(file: string): string {
  const folder = dirname(file);
  const parent = dirname(folder);
  const isPackage = /(^|\/)node_modules(\/@[^/]+)?$/.test(parent) && !/\/@[^/]+$/.test(folder);
  return isPackage ? folder : packageOf(folder);
}
