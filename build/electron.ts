/** The Electron that shows the tray: downloaded once, when there is a screen to show it on. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inRoot } from './places.mjs';

const folder = inRoot('node_modules', 'electron');
const program = inRoot(
  ...['node_modules', 'electron', 'dist'],
  process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron',
);
const patienceMs = 120_000;

/** null: there is no screen, or Electron could not be downloaded; then the page opens in a browser. */
export function electronForScreen(
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  if (!hasScreen(environment)) return null;
  if (!existsSync(program)) {
    console.log('▸ Electron for the tray (once)');
    spawnSync(process.execPath, [`${folder}/install.js`], {
      stdio: 'ignore',
      timeout: patienceMs,
    });
  }
  if (existsSync(program)) return program;
  console.log('  it could not be downloaded: the page opens in a browser instead');
  return null;
}

function hasScreen(environment: Readonly<Record<string, string | undefined>>): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
}
