/**
 * Measures how long an upstream that dies silently delays a query, and whether a slow upstream ever loses one to another
 * upstream.
 *
 *   node build/bootstrap.mjs lab:dead
 */

import { cpus } from 'node:os';
import { beginLab } from '../rig/begin-lab.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import { type Observed, observe, problems, roundTrips } from './dead-upstream.ts';

beginLab({
  usage: `lab:dead
  An upstream that dies silently, at each distance. Writes docs/measurements/dead-upstream.md.`,
});
const observed: Observed[] = [];
for (const roundTrip of roundTrips) {
  const one = await observe(roundTrip);
  const wrong = problems(one);
  console.log(`${JSON.stringify(one)} ${wrong.length === 0 ? 'holds' : wrong.join('; ')}`);
  if (wrong.length > 0) process.exitCode = 1;
  observed.push(one);
}
await keepMeasurement('dead-upstream', markdown(), observed);

function markdown(): string {
  const [cpu] = cpus();
  const rows = observed.map(({ roundTripMs, death, slow, flapMs }) =>
    [
      `${roundTripMs} ms`,
      `${death.longestMs} ms (allowed ${death.allowedMs})`,
      `${death.lost} of ${death.asked}`,
      `${slow.moved} of ${slow.asked}`,
      `${slow.lost}`,
      `${flapMs} ms`,
    ].join(' | '),
  );
  return `# A dead upstream, a slow one, and a link that comes back

Written by \`npm run lab:dead\` on ${new Date().toISOString().slice(0, 10)}; ${cpus().length} × ${cpu?.model.trim()}.

The real service in a network namespace has two upstreams (sotto-server, DNS over TLS) in another one, in the order given;
\`sotto-lab wire\` is the path between them. A client queries 20 new names a second.

* **Silent death**: from one moment on the path drops everything to and from the first upstream. The longest wait
  of any query, from its first octet to the client's response, may take 3 round trips and 400 ms for the death
  and one more for the second upstream's response.
* **Slowness**: the first upstream takes ${observed[0]?.slow.answerTakesMs} ms for each response, also to the liveness query. *Moved* are the names that the
  second upstream received.
* **Link**: the client's interface goes down for a second and a half and comes back; measured is the time from then until the first response.

| round trip | longest wait | lost | moved for slowness | lost there | first response after the link is back |
|---|---|---|---|---|---|
| ${rows.join(' |\n| ')} |
`;
}
