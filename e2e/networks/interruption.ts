/**
 * A thousand questions are on their way when the cable is pulled, or the lid closes; a second later all is back: what became
 * of them, and how long the first answer took from then.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { FarServer, serverName, zone } from '../lab/far-server.ts';
import { clientAddress, farAddress, Link } from '../lab/link.ts';
import type { Outcome } from '../lab/policy-matrix/steady-questions.ts';
import { eventually } from '../system/eventually.ts';
import { Lab } from '../system/lab.ts';
import type { Program } from '../system/process.ts';
import { SottoService } from '../system/sotto-service.ts';
import { rcodes } from '../system/wire.ts';

/** `unplugged`: address and routes go and come; `asleep`: the service stands still, and its connection is reset meanwhile */
export type Interruption = 'unplugged' | 'asleep';

export interface Interrupted {
  by: Interruption;
  roundTripMs: number;
  /** on their way when it happened */
  inFlight: number;
  /** answered with an error, or not at all */
  lost: number;
  /** of the connection that was made then, as the service says */
  handshakeMs: number;
  /** from the default route's return as the kernel told, or from waking, to the first answer at the client */
  firstAnswerMs: number;
  /** the handshake, 1.1 round trips, and what the server takes for an answer */
  allowedMs: number;
}

const address = '198.51.100.53';
const count = 1000;
/** A question with its padding (RFC 8467) and TLS record; more come together in one. */
const leastOctets = 128;
/** Long enough that none is answered before, however slow this machine is. */
export const answerTakesMs = 250;
const outageMs = 1000;
const burst = new URL('./burst.ts', import.meta.url).pathname;

export const roundTrips = [5, 40, 200] as const;

export async function interrupt(by: Interruption, roundTripMs: number): Promise<Interrupted> {
  const lab = new Lab();
  await lab.open();
  try {
    return await interruptOn(lab, by, roundTripMs);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${lab.transcripts()}`);
  } finally {
    await lab.close();
  }
}

async function interruptOn(lab: Lab, by: Interruption, roundTripMs: number): Promise<Interrupted> {
  const { link, service } = await openScene(lab, roundTripMs);
  await service.json('query', `before.${zone}`);
  const { aToB: before } = await link.wire.stats();
  const args = [burst, service.v4.address, `${service.v4.port}`, zone, `${count}`];
  const asking = lab.adopt(await link.client.start(process.execPath, args));
  await eventually('all are on their way', async () => {
    const { aToB } = await link.wire.stats();
    return aToB.octets - before.octets >= count * leastOctets;
  });
  const happen = by === 'unplugged' ? unplug : sleep;
  const { inFlight, back } = await happen(lab, link, service, asking);
  await asking.exited;

  const outcomes = outcomesOf(asking);
  const good = outcomes.filter(({ rcode }) => rcode === rcodes.NOERROR);
  const ends = good.map(({ at, afterMs }) => at + afterMs);
  const handshakeMs = (await service.status()).upstreams[0]?.handshakeMs ?? Number.NaN;
  return {
    by,
    roundTripMs,
    inFlight,
    lost: outcomes.length - good.length,
    handshakeMs,
    firstAnswerMs: Math.min(...ends.filter((end) => end > back)) - back,
    allowedMs: handshakeMs + 1.1 * roundTripMs + answerTakesMs,
  };
}

async function openScene(lab: Lab, roundTripMs: number) {
  const link = await Link.open(lab, { delayMs: roundTripMs / 2, farAddresses: [address] });
  // As on a connection that has carried much: TCP's slow start would hold most questions back.
  const wide = ['initcwnd', '400', 'initrwnd', '400'];
  await link.client.ip('route', 'replace', 'default', 'via', farAddress.v4, 'dev', 'eth0', ...wide);
  await link.far.ip('route', 'replace', 'default', 'via', clientAddress.v4, 'dev', 'eth0', ...wide);
  const options = { addresses: [address], delay: `${answerTakesMs}ms` };
  const { ca } = await FarServer.start(lab, link.far, options);
  const upstreams = [{ id: 'far', transport: 'dot', address, name: serverName, ca }];
  const settings = { upstreams, cache: { entries: 0 } };
  const service = await SottoService.start(lab, settings, undefined, { on: link.client });
  return { link, service };
}

async function unplug(lab: Lab, link: Link, _: SottoService, asking: Program) {
  const monitor = await link.client.start('/usr/sbin/ip', ['-ts', '-4', 'monitor', 'route']);
  const routes = lab.adopt(monitor);
  // as NetworkManager does when the carrier is gone; the kernel alone keeps IPv4 addresses
  await link.client.ip('addr', 'flush', 'dev', 'eth0');
  await link.unplug();
  const inFlight = count - outcomesOf(asking).length;
  await pause(outageMs);
  await link.plug();
  const back = await eventually('the route is told', () => timeOfDefaultRoute(routes.stdout));
  return { inFlight, back };
}

async function sleep(_: Lab, link: Link, service: SottoService, asking: Program) {
  service.signal('SIGSTOP');
  const inFlight = count - outcomesOf(asking).length;
  await link.wire.cut({ port: 853 });
  await pause(outageMs);
  const back = Date.now();
  service.signal('SIGCONT');
  return { inFlight, back };
}

function outcomesOf(asking: Program): Outcome[] {
  const lines = asking.stdout.split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Outcome);
}

/** Of the one that came last, in unix milliseconds; the program is told times of this machine's zone. */
function timeOfDefaultRoute(told: string): number | null {
  const [, at] = [...told.matchAll(/^\[([\dT:.-]+)\] default via/gm)].at(-1) ?? [];
  return at === undefined ? null : Date.parse(at);
}
