/**
 * Measures what becomes of queries while their only upstream restarts.
 *
 *   node build/bootstrap.mjs lab:restarts
 */

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { endCommand } from '../rig/end-command.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import { Lab } from '../rig/lab.ts';
import { mostFailures, type Observed, observe, problems, type Setting } from './restarts.ts';

const usage = `lab:restarts [--minutes N] [--rate N] [--restarts N]
  --minutes N   how long the load lasts (default 10)
  --rate N      queries a second (default 2000)
  --restarts N  how often the upstream is stopped, and started a second later (default 2)
Needs unbound and openssl. Run it on a machine that does nothing else. With the defaults it writes
docs/measurements/restarts.md.
Exit codes: 0 everything is as it must be, 1 something is not, 2 wrong usage.`;
const defaults = { minutes: '10', rate: '2000', restarts: '2' };

const { setting, whole } = readSetting();
console.log(
  `${setting.seconds} s at ${setting.rate} queries a second, ${setting.restarts} restarts …`,
);
const lab = new Lab();
await lab.open();
try {
  const observed = await observe(lab, setting);
  const wrong = problems(observed);
  console.log(`${JSON.stringify(observed)}\n${wrong.length === 0 ? 'holds' : wrong.join('; ')}`);
  if (wrong.length > 0) process.exitCode = 1;
  if (whole) await keepMeasurement('restarts', markdown(observed), { setting, ...observed });
} finally {
  await lab.close();
}

function readSetting(): { setting: Setting; whole: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: defaults.minutes },
        rate: { type: 'string', default: defaults.rate },
        restarts: { type: 'string', default: defaults.restarts },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) endCommand(usage, 0);
    const { minutes, rate, restarts } = values;
    const whole = [minutes, rate, restarts].join() === Object.values(defaults).join();
    const setting = {
      seconds: 60 * positive(minutes),
      rate: positive(rate),
      restarts: positive(restarts),
    };
    return { setting, whole };
  } catch (error) {
    return endCommand(`${(error as Error).message}\n\n${usage}`, 2);
  }
}

function positive(text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new Error(`${text} is not a number above 0`);
  return number;
}

function markdown({ load, awayMs }: Observed): string {
  const [cpu] = cpus();
  const { rcodes, latencyMs } = load;
  const ms = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(1)} ms`);
  return `# An upstream that restarts under load

Written by \`npm run lab:restarts\` on ${new Date().toISOString().slice(0, 10)}; ${cpus().length} × ${cpu?.model.trim()}.

The real service has one upstream, unbound over TLS on loopback; its cache is off, so that every query has to reach it.
\`sotto-lab load\` sends ${setting.rate} queries a second for ${setting.seconds / 60} minutes. Meanwhile unbound is stopped ${setting.restarts} times (SIGTERM), and
started again a second later.

| sent | responses with data | SERVFAIL (${mostFailures} allowed) | lost | late | unbound was away | median wait | 99.9 % within | longest |
|---|---|---|---|---|---|---|---|---|
| ${load.sent} | ${rcodes['NOERROR'] ?? 0} | ${rcodes['SERVFAIL'] ?? 0} | ${load.lost} | ${load.late} | ${awayMs.map((away) => ms(away)).join(', ')} | ${ms(latencyMs?.p50)} | ${ms(latencyMs?.p999)} | ${ms(latencyMs?.max)} |
`;
}
