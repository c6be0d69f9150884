/**
 * Renders every page and state in light and dark, both languages and three widths into docs/screens/ (`npm run screens`), or
 * those alone that SCREENS names. Git keeps three of each (docs/screens/.gitignore).
 */
import { mkdirSync } from 'node:fs';
import { describe, it } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { dig } from '../system/dig.ts';
import type { SottoService } from '../system/sotto-service.ts';
import { scenes } from './scenes.ts';
import { type Look, uiStage } from './stage.ts';

const looks: (Look & { name: string })[] = [
  { name: 'light-en', colorScheme: 'light', locale: 'en-GB' },
  { name: 'dark-en', colorScheme: 'dark', locale: 'en-GB' },
  { name: 'light-de', colorScheme: 'light', locale: 'de-DE' },
  { name: 'dark-de', colorScheme: 'dark', locale: 'de-DE' },
];
const widths = [320, 1024, 1920];
const height = 800;
const folder = inRoot('docs', 'screens');
const only = process.env['SCREENS']?.split(',');

/** A morning's questions: some from cache, some for names that are not there. */
const asked = ['www', 'static', 'img1', 'img2', 'img3', 'img4', 'fonts', 'api', 'live', 'comments'];

describe('the pages', () => {
  const stage = uiStage();
  mkdirSync(folder, { recursive: true });

  const wanted = scenes.filter(({ name }) => only?.includes(name) ?? true);
  it.each(wanted)('$name', async ({ name, route, settings, before, ready, after }) => {
    const service = await stage.startService((await settings?.()) ?? {});
    if (settings === undefined) await askSome(service);
    await before?.(service);
    for (const { name: look, ...rest } of looks) {
      const page = await stage.open(service, { ...rest, width: 1024, height });
      await page.waitForURL(/^http/);
      await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
      await ready(page, service);
      for (const width of widths) {
        await page.setViewportSize({ width, height });
        await page.screenshot({ path: `${folder}/${name}-${look}-${width}.png` });
      }
      await page.close();
      await after?.(service);
    }
    await service.stop();
  });
});

async function askSome(service: SottoService): Promise<void> {
  for (const host of [...asked, ...asked.slice(0, 4), 'nowhere', ...asked.slice(4, 7)])
    await dig(service.v4, `${host}.herald.example`);
}
