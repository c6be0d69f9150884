/**
 * Measures how long a person waits for the login window, and for DNS after the login, and what leaves in cleartext meanwhile.
 *
 *   node build/bootstrap.mjs lab:portal
 */

import { cpus } from 'node:os';
import { join } from 'node:path';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { connectToService } from '../../app/service-client/service-client.ts';
import { beginLab } from '../rig/begin-lab.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import { Lab } from '../rig/lab.ts';
import { Capture } from '../rig/network/capture.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { whyNoDesktop } from '../tray/on-desktop.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalNames } from './portal.ts';
import { measureWindow, type WindowFigures } from './window-figures.ts';

/** How long a person may have to wait. */
const allowed = { openMs: 3000, privateMs: 2000, shownMs: 3000 };
const runs = 10;
const windowRuns = 5;

interface Figures {
  /** from the carrier's return until the service has announced the login's address, and its port is open */
  openMs: number;
  /** from the last page's arrival until queries are private */
  privateMs: number;
  /** queries that left in cleartext, captured; and what the ledger says */
  clear: number;
  counted: number;
  /** those of them for other names than the portal's */
  foreign: number;
}

beginLab({
  usage: `lab:portal
  Link up, login and private again, ten times with a client and five with the real login window.
  Writes docs/measurements/portal.md.`,
});
const measured: Figures[] = [];
for (let run = 0; run < runs; run++) {
  const figures = await inLab(measureOn);
  console.log(JSON.stringify(figures));
  const tooLong = figures.openMs > allowed.openMs || figures.privateMs > allowed.privateMs;
  if (tooLong || figures.foreign > 0 || figures.clear !== figures.counted) process.exitCode = 1;
  measured.push(figures);
}
const windows: WindowFigures[] = [];
const noDesktop = whyNoDesktop();
for (let run = 0; run < windowRuns && noDesktop === null; run++) {
  const figures = await inLab(measureWindow);
  console.log(JSON.stringify(figures));
  if (figures.shownMs > allowed.shownMs) process.exitCode = 1;
  windows.push(figures);
}
if (noDesktop !== null) console.log(`the window is not measured: ${noDesktop}`);
await keepMeasurement('portal', markdown(), { ports: measured, windows });

async function inLab<Measured>(measureIt: (lab: Lab) => Promise<Measured>): Promise<Measured> {
  const lab = new Lab();
  await lab.open();
  try {
    return await measureIt(lab);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${lab.transcripts()}`);
  } finally {
    await lab.close();
  }
}

async function measureOn(lab: Lab): Promise<Figures> {
  const { client, network, internet } = await NetworkStage.open(lab);
  await Portal.start(lab, network, { silent: true });
  await network.carrier('down');
  const settings = { upstreams: internet.upstreams, systemResolvers: [gateway.v4] };
  const sotto = await SottoService.start(lab, settings, undefined, { on: client });
  const connected = await connectToService(join(sotto.home, 'control.sock'), 'figures');
  if (!connected.ok) throw new Error(connected.failure.message);
  const service = connected.value;

  let look = (_status: ServiceStatus) => {};
  service.on('status.changed', (status) => look(status));
  const until = (holds: (status: ServiceStatus) => boolean) =>
    new Promise<void>((resolve) => {
      look = (status) => {
        if (holds(status)) resolve();
      };
    });
  await service.call('status.follow', {});

  const capture = await Capture.start(lab, client.namespace, 'eth0', gateway.v4);
  const wanted = until(({ portal }) => portal !== null);
  const up = performance.now();
  await network.carrier('up');
  await wanted;
  const opened = await service.call('portal.open', {});
  if (!opened.ok) throw new Error(opened.failure.message);
  const openMs = performance.now() - up;

  const { proxy, url } = opened.value;
  const by = ['--socks5-hostname', `${proxy.host}:${proxy.port}`];
  const through = async (...args: string[]) =>
    await client.succeed(
      ...['curl', '-sS', '-L', '--max-time', '10', ...by],
      ...['--proxy-user', `${proxy.user}:${proxy.password}`, ...args],
    );
  await through(url);
  await through('--data', '', `http://${portalNames[0]}/accept`);
  const isPrivate = until(({ protection }) => protection.state === 'private');
  await through('--data', '', `http://${portalNames[1]}/room`);
  const last = performance.now();
  await isPrivate;
  const privateMs = performance.now() - last;

  const ledger = await service.call('ledger.list', { limit: 10 });
  service.close();
  const left = await capture.clearQueries();
  const own = ['nmcheck.gnome.org', 'network-test.debian.net', 'detectportal.firefox.com'];
  const clear = left.filter(({ name }) => !own.includes(name));
  return {
    openMs: Math.round(openMs),
    privateMs: Math.round(privateMs),
    clear: clear.length,
    counted: ledger.ok
      ? ledger.value.entries.reduce((sum, { count }) => sum + (count ?? 0), 0)
      : -1,
    foreign: clear.filter(({ name }) => !portalNames.includes(name)).length,
  };
}

function markdown(): string {
  const [cpu] = cpus();
  const row = (what: string, all: number[], most: number | null) => {
    const sorted = all.toSorted((one, other) => one - other);
    const middle = sorted[Math.floor(sorted.length / 2)];
    return `| ${what} | ${middle} ms | ${sorted.at(-1)} ms | ${most === null ? '' : `${most} ms`} |`;
  };
  const sum = (key: keyof Figures) => measured.reduce((total, one) => total + one[key], 0);
  const of = (key: 'openMs' | 'privateMs') => measured.map((one) => one[key]);
  const seen = (key: keyof WindowFigures) => windows.map((one) => one[key]);
  const rows = [
    row('link up → the login can be opened', of('openMs'), allowed.openMs),
    row('last page → queries are private', of('privateMs'), allowed.privateMs),
    ...(windows.length === 0
      ? []
      : [
          row('link up → the login of the window is permitted', seen('openedMs'), null),
          row('link up → the window is shown', seen('shownMs'), allowed.shownMs),
          row('link up → its first page is complete', seen('pageMs'), null),
          row('last page → the window has closed itself', seen('closedMs'), null),
        ]),
  ];
  return `# A network that wants a login

Written by \`npm run lab:portal\` on ${new Date().toISOString().slice(0, 10)}; ${cpus().length} × ${cpu?.model.trim()}.

A computer in a network namespace, whose gateway redirects every page to its own and refuses all else until the person has been
through two pages on different hosts. The carrier is gone when the service starts; the clock begins when it comes back. The
network does not name its API, so the page has to be found. A SOCKS client stands for the person in the first two rows
(${measured.length} runs); in the others the tray runs there, in the Electron of the tests, under \`fallback\`, so that its window opens by
itself, and a mouse clicks (${windows.length} runs).

| | median | longest | allowed |
|---|---|---|---|
${rows.join('\n')}

Queries that left in cleartext for the SOCKS client, as the edge saw them: ${sum('clear')}, ${sum('foreign')} of them for other names than
the portal's. The ledger counted ${sum('counted')}.
`;
}
