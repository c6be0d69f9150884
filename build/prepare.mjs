/** Makes what a command needs: the packages, then the native build. */

import { run } from './child.mjs';
import { buildNative } from './native.mjs';
import { packagedNode } from './packaged-node.mjs';
import { installPackages } from './packages.mjs';
import { inRoot } from './places.mjs';
import { missingTools, report } from './toolchain.mjs';

/**
 * @param {import('./commands.mjs').Command} command
 * @returns {Promise<boolean>} false after the reason was printed
 */
export async function prepare(command) {
  const missing = missingTools(command.tools);
  if (missing.length > 0) {
    console.error(report(missing));
    return false;
  }
  if (!(await installPackages())) return false;
  if (command.native === false) return true;
  return (await buildNative(command.native === 'used')) && (await makeProgram());
}

async function makeProgram() {
  for (const script of ['bundle.ts', 'renderer.ts', 'tray.ts']) {
    const { code } = await run(packagedNode() ?? 'node', [inRoot('build', script)]);
    if (code !== 0) return false;
  }
  return true;
}
