/** Pictures of the tray's window from Electron itself, to look at beside those from the browser. */
import { mkdirSync } from 'node:fs';
import { test } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { TrayStage } from './tray-stage.ts';

const folder = inRoot('target', 'screens');
const pages = ['home', 'queries', 'providers', 'settings'];

describeOnDesktop('the shell', () => {
  const lab = labForFile();

  test('shell', async () => {
    mkdirSync(folder, { recursive: true });
    const stage = await TrayStage.open(lab, {});
    const page = await stage.window();
    await eventually('a service', async () => (await stage.cli('status', '--json')).stdout !== '');
    await page.getByText(/can’t be reached/).waitFor({ state: 'hidden' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const route of pages) {
        await page.evaluate(`location.hash = ${JSON.stringify(`/${route}`)}`);
        await page
          .getByRole('main')
          .getByRole('heading')
          .or(page.getByRole('grid'))
          .first()
          .waitFor();
        await page.screenshot({ path: `${folder}/shell-${route}-${colorScheme}-en.png` });
      }
    }
  }, 120_000);
});
