/** Pictures of a real day: every page and dialog, in both languages and themes, from a small window to a large screen. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { ToldService } from '../rig/told-service.ts';
import { type DayScene, dayScenes } from './day/day-scenes.ts';
import { liveThroughDay, type SeededDay } from './day/seeded-day.ts';
import { looks, picture } from './looks.ts';
import { notLed, seenWithSystemDns } from './seen-service.ts';
import { uiStage } from './stage.ts';

const widths = [320, 1024, 1440, 3840];
const heights: Record<number, number> = { 3840: 2160, 1440: 900 };

describe('a day', () => {
  const stage = uiStage();
  let day: SeededDay;
  let inUse: ToldService;
  let notInUse: ToldService;

  beforeAll(async () => {
    day = await liveThroughDay(stage.lab, (progress) => console.log(progress));
    inUse = await seenWithSystemDns(stage.lab, day.service, { taken: true });
    notInUse = await seenWithSystemDns(stage.lab, day.service, { taken: false });
  }, 300_000);
  afterAll(() => day.service.stop());

  it.each(dayScenes)('$name', async (scene) => {
    for (const look of looks) await draw(scene, look);
  });

  async function draw(scene: DayScene, { name: look, ...rest }: (typeof looks)[number]) {
    if (scene.notInUse) notInUse.tell({ systemDns: notLed });
    const service = scene.notInUse ? notInUse : inUse;
    const page = await stage.open(service, { ...rest, width: 1024, height: 800, now: day.now() });
    await page.evaluate(`location.hash = ${JSON.stringify(`/${scene.route}`)}`);
    await scene.ready(page);
    for (const width of widths)
      await picture(page, `${scene.name}-${look}`, {
        widths: [width],
        height: heights[width] ?? 800,
      });
    await page.close();
  }
});
