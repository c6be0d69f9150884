/** The scripts that start the installed programs. They find their own folder, so that the tree can be anywhere. */
import { commandFlags, nodeFlags, staying } from '../places.mjs';

/** without dirname(1), whose start would be a part of every command's */
const here = `here=$(readlink -f "$0")
here=\${here%/*}`;

/** Becomes Node under the same process id, because the caller may wait for a notification of this process. */
export const sottoScript = `#!/bin/sh
# The sotto command.
${here}
case "$1" in
${staying.join(' | ')}) exec "$here/node" ${nodeFlags.join(' ')} "$here/../program/cli.mjs" "$@" ;;
*) exec "$here/node" ${commandFlags.join(' ')} "$here/../program/cli.mjs" "$@" ;;
esac
`;

/**
 * Chromium needs a sandbox: its own helper with root's rights, or namespaces, which some systems forbid to ordinary programs.
 * Without either the window would end at once and say nothing.
 */
const window = `tray="$here/../electron/sotto-tray"
has_window() {
  [ -x "$tray" ] || return 1
  [ -u "$here/../electron/chrome-sandbox" ] && return 0
  unshare --user --map-root-user true 2>/dev/null && return 0
  why="This system forbids the sandbox that Sotto’s window needs, so its page opens in the browser."
  echo "sotto: $why To have the window: install Sotto’s package, or allow user namespaces to this program." >&2
  notify-send --app-name=Sotto --icon=sotto Sotto "$why" >/dev/null 2>&1 || true
  return 1
}`;

/** The script that the menu entry starts. */
export const windowScript = `#!/bin/sh
# The tray and its window; without Electron, the page in a browser.
${here}
${window}
if has_window; then
  exec "$tray" "$@"
fi
# at login nobody asked for a browser
[ "$1" = --hidden ] || exec "$here/sotto" ui
`;

/**
 * The AppImage's script: with arguments it is the sotto command, without them it runs all of Sotto for one person. Root can let
 * it change the system's DNS for that person, or give it back.
 */
export const appRun = `#!/bin/sh
${here}/usr/lib/sotto/bin
${window}
case "$1" in
"" | --hidden | sotto:*) ;;
--helper)
  shift
  exec "$here/sotto-helper" "$@"
  ;;
*) exec "$here/sotto" "$@" ;;
esac
if has_window; then
  export SOTTO_NODE="$here/node" SOTTO_PROGRAM="$here/../program/cli.mjs"
  exec "$tray" "$@"
fi
[ "$1" = --hidden ] || "$here/sotto" ui --with-service &
export SOTTO_GREETING=AppImage
exec "$here/sotto" run --guarded
`;
