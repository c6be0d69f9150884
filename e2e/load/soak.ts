/**
 * Runs the service under a steady load for any time, and checks that its figures stay the same.
 *
 *   node build/bootstrap.mjs soak -- --minutes 60 [--rate 500] [--write]
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { eventually } from '../rig/eventually.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import { Lab } from '../rig/lab.ts';
import { askAll, load } from '../rig/sotto-lab.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { suffix } from '../rig/zones/far.ts';
import { processFigures } from './process-figures.ts';
import { openPath } from './scenario.ts';
import {
  heading,
  markdown,
  type Setting,
  sampleLine,
  summaryOf,
  verdictLine,
} from './soak-report.ts';
import { judge, type Sample, type Soak } from './soak-verdict.ts';

const usage = `soak [--minutes N] [--rate N] [--write]
  --minutes N  how long the load lasts after the cache has been filled (default 60, at least 1)
  --rate N     queries a second (default 500)
  --write      write docs/measurements/soak.md
Exit codes: 0 everything held, 1 something did not, 2 wrong usage.`;

const sampleEveryMs = 5000;
/** Queries a second while the cache is filled, and how many between two checks of it. */
const fillRate = 3000;
const fillStep = 20_000;
const mostNames = 1_000_000;
const delayMs = 20;

const setting = readSetting();
const lab = new Lab();
await lab.open();
try {
  const soak = await run(setting);
  const verdicts = judge(soak);
  console.log(verdicts.map(verdictLine).join('\n'));
  if (setting.write) await write(soak, markdown(setting, soak, verdicts));
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1;
} finally {
  await lab.close();
}

function readSetting(): Setting & { write: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '60' },
        rate: { type: 'string', default: '500' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const minutes = positive('--minutes', values.minutes);
    const rate = positive('--rate', values.rate);
    return { minutes, rate, write: values.write, names: 1_000_000, cacheEntries: 0, delayMs };
  } catch (error) {
    console.error(`soak: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number >= 1)) throw new Error(`${option} ${text}: give a number, 1 or more`);
  return number;
}

async function run(setting: Setting): Promise<Soak> {
  const { service } = await openPath(lab, {
    delay: `${delayMs}ms`,
    settings: { queryLog: { mode: 'full', keepDays: 30, maxMegabytes: 100_000 } },
  });
  const control = await connect(service);
  const status = async () => await askStatus(control);
  setting.cacheEntries = await fillCache(service, status);
  const rowsBefore = await settledRows(status);

  const seconds = setting.minutes * 60;
  console.log(`${setting.rate} queries a second for ${setting.minutes} minutes\n${heading}`);
  const queries = await load(lab, service.v4, {
    rate: setting.rate,
    seconds,
    names: setting.names,
  });
  const samples = await sampleUntil(queries.summary(), service, status);
  const summary = await queries.summary();
  await eventually('everything is in the log', async () => {
    return (await status()).log.rows - rowsBefore >= summary.sent;
  }).catch(() => {});
  const logged = (await settledRows(status)) - rowsBefore;
  control.close();
  return { samples, load: summary, logged };
}

/** Queries new names until the cache grows no more; returns how many it holds. */
async function fillCache(service: SottoService, status: () => Promise<ServiceStatus>) {
  let { entries } = (await status()).cache;
  for (let asked = 0; asked < mostNames; asked += fillStep) {
    const names = Array.from({ length: fillStep }, (_, number) => `f${asked + number}.${suffix}`);
    await askAll(lab, service.v4, names, fillRate);
    const before = entries;
    ({ entries } = (await status()).cache);
    console.log(`filling the cache: ${entries} entries after ${asked + fillStep} queries`);
    if (entries - before < fillStep / 10) break;
  }
  return entries;
}

async function sampleUntil(
  end: Promise<unknown>,
  service: SottoService,
  status: () => Promise<ServiceStatus>,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const start = Date.now();
  let running = true;
  const over = end.finally(() => {
    running = false;
  });
  for (let next = start + sampleEveryMs; ; next += sampleEveryMs) {
    await Promise.race([over, pause(Math.max(0, next - Date.now()))]);
    if (!running) return samples;
    const sample = await look(service, await status(), (Date.now() - start) / 1000);
    samples.push(sample);
    // a line every five seconds in a short run, one a minute in a long one
    if (setting.minutes <= 5 || samples.length % 12 === 1) console.log(sampleLine(sample));
  }
}

async function look(service: SottoService, status: ServiceStatus, at: number): Promise<Sample> {
  const wal = await stat(`${service.queryLogFile}-wal`).catch(() => ({ size: 0 }));
  return {
    at,
    ...processFigures(service.pid),
    cacheEntries: status.cache.entries,
    eventsDropped: status.events.dropped,
    logLost: status.log.lost,
    logRows: status.log.rows,
    writeAheadLog: wal.size / 2 ** 20,
  };
}

/** The number of rows once no more are added. */
async function settledRows(status: () => Promise<ServiceStatus>): Promise<number> {
  let before = -1;
  return await eventually('the log is at rest', async () => {
    const { rows } = (await status()).log;
    const rests = rows === before;
    before = rows;
    await pause(500);
    return rests ? rows : null;
  });
}

async function connect(service: SottoService): Promise<ConnectedService> {
  const connected = await connectToService(join(service.home, 'control.sock'), 'soak');
  if (!connected.ok) throw new Error(connected.failure.message);
  return connected.value;
}

async function askStatus(control: ConnectedService): Promise<ServiceStatus> {
  const status = await control.call('status.get', {});
  if (!status.ok) throw new Error(status.failure.message);
  return status.value;
}

async function write(soak: Soak, text: string): Promise<void> {
  const { write: _, ...written } = setting;
  const json = { setting: written, quarters: summaryOf(soak.samples), ...soak };
  await keepMeasurement('soak', text, json);
}
