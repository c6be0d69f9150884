/** TCP clients by the thousand that take a seat and do nothing useful with it. */
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../system/eventually.ts';
import { labForFile } from '../system/lab.ts';
import { askTcp } from '../system/raw-client.ts';
import { parse, question, rcodes, type TypeName } from '../system/wire.ts';
import { largeName, suffix } from './far-resolver.ts';
import { processFigures } from './process-figures.ts';
import { describeLoad, openPath, type Path } from './scenario.ts';
import { type SlowKind, slowClients } from './sotto-lab.ts';

/** MiB that a crowd may cost: its seats, and some answers on their way. */
const memoryForACrowd = 128;

interface Crowd {
  kind: SlowKind;
  what: string;
  count: number;
  name: string;
  type: TypeName;
}

describeLoad('slow TCP clients', () => {
  const lab = labForFile();
  let path: Path;
  beforeAll(async () => {
    path = await openPath(lab);
  });

  const name = `probe.${suffix}`;
  it.for<Crowd>([
    { kind: 'connect', what: 'that say nothing', count: 10_000, name, type: 'A' },
    { kind: 'half-message', what: 'that stop in mid-question', count: 10_000, name, type: 'A' },
    {
      ...{ kind: 'never-read', what: 'that read none of their large answers' },
      ...{ count: 16, name: largeName, type: 'TXT' },
    },
  ])('$count $what keep nobody else from an answer', async (crowd, context) => {
    const { service } = path;
    await askTcp(service.v4, question(crowd.name, crowd.type));
    const before = processFigures(service.pid);
    const clients = await slowClients(lab, service.v4, { ...crowd, seconds: 5 });
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, processFigures(service.pid).anonymous);
    }, 100);
    const { seats, udp, tcp } = await clients.summary();
    clearInterval(watch);
    if (seats.opened < crowd.count / 10)
      context.skip(`this machine let ${seats.opened} of ${crowd.count} clients connect`);
    expect.soft(udp).toMatchObject({ answered: udp.asked, failures: {} });
    expect.soft(tcp).toMatchObject({ answered: tcp.asked, failures: {} });
    expect.soft(udp.answered).toBeGreaterThan(10);
    expect.soft(tcp.answered).toBeGreaterThan(10);
    expect.soft(most - before.anonymous).toBeLessThan(memoryForACrowd);
    await eventually('their seats are free again', () => {
      return processFigures(service.pid).descriptors <= before.descriptors;
    });
    const reply = await askTcp(service.v4, question(`after.${suffix}`, 'A'));
    expect(parse(reply).rcode).toBe(rcodes.NOERROR);
  });
});
