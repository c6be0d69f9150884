/** Node 24 from the `node` package, whatever Node the machine has. */
import { existsSync } from 'node:fs';
import { passThrough } from './child.mjs';
import { inRoot, nodeFlags } from './places.mjs';

const candidates = [
  inRoot('node_modules', 'node', 'bin', 'node'),
  inRoot('node_modules', 'node', 'bin', 'node.exe'),
];

/** On Windows `bin/node` is a text file that stands beside `bin/node.exe`. */
export function packagedNode() {
  const inOrder = process.platform === 'win32' ? candidates.toReversed() : candidates;
  return inOrder.find((path) => existsSync(path));
}

/**
 * Runs a script of ours and ends this process as the script ended.
 * @param {string[]} args
 */
export async function runNode24(args, flags = nodeFlags) {
  const node = packagedNode();
  if (!node) throw new Error('node_modules/node holds no binary');
  await passThrough(node, [...flags, ...args], { cwd: inRoot() });
}
