/** What the service and its gate cost while nobody asks anything. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { processFigures } from '../load/process-figures.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Gate } from './gate.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import { NetworkStage } from './network-stage.ts';

/** Seconds of processor time in a minute, of guardian, service, helper and gate. */
const budget = 0.1;

describeInNetworks(['sotto', 'nft'], 'a minute of rest', () => {
  it(`costs at most ${budget} s of processor time while coverage is counted`, async () => {
    const lab = await labForTest();
    const { client, internet } = await NetworkStage.open(lab);
    await client.succeed('mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup');
    const helper = await Helper.start(lab, client);
    const gate = await Gate.start(lab, client);
    const service = await InstalledService.start(lab, client, {
      upstreams: internet.upstreams.slice(0, 1),
    });
    expect((await service.cli('system', 'take')).code).toBe(0);
    await eventually('it is counted', async () => {
      const table = ['list', 'table', 'inet', 'sotto_coverage'];
      return (await client.run('nft', table)).code === 0;
    });
    const spent = () => {
      const all = [service.pid, gate.pid, helper.pid].flatMap(below);
      return all.map((pid) => processFigures(pid).processor + ended(pid));
    };
    const sum = (figures: number[]) => figures.reduce((all, one) => all + one, 0);
    // what the start left to do is done in the first of these minutes
    const minute = () => client.run('sleep', ['60'], { timeoutMs: 120_000 });
    await minute();
    const before = spent();
    await minute();
    const cost = sum(spent()) - sum(before);
    console.log(`figure: a minute of rest costs ${cost.toFixed(2)} s of the processor`);
    expect(cost).toBeLessThanOrEqual(budget);
  });
});

/** The process and its descendants. */
function below(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return [pid, ...children.map(Number).flatMap(below)];
}

/** Seconds of its children that have ended (proc(5), fields 16 and 17). */
function ended(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
