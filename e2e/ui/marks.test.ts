/** The marks of the verdicts as Home draws them: in grey and at a quarter of their size, no two look alike. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ShownVerdict } from '../../app/contract/protection/verdict.ts';
import { verdictMarks } from '../../app/contract/protection/verdict-marks.ts';
import { describeWith } from '../rig/available.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectText } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';
import { statusOf, verdictsShown } from './verdicts-shown.ts';

/** Of 255, over all pixels: a mark against itself, moved by half a pixel, differs by less. */
const leastDifference = 8;

describeWith(['sotto', 'sotto-server'], 'the marks of the verdicts', () => {
  const stage = uiStage();

  it('differ in grey at a quarter of their size', async () => {
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    const service = await ToldService.start(stage.lab, home, {});
    const page = await stage.open(service);
    const status = new HomePage(page);
    const sheet = await (await stage.newContext()).newPage();
    const seen = new Map<ShownVerdict, readonly number[]>();
    for (const [headline, , changes] of verdictsShown) {
      const told = statusOf(changes);
      service.tell(told);
      await expectText(status.state, headline);
      await page.locator(`main [data-mark="${told.verdict.is}"]`).waitFor();
      seen.set(told.verdict.is, await greyAtQuarter(page, sheet));
    }
    const gone = await stage.startService();
    const last = await stage.open(gone);
    await gone.stop();
    await last.reload();
    await last.locator('main [data-mark="not-responding"]').waitFor();
    seen.set('not-responding', await greyAtQuarter(last, sheet));

    expect([...seen.keys()].sort()).toEqual(Object.keys(verdictMarks).sort());
    const alike = [...seen].flatMap(([one, grey], index) =>
      [...seen].slice(index + 1).flatMap(([other, also]) => {
        const difference = differ(grey, also);
        return difference < leastDifference ? [`${one} and ${other}: ${difference}`] : [];
      }),
    );
    expect(alike, 'marks that look alike').toEqual([]);
  });
});

/** How dark each pixel of the mark is, 0 to 255, whatever the colours of mark and ground are. */
async function greyAtQuarter(page: Page, sheet: Page): Promise<number[]> {
  const mark = page.locator('main [data-mark]').first();
  const box = await mark.boundingBox();
  expect(box?.width).toBe(72);
  const picture = (await mark.screenshot()).toString('base64');
  return await sheet.evaluate<number[]>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const canvas = new OffscreenCanvas(18, 18);
    const context = canvas.getContext('2d');
    context.filter = 'grayscale(1)';
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, 18, 18);
    const { data } = context.getImageData(0, 0, 18, 18);
    const grey = Array.from({ length: 324 }, (_, place) => data[4 * place]);
    const ground = grey[0];
    const most = Math.max(...grey.map((one) => Math.abs(one - ground)));
    return grey.map((one) => Math.round((255 * Math.abs(one - ground)) / most));
  })()`);
}

function differ(one: readonly number[], other: readonly number[]): number {
  const sum = one.reduce((all, grey, place) => all + Math.abs(grey - (other[place] ?? 0)), 0);
  return Math.round(sum / one.length);
}
