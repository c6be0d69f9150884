/**
 * Electron with the tray in it, where Electron could be downloaded: its runtime under our name, our application as the only
 * archive that it may load, and with the fuses set.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPackage } from '@electron/asar';
import { setFuses } from '../electron-fuses.ts';
import { inRoot, rendererOutput, trayFolder } from '../places.mjs';
import { unpackElectron } from './electron-archive.ts';
import { copy } from './place.ts';

const runtime = inRoot('node_modules', 'electron', 'dist');

/** null: it is in `folder` now; else the reason why it is not. */
export async function electronPart(folder: string): Promise<string | null> {
  if (!existsSync(join(runtime, 'electron')))
    return 'Electron was not downloaded (node node_modules/electron/install.js)';
  mkdirSync(folder, { recursive: true });
  await unpackElectron(folder);
  rmSync(join(folder, 'electron.d.ts'), { force: true });
  const program = join(folder, 'sotto-tray');
  renameSync(join(folder, 'electron'), program);
  await setFuses(program);
  rmSync(join(folder, 'resources', 'default_app.asar'), { force: true });
  const application = mkdtempSync(join(tmpdir(), 'sotto-tray-'));
  try {
    copy(trayFolder, application);
    copy(rendererOutput, join(application, 'renderer'));
    await createPackage(application, join(folder, 'resources', 'app.asar'));
  } finally {
    rmSync(application, { recursive: true });
  }
  return null;
}
