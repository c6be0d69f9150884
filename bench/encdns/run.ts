/**
 * `npm run bench:encdns`: what a boxed query costs an EncDNS server and whoever waits for it, beside the same query without a box, and
 * how much memory clients take at the server. Writes docs/measurements/encdns.md.
 */
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { machineFacts } from '../machine-facts.ts';
import { clientMemory } from './memory.ts';
import { report } from './report.ts';
import { serverTime } from './server-time.ts';
import { waiting } from './waiting.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

const lab = new Lab();
await lab.open();
try {
  const date = new Date().toISOString();
  const machine = await machineFacts();
  const results = {
    date,
    machine,
    rounds: await serverTime(lab),
    memory: await clientMemory(lab),
    waits: await waiting(lab),
  };
  const table = report(results);
  await keepMeasurement('encdns', table, results);
  console.log(table);
} finally {
  await lab.close();
}
