/**
 * `npm run bench:window`: how soon the page paints and can be used, in a browser and in the tray's window, and what it does while
 * 2,000 queries a second are shown live. Writes docs/measurements/window.md.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { SottoService } from '../../e2e/rig/sotto-service.ts';
import { openBrowser } from '../../e2e/ui/browser.ts';
import { fromDebian } from '../debian.ts';
import { type MachineFacts, machineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { median } from '../statistics.ts';
import { Upstream } from '../upstream.ts';
import { idleSeconds, idleTray } from './idle.ts';
import {
  type Frames,
  type LiveFrames,
  rate,
  seconds,
  tooLong,
  watchEmpty,
  watchLive,
} from './live.ts';
import { type Opening, openFromTray, openInBrowser } from './opening.ts';
import { drawWeek } from './week.ts';

const openings = 7;
const names = 500;
const most = { firstPaint: 300, usable: 1000, week: 200, heapGrowth: 1.1, idle: 0.1 };

interface Results {
  date: string;
  machine: MachineFacts;
  browser: string;
  inBrowser: Opening[];
  /** milliseconds from the press until a week of queries is drawn */
  week: number[];
  /** null: this machine has no desktop */
  fromTray: Opening[] | null;
  live: LiveFrames;
  empty: Frames;
  /** processor seconds; null: this machine has no desktop */
  idle: number | null;
}

if (process.argv.includes('--help')) {
  console.log(`npm run bench:window
  opens the page ${openings} times in a browser and in the tray's window, then shows it ${seconds} s of live query log twice, then watches the
  tray at rest for ${idleSeconds} s: five minutes together. It can't be resumed: all of docs/measurements/window.md is of one run.`);
  process.exit();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));
const missing = [await fromDebian('dnsperf', 'dnsperf'), await fromDebian('dnsdist', 'dnsdist')];
if (missing.some((reason) => reason !== null)) {
  console.error(missing.filter((reason) => reason !== null).join('\n'));
  process.exit(1);
}

const lab = new Lab();
await lab.open();
try {
  const results = await measure();
  await keepMeasurement('window', report(results), results);
  console.log(report(results));
} finally {
  await lab.close();
}

async function measure(): Promise<Results> {
  const machine = await machineFacts();
  const upstream = lab.adopt(await Upstream.start(lab.directory));
  const { port, name, ca } = upstream.server;
  const service = await SottoService.start(lab, {
    upstreams: [{ id: 'bench', transport: 'dot', address: `127.0.0.1:${port}`, name, ca }],
  });
  const browser = lab.adopt(stoppable(await openBrowser())).browser;
  const queries = join(lab.directory, 'queries');
  await writeFile(
    queries,
    Array.from({ length: names }, (_, index) => `n${index}.live.example A\n`).join(''),
  );
  const inBrowser = await openInBrowser(lab, browser, service, openings);
  console.log(inBrowser);
  const week = await drawWeek(lab, browser, service);
  console.log(week);
  const empty = await watchEmpty(browser, service, queries);
  console.log(empty);
  const live = await watchLive(lab, browser, service, queries);
  console.log(live);
  const fromTray = await onDesktop((desktop) => openFromTray(desktop, openings));
  const idle = await onDesktop(idleTray);
  return {
    date: new Date().toISOString(),
    machine,
    browser: browser.version(),
    inBrowser,
    week,
    fromTray,
    live,
    empty,
    idle,
  };
}

/** Each with a desktop of its own; null: this machine has none. */
async function onDesktop<Measured>(
  measureThere: (desktop: Lab) => Promise<Measured>,
): Promise<Measured | null> {
  const desktop = new Lab();
  await desktop.open();
  try {
    return await measureThere(desktop);
  } catch (error) {
    console.log(`not from the tray: ${(error as Error).message}`);
    return null;
  } finally {
    await desktop.close();
  }
}

function stoppable(browser: Awaited<ReturnType<typeof openBrowser>>) {
  return { browser, stop: () => browser.close() };
}

function report(results: Results): string {
  const { date, machine, browser, inBrowser, week, fromTray, live, empty, idle } = results;
  const growth = live.heapLate / live.heapEarly;
  return `# The window

Measured ${date.slice(0, 10)} by \`npm run bench:window\`; this file is written by it. ${machine.processor}, ${machine.cores} cores, load before
${shown(machine.loadBefore, 1)}: other work on the machine is part of the figures. Chromium ${browser} without a graphics card: the
processors paint, and carry the load generator, the service and its upstream as well. Node ${machine.node}.

| from the click | median ms | slowest ms | at most |
|---|--:|--:|---|
${opening('first contentful paint, in a browser', inBrowser, 'firstPaint')}
${opening('usable, in a browser that has never seen it', inBrowser, 'usable')}
${row('the queries of a week drawn on Home, from the press', week, most.week)}
${fromTray === null ? '' : opening('first contentful paint, in the tray’s window', fromTray, 'firstPaint')}
${fromTray === null ? '' : opening('usable, in the tray’s window', fromTray, 'usable')}

Usable: the state is shown, and protection can be switched.

| Queries, live, ${shown(rate, 0)} queries a second for ${seconds} s | the page | an empty page beside it | at most |
|---|--:|--:|---|
| frames above ${tooLong} ms | ${live.long} of ${shown(live.frames, 0)} | ${empty.long} of ${shown(empty.frames, 0)} | 0 ${verdict(live.long === 0)} |
| frame, median ms | ${shown(live.median, 1)} | ${shown(empty.median, 1)} | – |
| frame, 99th percentile, ms | ${shown(live.p99, 1)} | ${shown(empty.p99, 1)} | – |
| longest frame, ms | ${shown(live.longest, 1)} | ${shown(empty.longest, 1)} | ${tooLong} ${verdict(live.longest <= tooLong)} |
| tasks above 50 ms | ${live.longTasks} | ${empty.longTasks} | – |
| responses | ${shown(live.load.answered, 0)} | ${shown(empty.load.answered, 0)} | – |
| queries lost | ${live.load.lost} | ${empty.load.lost} | – |
| heap after a collection, at 5 s and at the end, MB | ${shown(live.heapEarly / 1e6, 1)}, ${shown(live.heapLate / 1e6, 1)} | – | × ${most.heapGrowth} ${verdict(growth <= most.heapGrowth)} |
${idle === null ? '' : idleLine(idle)}`;
}

function idleLine(idle: number): string {
  return `
The tray at rest, its window closed: ${shown(idle, 2)} s of processor time in ${idleSeconds} s, at most ${most.idle} s: ${verdict(idle <= most.idle)}.
`;
}

function opening(title: string, all: readonly Opening[], figure: keyof Opening): string {
  return row(
    title,
    all.map((one) => one[figure]),
    most[figure],
  );
}

function row(title: string, values: readonly number[], limit: number): string {
  const middle = median([...values]) ?? 0;
  const cells = [title, shown(middle, 0), shown(Math.max(...values), 0)];
  return `| ${cells.join(' | ')} | ${limit} ${verdict(middle <= limit)} |`;
}

function verdict(reached: boolean): string {
  return reached ? 'reached' : '**missed**';
}
