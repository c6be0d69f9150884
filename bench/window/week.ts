/** How soon Home has drawn the queries of a week that the service has counted: from the press of "7 d" until the chart is painted. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { clearClasses, outcomes } from '../../app/contract/engine-words.ts';
import { record } from '../../app/service/query-log/event-record-fixture.ts';
import { QuerySeries } from '../../app/service/query-log/series/query-series.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { SottoService } from '../../e2e/rig/sotto-service.ts';
import { startPage } from '../../e2e/ui/stage.ts';

const minuteMs = 60_000;
const week = 7 * 24 * 60;
const upstreams = ['quad9', 'cloudflare', 'mullvad'];
const presses = 9;

/** Milliseconds of each press. The week is written while the service is stopped. */
export async function drawWeek(
  lab: Lab,
  browser: Browser,
  service: SottoService,
): Promise<number[]> {
  await service.stop();
  writeWeek(seriesFile(service.home));
  await service.restart();
  const context = await browser.newContext({ viewport: { width: 1080, height: 760 } });
  const page = await context.newPage();
  await page.goto(await startPage(lab, service));
  await page.getByRole('button', { name: '7 d' }).waitFor();
  const times: number[] = [];
  for (let press = 0; press < presses; press += 1) {
    times.push(await page.evaluate<number>(pressAndWatch('7 d')));
    await page.evaluate<number>(pressAndWatch('1 h'));
  }
  await context.close();
  return times;
}

/** The ranges differ in their number of columns. Two frames after these are there, they are on the screen. */
function pressAndWatch(name: string): string {
  return `new Promise((done) => {
    const columns = () => document.querySelector('[role=slider]')?.children.length ?? 0;
    const before = columns();
    const began = performance.now();
    [...document.querySelectorAll('button')].find((one) => one.textContent === '${name}').click();
    const look = () => {
      if (columns() === 0 || columns() === before) return requestAnimationFrame(look);
      requestAnimationFrame(() => done(performance.now() - began));
    };
    requestAnimationFrame(look);
  })`;
}

function seriesFile(home: string): string {
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const file = found.find((name) => name.endsWith('series.sqlite'));
  if (file === undefined) throw new Error('the service keeps no figures');
  return join(home, file);
}

/** Twelve queries in each minute, of every class and for three upstreams. */
function writeWeek(file: string): void {
  const end = Math.floor(Date.now() / minuteMs);
  let minute = end - week;
  const series = new QuerySeries(file, () => minute * minuteMs);
  for (; minute < end; minute += 1) {
    for (let at = 0; at < 12; at += 1) series.add(query(minute, at));
    series.keep();
  }
  series.close();
}

function query(minute: number, at: number) {
  const outcome = at % 5 === 4 ? 'failed' : at % 2 === 0 ? 'cached' : 'forwarded';
  return record({
    at: (minute * minuteMs + at * 4000) * 1000,
    outcome: outcomes.indexOf(outcome),
    clear: clearClasses.indexOf('none'),
    upstream: upstreams[at % upstreams.length] ?? '',
    total: 8000 + ((minute * 37 + at * 911) % 40_000),
  });
}
