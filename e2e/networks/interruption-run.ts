/**
 * Measures interruptions, then plays every scenario of this folder:
 *
 *   node build/bootstrap.mjs lab:networks
 */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { root } from '../../build/places.mjs';
import { beginLab } from '../rig/begin-lab.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import {
  answerTakesMs,
  type Interrupted,
  interrupt,
  interruptions,
  roundTrips,
} from './interruption.ts';

beginLab({
  usage: `lab:networks
  A thousand queries while the link goes in each of its ways, and while the machine sleeps; then every scenario of
  e2e/networks. Writes docs/measurements/networks.md.`,
});
const observed: Interrupted[] = [];
for (const by of interruptions)
  for (const roundTrip of roundTrips) {
    const one = await interrupt(by, roundTrip);
    const wrong = problems(one);
    console.log(`${JSON.stringify(one)} ${wrong.length === 0 ? 'holds' : wrong.join('; ')}`);
    if (wrong.length > 0) process.exitCode = 1;
    observed.push(one);
  }
await keepMeasurement('networks', markdown(), observed);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const scenarios = [vitest, 'run', 'e2e/networks', '--reporter=verbose'];
const { status } = spawnSync(process.execPath, scenarios, { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exitCode = 1;

/** What is wrong with the result; empty if nothing is. */
function problems({ lost, inFlight, firstAnswerMs, allowedMs }: Interrupted): string[] {
  return [
    ...(inFlight < 1000 ? [`only ${inFlight} of 1000 queries were on their way`] : []),
    ...(lost > 0 ? [`${lost} queries were lost`] : []),
    ...(firstAnswerMs > allowedMs ? [`${firstAnswerMs} ms is more than ${allowedMs}`] : []),
  ];
}

function markdown(): string {
  const [cpu] = cpus();
  const ms = (value: number) => `${Math.round(value)} ms`;
  const rows = observed.map((one) =>
    [
      one.by,
      ms(one.roundTripMs),
      `${one.lost} of ${one.inFlight + one.meanwhile}`,
      ms(one.firstAnswerMs),
      ms(one.handshakeMs),
      `${ms(one.allowedMs)}${problems(one).length === 0 ? '' : ' – **missed**'}`,
    ].join(' | '),
  );
  return `# Queries on their way when the network is lost

Written by \`npm run lab:networks\` on ${new Date().toISOString().slice(0, 10)}; ${cpus().length} × ${cpu?.model.trim()},
load average ${loadavg()[0]?.toFixed(1)}.

A thousand new names are queried at once from the real service in a network namespace, whose upstream (sotto-server, DNS over TLS,
which takes ${answerTakesMs} ms for each response) is in another one; \`sotto-lab wire\` is the path between them. While all are on their
way, the client is

* **unplugged**: its interface goes down, address and routes are gone, and come back a second later; time counts from the
  kernel's report that the default route is there;
* **down**: its interface goes down and keeps its address, as without a network manager; time counts as before;
* **cut**: its interface stays up, with addresses and routes, and loses its carrier; time counts from the kernel's report that
  there is one;
* **unrouted**: only its default route goes and comes; time counts from the kernel's report of it;
* **asleep**: the service is stopped (SIGSTOP) and its connection reset; time counts from SIGCONT, a second later.

Half a second after a network is gone, a hundred more are queried. A query is lost if its response is an error, or none comes within 5 s. The first response may take the handshake (as the service reports
it of the new connection), 1.1 round trips, and the server's ${answerTakesMs} ms.

| | round trip | lost | first response | handshake | allowed |
|---|---|---|---|---|---|
| ${rows.join(' |\n| ')} |
`;
}
