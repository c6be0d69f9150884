/**
 * The live query log during thousands of queries a second: how long frames take, compared with an empty page in the same browser,
 * and its heap.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { SottoService } from '../../e2e/rig/sotto-service.ts';
import { QueryLogPage } from '../../e2e/ui/pages/query-log-page.ts';
import { startPage } from '../../e2e/ui/stage.ts';
import { dnsperf, type Load } from '../dnsperf.ts';

export interface Frames {
  frames: number;
  /** milliseconds between two frames */
  median: number;
  p99: number;
  longest: number;
  /** frames that took longer than `tooLong` */
  long: number;
  /** the browser's own count of tasks of more than 50 ms */
  longTasks: number;
  load: Load;
}

export interface LiveFrames extends Frames {
  /** octets of JavaScript's heap after a collection */
  heapEarly: number;
  heapLate: number;
  /** rows that the page had counted at the end */
  shown: string;
}

export const rate = 2_000;
export const seconds = 30;
export const tooLong = 50;
const earlySeconds = 5;

const watch = `(() => {
  const deltas = [];
  let last = null;
  let tasks = 0;
  new PerformanceObserver((list) => { tasks += list.getEntries().length; }).observe({ type: 'longtask' });
  const frame = (now) => {
    if (last !== null) deltas.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.watched = () => ({ deltas, tasks });
})()`;

export async function watchLive(
  lab: Lab,
  browser: Browser,
  service: SottoService,
  queries: string,
): Promise<LiveFrames> {
  const context = await newContext(browser);
  const queryLog = new QueryLogPage(await context.newPage());
  await queryLog.page.goto(await startPage(lab, service));
  await queryLog.navigation.getByRole('link', { name: 'Queries', exact: true }).waitFor();
  await queryLog.goTo('Queries');
  await queryLog.rows.first().waitFor();
  const load = ask(service, queries);
  await queryLog.page.waitForTimeout(earlySeconds * 1000);
  const heapEarly = await heap(queryLog.page);
  await queryLog.page.evaluate(watch);
  await queryLog.page.waitForTimeout((seconds - earlySeconds) * 1000);
  const watched = await frames(queryLog.page, load);
  const heapLate = await heap(queryLog.page);
  const shown = (await queryLog.content.innerText()).match(/^[\d,]+(?= of| queries|$)/m)?.[0] ?? '';
  await context.close();
  return { ...watched, heapEarly, heapLate, shown };
}

/** The same browser, service and load with an empty page, without a subscription to the query log. */
export async function watchEmpty(
  browser: Browser,
  service: SottoService,
  queries: string,
): Promise<Frames> {
  const context = await newContext(browser);
  const page = await context.newPage();
  const load = ask(service, queries);
  await page.waitForTimeout(earlySeconds * 1000);
  await page.evaluate(watch);
  await page.waitForTimeout((seconds - earlySeconds) * 1000);
  const watched = await frames(page, load);
  await context.close();
  return watched;
}

function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1024, height: 768 }, locale: 'en-GB' });
}

function ask(service: SottoService, queries: string): Promise<Load> {
  return dnsperf({ port: service.port, queries, seconds, once: false, rate });
}

/** Garbage has been collected when this is read. */
async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

async function frames(page: Page, load: Promise<Load>): Promise<Frames> {
  const { deltas, tasks } = await page.evaluate<{ deltas: number[]; tasks: number }>('watched()');
  const sorted = deltas.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    frames: sorted.length,
    median: at(0.5),
    p99: at(0.99),
    longest: at(1),
    long: sorted.filter((delta) => delta > tooLong).length,
    longTasks: tasks,
    load: await load,
  };
}
