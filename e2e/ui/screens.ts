/**
 * Pictures of states that the day has not (scenes.ts), in both languages and themes, from a small window to a large screen.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { dig } from '../rig/dig.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { ToldService } from '../rig/told-service.ts';
import { looks, picture } from './looks.ts';
import { type Scene, scenes } from './scenes.ts';
import { uiStage } from './stage.ts';

const size = { widths: [320, 1024, 1440], height: 800 };
const large = { widths: [3840], height: 2160 };

/** The queries of a morning: some from cache, some for names that do not exist. */
const asked = ['www', 'static', 'img1', 'img2', 'img3', 'img4', 'fonts', 'api', 'live', 'comments'];

describe('the pages', () => {
  const stage = uiStage();

  it.each(scenes)('$name', async (scene) => {
    const { settings, before, after } = scene;
    if (scene.told !== undefined) return await show(scene, await tell(scene.told));
    const service = await stage.startService((await settings?.()) ?? {});
    if (settings === undefined) await askSome(service);
    await before?.(service);
    await show(scene, service, () => after?.(service));
    await service.stop();
  });

  async function tell({ status, handlers = {} }: NonNullable<Scene['told']>) {
    const home = await mkdtemp(join(stage.lab.directory, 'told-'));
    return await ToldService.start(stage.lab, home, handlers, status);
  }

  /** `between`: prepares the next picture. */
  async function show(
    { name, route, ready }: Scene,
    service: SottoService | ToldService,
    between?: () => Promise<void> | undefined,
  ): Promise<void> {
    for (const { name: look, ...rest } of looks) {
      const page = await stage.open(service, { ...rest, width: 1024, height: size.height });
      await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
      await ready(page, service as SottoService);
      await picture(page, `${name}-${look}`, size);
      await picture(page, `${name}-${look}`, large);
      await page.close();
      await between?.();
    }
  }
});

async function askSome(service: SottoService): Promise<void> {
  for (const host of [...asked, ...asked.slice(0, 4), 'nowhere', ...asked.slice(4, 7)])
    await dig(service.v4, `${host}.herald.example`);
}
