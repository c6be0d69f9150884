/**
 * What a computer at rest pays for Sotto, with everything on:
 *
 *   node build/bootstrap.mjs lab:rest
 */
import { readdirSync, readFileSync } from 'node:fs';
import { machineFacts } from '../../bench/machine-facts.ts';
import { shown } from '../../bench/numbers.ts';
import { median } from '../../bench/statistics.ts';
import { processFigures } from '../load/process-figures.ts';
import { beginLab } from '../rig/begin-lab.ts';
import { eventually } from '../rig/eventually.ts';
import { keepMeasurement } from '../rig/keep-measurement.ts';
import { Lab } from '../rig/lab.ts';
import { Gate } from './gate.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';

/** Seconds of processor time in a minute. */
const most = 0.1;
const minutes = 5;

/** Seconds of processor time. */
interface Cost {
  service: number;
  gate: number;
  helper: number;
}

beginLab({
  usage: `lab:rest
  The installed service, its gate and its helper hold the system's DNS, count what goes past and audit connections, while nobody
  asks anything. Measures ${minutes} minutes after a first one. Writes docs/measurements/rest.md.`,
});
const machine = await machineFacts();
const lab = new Lab();
await lab.open();
const measured = await measure().finally(() => lab.close());
const middle = median(measured.map(sum)) ?? 0;
if (middle > most) process.exitCode = 1;
await keepMeasurement('rest', report(), { machine, measured });

async function measure(): Promise<Cost[]> {
  const { client, internet } = await NetworkStage.open(lab);
  await client.succeed('mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup');
  const helper = await Helper.start(lab, client);
  const gate = await Gate.start(lab, client);
  const service = await InstalledService.start(lab, client, {
    upstreams: internet.upstreams.slice(0, 1),
    audit: { connections: true },
  });
  const taken = await service.cli('system', 'take');
  if (taken.code !== 0) throw new Error(taken.stderr);
  await eventually('it is counted', async () => {
    const table = ['list', 'table', 'inet', 'sotto_coverage'];
    return (await client.run('nft', table)).code === 0;
  });
  const spent = (): Cost => ({
    service: processorTime(service.pid),
    gate: processorTime(gate.pid),
    helper: processorTime(helper.pid),
  });
  // what the start left to do is done in the first minute
  await minute(client);
  const costs: Cost[] = [];
  for (let count = 0; count < minutes; count += 1) {
    const before = spent();
    await minute(client);
    const after = spent();
    costs.push({
      service: after.service - before.service,
      gate: after.gate - before.gate,
      helper: after.helper - before.helper,
    });
    console.log(`minute ${count + 1}: ${JSON.stringify(costs.at(-1))}`);
  }
  return costs;
}

async function minute(client: Machine): Promise<void> {
  await client.run('sleep', ['60'], { timeoutMs: 120_000 });
}

/** Of the process and its descendants, and of its children that have ended (proc(5), fields 16 and 17). */
function processorTime(root: number): number {
  return below(root).reduce((total, pid) => total + processFigures(pid).processor + ended(pid), 0);
}

function below(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return [pid, ...children.map(Number).flatMap(below)];
}

function ended(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function sum({ service, gate, helper }: Cost): number {
  return service + gate + helper;
}

function report(): string {
  const rows = measured.map((cost, index) => {
    const cells = [cost.service, cost.gate, cost.helper, sum(cost)].map((value) => shown(value, 2));
    return `| ${[index + 1, ...cells].join(' | ')} |`;
  });
  return `# A minute of rest

Seconds of processor time, ${minutes} minutes one after the other, with everything on: the installed service holds the system's DNS, keeps the query
log with programs and audits connections; the gate counts what goes past. Nobody asks anything.
${machine.processor}, ${machine.cores} cores, load before ${shown(machine.loadBefore, 1)}.

| minute | service | gate | helper | together |
|---|--:|--:|--:|--:|
${rows.join('\n')}

Median together: ${shown(middle, 2)} of ${most} s ${middle <= most ? 'allowed' : '**missed**'}.
`;
}
