/** What has to exist before a command can run: packages, then the native build. */

import { buildNative } from './native.mjs';
import { installPackages } from './packages.mjs';
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
  return (await installPackages()) && (!command.native || (await buildNative()));
}
