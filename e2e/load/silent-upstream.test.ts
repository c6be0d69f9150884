/** Upstreams that accept every query and never respond, under load. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { FrameReader, frame } from '../rig/framing.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { addressAnswer, encodeQuery, parse, rcodes } from '../rig/message.ts';
import { startMuteServer } from '../rig/peers/mute-server.ts';
import { ScriptedResolver } from '../rig/peers/scripted-resolver.ts';
import { serverName } from '../rig/peers/sotto-server.ts';
import { askTcp, type Endpoint } from '../rig/raw-client.ts';
import { load } from '../rig/sotto-lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Standstill } from '../rig/standstill.ts';
import { processFigures } from './process-figures.ts';
import { describeLoad, resolverIdentity } from './scenario.ts';

/** How long a program waits for a response before it gives up (resolv.conf(5)). */
const patienceMs = 5000;
/** `SLOTS` in native/engine/src/listen/slots.rs */
const slots = 4096;
/** Less than `DEADLINE` in native/engine/src/upstream/outgoing.rs. */
const shortestWaitMs = 4000;
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
    const mute = await startMuteServer(lab);
    await expectRefusals(lab, mute, identity.authority);
  });

  it('no more of its queries are in flight because their clients reset their connections', async () => {
    const lab = await labForTest();
    const identity = await resolverIdentity(lab);
    const resolver = await ScriptedResolver.start(lab, identity, ({ name, query, answer }) => {
      if (name === 'quick.example') answer(addressAnswer(query, '192.0.2.1'));
    });
    const service = await serviceOf(lab, resolver.endpoint.port, identity.authority);
    const begun = performance.now();
    for (let client = 0; client < 40; client++)
      await askAndReset(service.v4, (index) => `n${index}.of${client}.example`);
    const times = 1 + Math.floor((performance.now() - begun) / shortestWaitMs);
    // Sotto asks whether the silent resolver lives, too.
    const asked = resolver.asked.map(({ name }) => name).filter((name) => name.includes('.of'));
    const names = new Set(asked);
    expect(names.size).toBeGreaterThan(0);
    expect(names.size).toBeLessThanOrEqual(slots * times);
    const quick = encodeQuery('quick.example', 'A');
    await eventually('there is room again', async () => {
      return parse(await askTcp(service.v4, quick)).rcode === rcodes.NOERROR;
    });
  });
});

/** A thousand queries, and one more whose response says that all of them were read. */
async function askAndReset(to: Endpoint, nameOf: (index: number) => string): Promise<void> {
  const socket = connect(to.port, to.address);
  const names = Array.from({ length: 1000 }, (_, index) => nameOf(index));
  const queries = [...names, 'localhost'].map((name, id) => encodeQuery(name, 'A', { id }));
  socket.write(Buffer.concat(queries.map(frame)));
  const reader = new FrameReader(socket);
  while (parse(await reader.next()).id !== 1000);
  socket.resetAndDestroy();
}

async function serviceOf(lab: Lab, port: number, ca: string): Promise<SottoService> {
  const address = `127.0.0.1:${port}`;
  const upstream = { id: 'mute', transport: 'dot', address, name: serverName, ca };
  return await SottoService.start(lab, { upstreams: [upstream] });
}

async function expectRefusals(lab: Lab, port: number, ca: string): Promise<void> {
  const service = await serviceOf(lab, port, ca);
  const before = processFigures(service.pid);
  const standstill = new Standstill();
  const queries = await load(lab, service.v4, { rate: 500, seconds: 2, timeoutSeconds: 60 });
  const { sent, ...summary } = await queries.summary();
  const { allMs: stoodStillMs } = standstill.end();
  expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
  expect(summary.rcodes).toEqual({ SERVFAIL: sent });
  expect(summary.latencyMs?.p50).toBeLessThan(patienceMs + stoodStillMs);
  const after = processFigures(service.pid);
  expect(after.anonymous - before.anonymous).toBeLessThan(memoryForWaiting);
  expect(after.descriptors - before.descriptors).toBeLessThan(10);
}
