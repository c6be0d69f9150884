/** Thousands of TCP clients that occupy a connection and do nothing useful with it. */
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes, type TypeName } from '../rig/message.ts';
import { askTcp } from '../rig/raw-client.ts';
import { type SlowKind, slowClients } from '../rig/sotto-lab.ts';
import { largeName, suffix } from '../rig/zones/far.ts';
import { processFigures } from './process-figures.ts';
import { describeLoad, openPath, type Path } from './scenario.ts';

/** `LIMITS.connections` in native/engine/src/listen/tcp.rs */
const seatsInAll = 1024;

/** Responses to the probe, over UDP and over TCP, while the other clients are connected. */
const fewestAsked = 60;

/** Descriptors that the service may have opened meanwhile for others: fewer than any of the crowds has clients. */
const spare = 8;

/** MiB that these clients may cost: their connections, and some responses on their way. */
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
    { kind: 'half-message', what: 'that stop within a query', count: 10_000, name, type: 'A' },
    {
      ...{ kind: 'never-read', what: 'that read none of their large responses' },
      ...{ count: 16, name: largeName, type: 'TXT' },
    },
  ])('$count $what do not keep other clients from a response', async (crowd, context) => {
    const { service } = path;
    await askTcp(service.v4, encodeQuery(crowd.name, crowd.type));
    const before = processFigures(service.pid);
    const clients = await slowClients(lab, service.v4, { ...crowd, seconds: 200 });
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, processFigures(service.pid).anonymous);
    }, 100);
    const found = await eventually(
      'every client has come, and others were asking meanwhile',
      () => {
        const { latest, complaint } = clients;
        if (complaint.includes('descriptors are needed')) return complaint;
        if (latest === undefined) return null;
        const { seats, udp, tcp } = latest;
        const came = seats.opened + seats.failed === crowd.count;
        // the connection that was used longest ago was closed, and its client has noticed
        const left = seats.open <= seatsInAll;
        return came && left && Math.min(udp.asked, tcp.asked) > fewestAsked ? latest : null;
      },
      180_000,
    );
    if (typeof found === 'string') return context.skip(found);
    const { seats, udp, tcp } = found;
    await clients.stop();
    clearInterval(watch);
    expect.soft(seats).toMatchObject({ opened: crowd.count, failed: 0 });
    expect.soft(udp).toMatchObject({ answered: udp.asked, failures: {} });
    expect.soft(tcp).toMatchObject({ answered: tcp.asked, failures: {} });
    expect.soft(most - before.anonymous).toBeLessThan(memoryForACrowd);
    await eventually('their seats are free again', () => {
      return processFigures(service.pid).descriptors <= before.descriptors + spare;
    });
    const response = await askTcp(service.v4, encodeQuery(`after.${suffix}`, 'A'));
    expect(parse(response).rcode).toBe(rcodes.NOERROR);
  });
});
