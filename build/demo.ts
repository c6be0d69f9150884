/**
 * `npm run demo`: the whole path on loopback. sotto-server stands in front of a bundled zone, the service queries it over
 * STARTTLS, or with EncDNS through a real resolver, a made-up person opens pages, and the log is shown as it grows.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Asker } from './demo/asking.ts';
import { browse } from './demo/browsing.ts';
import { pagesOf } from './demo/pages.ts';
import { Stage } from './demo/stage.ts';
import { summaryLine } from './demo/summary.ts';
import { inRoot } from './places.mjs';

const { values } = parseArgs({
  options: {
    encdns: { type: 'boolean', default: false },
    window: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(help());
  process.exit(0);
}
const seconds = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds);
const zoneFile = inRoot('assets', 'demo', 'example.zone');
const summaryEvery = 8;
/** milliseconds; Sotto itself gives up a little sooner, and says so */
const lastResponse = 5000;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort());
}

const home = await mkdtemp(join(tmpdir(), 'sotto-demo-'));
const stage = new Stage(home, zoneFile, values.encdns);
try {
  await Promise.race([stage.set(), untilStopped()]);
  if (!stop.signal.aborted) await perform();
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await stage.clear();
  await rm(home, { recursive: true, force: true });
}

async function perform(): Promise<void> {
  console.log(introduction());
  const asker = new Asker(stage.port);
  if (values.window) stage.showPage();
  else stage.showLog();
  const end = Number.isFinite(seconds) ? setTimeout(() => stop.abort(), seconds * 1000) : undefined;
  try {
    await Promise.race([readPages(asker), stage.failure(), untilStopped()]);
    await asker.settle(lastResponse);
  } finally {
    clearTimeout(end);
    asker.close();
  }
  const status = await stage.status();
  console.log(
    `\n${summaryLine(status)}\n${asker.counts.answered} of ${asker.counts.asked} answered`,
  );
  const saw = await stage.carrier?.saw();
  if (saw != null) console.log(saw);
}

async function readPages(asker: Asker): Promise<void> {
  let visits = 0;
  for (const visit of browse(pagesOf(readFileSync(zoneFile, 'utf8')), Number(values.seed))) {
    await pause(visit.pause);
    if (stop.signal.aborted) return;
    if (!values.window) console.log(`── opens ${visit.page}: ${visit.queries.length} queries`);
    for (const query of visit.queries) asker.ask(query);
    visits += 1;
    if (!values.window && visits % summaryEvery === 0)
      console.log(`── ${summaryLine(await stage.status())}`);
  }
}

function help(): string {
  return `npm run demo [-- OPTIONS]

Shows Sotto at work on loopback: a server, the service, and a made-up person who opens pages. Nothing leaves this machine.

  --encdns         queries travel in boxes, which unbound carries where it is installed: it sees who asks, and not what
  --window         print the address of the page, with the queries of the demo in it, in place of the log
  --seconds COUNT  end after so many seconds; else Ctrl-C ends it
  --seed NUMBER    another person, who opens other pages
  --help           this text

  npm run demo                        the log, as it grows
  npm run demo -- --window            the window, in a browser
  npm run demo -- --encdns            a resolver in the middle that learns nothing`;
}

function introduction(): string {
  return [
    '',
    'Everything here happens on loopback; nothing leaves this machine.',
    '',
    `  sotto-server   STARTTLS on ${stage.starttls}, TLS on ${stage.dot}, 20 ms away`,
    ...asked(),
    `  ask it         dig @127.0.0.1 -p ${stage.port} www.herald.example`,
    `  look inside    SOTTO_HOME=${home} npx sotto status`,
    '  end it         Ctrl-C',
    '',
  ].join('\n');
}

function asked(): string[] {
  const sotto = `  sotto          127.0.0.1:${stage.port}, asking it`;
  if (stage.carrier === undefined) return [`${sotto} over STARTTLS, then over TLS`];
  const { address, program } = stage.carrier;
  return [
    `${sotto} in boxes, through ${program.name}`,
    `  ${program.name.padEnd(13)}  ${address}, which carries the boxes: it sees who asks, and not what`,
  ];
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    if (stop.signal.aborted) resolve();
    stop.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stop.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
