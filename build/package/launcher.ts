/** The scripts that start the installed programs. They find their own folder, so that the tree can be anywhere. */
import { nodeFlags } from '../places.mjs';

const here = `here=$(dirname "$(readlink -f "$0")")`;

/** Becomes Node under the same process id, because the caller may wait for a notification of this process. */
export const sottoScript = `#!/bin/sh
# The sotto command.
${here}
exec "$here/node" ${nodeFlags.join(' ')} "$here/../program/cli.mjs" "$@"
`;

/** The script that the menu entry starts. */
export const windowScript = `#!/bin/sh
# The tray and its window; without Electron, the page in a browser.
${here}
if [ -x "$here/../electron/sotto-tray" ]; then
  exec "$here/../electron/sotto-tray" "$@"
fi
exec "$here/sotto" ui
`;

/**
 * The AppImage's script: with arguments it is the sotto command, without them it runs all of Sotto for one person. Root can let
 * it change the system's DNS for that person, or give it back.
 */
export const appRun = `#!/bin/sh
${here}/usr/lib/sotto/bin
case "$1" in
"" | --hidden) ;;
--helper)
  shift
  exec "$here/sotto-helper" "$@"
  ;;
*) exec "$here/sotto" "$@" ;;
esac
if [ -x "$here/../electron/sotto-tray" ]; then
  export SOTTO_NODE="$here/node" SOTTO_PROGRAM="$here/../program/cli.mjs"
  exec "$here/../electron/sotto-tray" "$@"
fi
"$here/sotto" ui --with-service &
export SOTTO_GREETING=AppImage
exec "$here/sotto" run --guarded
`;
