/**
 * Does the model of `sotto-lab replay` say what happens on a wire? The queries of a trace are sent over TCP through the delay wire to
 * sotto-server, time and timeouts scaled alike, and counted beside the model.
 *
 *   node build/bootstrap.mjs lab:replay
 */
import { join } from 'node:path';
import { shown } from '../../bench/numbers.ts';
import { sottoLab } from '../rig/available.ts';
import { beginLab } from '../rig/begin-lab.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import { Lab } from '../rig/lab.ts';
import { Link } from '../rig/network/link.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';

/** What `sotto-lab play --json` prints (native/lab/src/replay/play.rs). */
interface Played {
  queries: number;
  lost: number;
  hitFraction: number;
  modelHitFraction: number;
  latencyMs: { mean: number };
  roundTripMs: number;
  modelLatencyMs: number;
}

const { hours, faster } = beginLab({
  usage: `lab:replay [--hours N] [--faster N]
  The queries of a trace through the delay wire, beside what the model says of them: so many hours (1), so many times faster
  (10). Writes docs/measurements/replay-wire-Nh.md.`,
  options: {
    hours: { type: 'string', default: '1' },
    faster: { type: 'string', default: '10' },
  },
});
const factor = Number(faster);
/** in time of the trace */
const roundTrip = 40;
const clients = 100;
const allowed = 0.03;
/** seconds of the trace */
const timeouts = [12, 60, 240];

const lab = new Lab();
await lab.open();
try {
  const played = await onTheWire();
  const wrong = played.filter(
    (one) => one.lost > 0 || deviations(one).some((part) => part > allowed),
  );
  if (wrong.length > 0) process.exitCode = 1;
  await keepMeasurement(`replay-wire-${hours}h`, markdown(played), {
    hours,
    faster,
    timeouts,
    played,
  });
} finally {
  await lab.close();
}

/** All timeouts at once: each has a server of its own, and all together leave the machine mostly idle. */
async function onTheWire(): Promise<Played[]> {
  const addresses = timeouts.map((_, index) => `198.51.100.${index + 1}`);
  const link = await Link.open(lab, { delayMs: roundTrip / factor / 2, farAddresses: addresses });
  const trace = join(lab.directory, 'trace.csv');
  const making = ['trace', '--clients', `${clients}`, '--hours', hours];
  const made = await link.client.run('/bin/sh', ['-c', '"$@" > "$0"', trace, sottoLab, ...making]);
  if (made.code !== 0) throw new Error(made.stderr);
  return await Promise.all(
    timeouts.map(async (timeout, index) => {
      const address = addresses[index] ?? '';
      const idle = `${Math.round((timeout * 1000) / factor)}ms`;
      await SottoServer.start(lab, { on: link.far, addresses: [address], idle, threads: 1 });
      return await play(link, trace, `${address}:53`, timeout);
    }),
  );
}

async function play(link: Link, trace: string, to: string, timeout: number): Promise<Played> {
  const scale = ['--timeout', `${timeout}`, '--faster', faster];
  const args = ['play', trace, '--to', to, '--name', 'replay.far.example', ...scale, '--json'];
  const timeoutMs = (Number(hours) * 3_600_000) / factor + 120_000;
  const { code, stdout, stderr } = await link.client.run(sottoLab, args, { timeoutMs });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Played;
}

/** Of hit fraction and mean latency, relative. */
function deviations(one: Played): [number, number] {
  return [
    Math.abs(one.hitFraction / one.modelHitFraction - 1),
    Math.abs(one.latencyMs.mean / one.modelLatencyMs - 1),
  ];
}

function markdown(played: readonly Played[]): string {
  const rows = played.map((one, index) => {
    const [hits, latency] = deviations(one);
    const cells = [
      `${timeouts[index]} s`,
      shown(one.queries, 0),
      one.lost,
      `${shown(one.hitFraction * 100, 2)} %`,
      `${shown(one.modelHitFraction * 100, 2)} %`,
      `${shown(hits * 100, 2)} %`,
      `${shown(one.latencyMs.mean, 3)} ms`,
      `${shown(one.modelLatencyMs, 3)} ms`,
      `${shown(latency * 100, 2)} %`,
      `${shown(one.roundTripMs, 3)} ms`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `# The model of a replay beside a wire

Written by \`npm run lab:replay\`: ${hours} h of ${clients} made-up clients, sent over TCP by \`sotto-lab play\` ${faster} times faster through \`sotto-lab wire\` to
\`sotto-server\`. Its idle timeouts and the round trip of ${roundTrip} ms are shorter by the same factor. The first ten minutes do not count.
The model says of the same queries how many find a connection open, and by equation 1 how long they take: L = R + (1 − P_C)·R, where
R is the mean of those that found one: the round trip, with what this machine itself adds. At most ${allowed * 100} % apart is allowed.

| timeout | queries | lost | found a connection | the model | apart | mean latency | the model | apart | R |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${rows.join('\n')}
`;
}
