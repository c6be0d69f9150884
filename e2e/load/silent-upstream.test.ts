/** Upstreams that accept every query and never respond, under load. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { type Lab, labForTest } from '../rig/lab.ts';
import { ScriptedResolver } from '../rig/peers/scripted-resolver.ts';
import { serverName } from '../rig/peers/sotto-server.ts';
import { load } from '../rig/sotto-lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { processFigures } from './process-figures.ts';
import { describeLoad, resolverIdentity } from './scenario.ts';

/** How long a program waits for a response before it gives up (resolv.conf(5)). */
const patienceMs = 5000;
/** MiB that the waiting queries may take. */
const memoryForWaiting = 48;

describeLoad('an upstream that never responds, under load', () => {
  it('each of its queries fails in time, in bounded memory', async () => {
    const lab = await labForTest();
    const identity = await resolverIdentity(lab);
    const deaf = await ScriptedResolver.start(lab, identity, () => {});
    await expectRefusals(lab, deaf.endpoint.port, identity.authority);
    expect(deaf.asked.length).toBeGreaterThan(0);
  });

  it('its queries fail in time when it accepts the connection and never speaks TLS', async () => {
    const lab = await labForTest();
    const identity = await resolverIdentity(lab);
    const mute = await acceptAndSayNothing(lab);
    await expectRefusals(lab, mute, identity.authority);
  });
});

async function expectRefusals(lab: Lab, port: number, ca: string): Promise<void> {
  const address = `127.0.0.1:${port}`;
  const upstream = { id: 'mute', transport: 'dot', address, name: serverName, ca };
  const service = await SottoService.start(lab, { upstreams: [upstream] });
  const before = processFigures(service.pid);
  const queries = await load(lab, service.v4, { rate: 500, seconds: 2, timeoutSeconds: 60 });
  const { sent, ...summary } = await queries.summary();
  expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
  expect(summary.rcodes).toEqual({ SERVFAIL: sent });
  // a computer that stands still for a moment delays some of them
  expect(summary.latencyMs?.p50).toBeLessThan(patienceMs);
  const after = processFigures(service.pid);
  expect(after.anonymous - before.anonymous).toBeLessThan(memoryForWaiting);
  expect(after.descriptors - before.descriptors).toBeLessThan(10);
}

async function acceptAndSayNothing(lab: Lab): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  lab.adopt({
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as { port: number }).port;
}
