/**
 * Renders every page and state in light and dark, both languages and three widths into docs/screens/ (`npm run screens`), or
 * those alone that SCREENS names. Git keeps three of each (docs/screens/.gitignore).
 */
import { describe, it } from 'vitest';
import { dig } from '../system/dig.ts';
import type { SottoService } from '../system/sotto-service.ts';
import { looks, picture, wanted } from './looks.ts';
import { scenes } from './scenes.ts';
import { uiStage } from './stage.ts';

const size = { widths: [320, 1024, 1920], height: 800 };

/** A morning's questions: some from cache, some for names that are not there. */
const asked = ['www', 'static', 'img1', 'img2', 'img3', 'img4', 'fonts', 'api', 'live', 'comments'];

describe('the pages', () => {
  const stage = uiStage();

  it.each(wanted(scenes))('$name', async ({ name, route, settings, before, ready, after }) => {
    const service = await stage.startService((await settings?.()) ?? {});
    if (settings === undefined) await askSome(service);
    await before?.(service);
    for (const { name: look, ...rest } of looks) {
      const page = await stage.open(service, { ...rest, width: 1024, height: size.height });
      await page.waitForURL(/^http/);
      await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
      await ready(page, service);
      await picture(page, `${name}-${look}`, size);
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
