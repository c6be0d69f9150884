/** A page on a screen of 3840 pixels: nothing is clipped, and no line is too long to read. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { expectFitting, expectText } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { uiStage } from './stage.ts';

const screen = { width: 3840, height: 2160 };
/** The longest line that is easy to read. A character is about half as wide as the font is high. */
const longestLine = 120;

describeWith(['sotto', 'sotto-server', 'dig'], 'a screen of 3840 pixels', () => {
  const stage = uiStage();

  it('shows Home and Queries completely, in readable lines', async () => {
    const service = await stage.startService();
    await dig(service.v4, 'img3.herald.example');
    const page = await stage.open(service, screen);
    const status = new HomePage(page);
    await status.openDetails();
    await expectText(status.content, /median/);
    await expectWhole(page);

    const queryLog = new QueryLogPage(page);
    await queryLog.goTo('Queries');
    await queryLog.row('img3.herald.example').click();
    await expectText(queryLog.detail, 'img3.herald.example');
    await expectWhole(page);
    const cells = queryLog.row('img3.herald.example').getByRole('gridcell');
    const name = await cells.filter({ hasText: 'img3' }).boundingBox();
    const latency = await cells.filter({ hasText: /\d ms$/ }).boundingBox();
    expect((latency?.x ?? 4000) - (name?.x ?? 0), 'pixels from a name to its figure').toBeLessThan(
      1600,
    );
    await service.stop();
  });
});

async function expectWhole(page: Page): Promise<void> {
  await expectFitting(page);
  expect(await page.evaluate(clipped), 'texts that are cut off').toEqual([]);
  expect(await page.evaluate(tooLong), 'lines too long to read').toEqual([]);
}

const clipped = `[...document.querySelectorAll('h1, h2, h3, p, dt, dd, button, a, [role="gridcell"]')]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)`;

const tooLong = `[...document.querySelectorAll('p, li, dd')]
  .flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE))
  .filter((words) => {
    const range = document.createRange();
    range.selectNodeContents(words);
    const letters = parseFloat(getComputedStyle(words.parentElement).fontSize) / 2;
    return [...range.getClientRects()].some((line) => line.width > ${longestLine} * letters);
  })
  .map((words) => words.textContent)`;
