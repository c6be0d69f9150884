/** Measures the time from the click to a usable page, in a browser and in the tray's own window. */
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../e2e/rig/eventually.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { SottoService } from '../../e2e/rig/sotto-service.ts';
import { TrayStage } from '../../e2e/tray/tray-stage.ts';
import { startPage } from '../../e2e/ui/stage.ts';

export interface Opening {
  /** milliseconds since the page's navigation began */
  firstPaint: number;
  /** milliseconds from the click until protection is shown and can be switched */
  usable: number;
}

/** Each time with a profile that has never loaded the page. */
export async function openInBrowser(
  lab: Lab,
  browser: Browser,
  service: SottoService,
  runs: number,
): Promise<Opening[]> {
  const openings: Opening[] = [];
  for (let run = 0; run < runs; run += 1) {
    const address = await startPage(lab, service);
    const context = await browser.newContext({ viewport: { width: 1024, height: 768 } });
    const page = await context.newPage();
    const clicked = performance.now();
    await page.goto(address);
    await canBeUsed(page);
    const usable = performance.now() - clicked;
    openings.push({ firstPaint: await firstPaint(page), usable });
    await context.close();
  }
  return openings;
}

/** The tray runs already; its menu is clicked over the bus, as a panel does. */
export async function openFromTray(lab: Lab, runs: number): Promise<Opening[]> {
  // with a provider of its own, or the first run would be offered
  const upstreams = [
    { id: 'bench', transport: 'dot', address: '127.0.0.1:9', name: 'bench.example' },
  ] as const;
  const stage = await TrayStage.open(lab, { upstreams });
  let page = await stage.window();
  await canBeUsed(page);
  const openings: Opening[] = [];
  for (let run = 0; run < runs; run += 1) {
    await page.close();
    const opened = stage.application.waitForEvent('window');
    const clicked = await clickOpen(stage);
    page = await opened;
    await canBeUsed(page);
    openings.push({ usable: performance.now() - clicked, firstPaint: await firstPaint(page) });
  }
  return openings;
}

/** Returns when it was clicked. A menu that was drawn anew meanwhile has to be read again. */
async function clickOpen({ host }: TrayStage): Promise<number> {
  return await eventually('a click', async () => {
    const clicked = performance.now();
    await host.click('Open Sotto');
    return clicked;
  });
}

async function canBeUsed(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('switch', { name: 'Protection' }).waitFor();
}

/** Paint Timing (W3C): the browser's own measurement. */
async function firstPaint(page: Page): Promise<number> {
  return await page.evaluate<number>(
    `new Promise((told) => new PerformanceObserver((list) => {
      const paint = list.getEntriesByName('first-contentful-paint')[0];
      if (paint !== undefined) told(paint.startTime);
    }).observe({ type: 'paint', buffered: true }))`,
  );
}
