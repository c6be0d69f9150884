/**
 * A thousand queries are on their way when the cable is pulled, or the lid closes; a second later all is back. Measured is what
 * became of them, and how long the first response took from then.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../lab/policy-matrix/steady-queries.ts';
import { StolenTime } from '../lab/stolen-time.ts';
import { eventually } from '../rig/eventually.ts';
import { Lab } from '../rig/lab.ts';
import { rcodes } from '../rig/message.ts';
import { clientAddress, farAddress, Link } from '../rig/network/link.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import type { Program } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Standstill } from '../rig/standstill.ts';
import { zone } from '../rig/zones/far.ts';

/**
 * `unplugged`: link, address and routes go and come, as where a network manager sees to it; `down`: the link goes and the address
 * stays; `cut`: it stays up and has no carrier, address and routes stay; `unrouted`: the default route alone goes; `asleep`: the
 * service stands still, and its connection is reset meanwhile
 */
export const interruptions = ['unplugged', 'down', 'cut', 'unrouted', 'asleep'] as const;
export type Interruption = (typeof interruptions)[number];
export type Family = 4 | 6;

export interface Interrupted {
  by: Interruption;
  family: Family;
  roundTripMs: number;
  /** on their way when it happened */
  inFlight: number;
  /** how long it was gone; a slow machine may take longer than ordered */
  outageMs: number;
  /** the share of the processors' time that the host took: 0 to 1 */
  stolen: number;
  /** how long the machine stood still at most */
  stoodStillMs: number;
  /** queried while there was no network */
  meanwhile: number;
  /** with an error, or without a response */
  lost: number;
  /** of the connection that was opened then, as the service reports */
  handshakeMs: number;
  /** from the kernel's report that the default route is back, or from waking, to the first response at the client */
  firstAnswerMs: number;
  /** the handshake, 1.1 round trips, and the time that the server takes for a response */
  allowedMs: number;
}

const addresses = { 4: '198.51.100.53', 6: '2001:db8:1::53' } as const;
const gateways = { 4: farAddress.v4, 6: farAddress.v6 } as const;
const count = 1000;
const late = 100;
/** Octets of a query with its padding (RFC 8467) and TLS record; several share a record. */
const leastOctets = 128;
/** Long enough that no response comes before, however slow this machine is. */
export const answerTakesMs = 250;
/** How long the network is gone; on a busy machine it takes longer. */
const orderedOutageMs = 1000;
const burst = new URL('./burst.ts', import.meta.url).pathname;

export const roundTrips = [5, 40, 200] as const;

/**
 * Programs wait five seconds, so on a machine that cannot bring the network back after one second the test would not measure
 * Sotto.
 */
export function wasOnTime({ outageMs, stolen, stoodStillMs }: Interrupted): boolean {
  return outageMs < 1.5 * orderedOutageMs && stolen < 0.2 && stoodStillMs < 0.5 * orderedOutageMs;
}

export async function interrupt(
  by: Interruption,
  roundTripMs: number,
  family: Family = 4,
): Promise<Interrupted> {
  const lab = new Lab();
  await lab.open();
  try {
    return await interruptOn(lab, by, roundTripMs, family);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${lab.transcripts()}`);
  } finally {
    await lab.close();
  }
}

async function interruptOn(
  lab: Lab,
  by: Interruption,
  roundTripMs: number,
  family: Family,
): Promise<Interrupted> {
  const { link, service } = await openStage(lab, roundTripMs, family);
  await service.json('query', `before.${zone}`);
  const [stolen, standstill] = [new StolenTime(), new Standstill()];
  const { aToB: before } = await link.wire.stats();
  const ask = async (below: string, many: number) => {
    const args = [burst, service.v4.address, `${service.v4.port}`, below, `${many}`];
    return lab.adopt(await link.client.start(process.execPath, args));
  };
  const asking = await ask(zone, count);
  await eventually('all are on their way', async () => {
    const { aToB } = await link.wire.stats();
    return aToB.octets - before.octets >= count * leastOctets;
  });
  const stage = { lab, link, service, asking, family, askLate: () => ask(`late.${zone}`, late) };
  const { inFlight, meanwhile, gone, back } = await (by === 'asleep'
    ? sleep(stage)
    : outage(by, stage));
  await asking.exited;
  await meanwhile?.exited;

  const lateOutcomes = meanwhile === undefined ? [] : outcomesOf(meanwhile);
  const outcomes = [...outcomesOf(asking), ...lateOutcomes];
  const good = outcomes.filter(({ rcode }) => rcode === rcodes.NOERROR);
  const ends = good.map(({ at, afterMs }) => at + afterMs);
  const handshakeMs = (await service.status()).upstreams[0]?.handshakeMs ?? Number.NaN;
  return {
    by,
    family,
    roundTripMs,
    inFlight,
    outageMs: back - gone,
    stolen: stolen.share(),
    stoodStillMs: standstill.end().longestMs,
    meanwhile: lateOutcomes.length,
    lost: outcomes.length - good.length,
    handshakeMs,
    firstAnswerMs: Math.min(...ends.filter((end) => end > back)) - back,
    allowedMs: handshakeMs + 1.1 * roundTripMs + answerTakesMs,
  };
}

interface Stage {
  lab: Lab;
  link: Link;
  service: SottoService;
  asking: Program;
  family: Family;
  askLate: () => Promise<Program>;
}

async function openStage(lab: Lab, roundTripMs: number, family: Family) {
  const address = addresses[family];
  const link = await Link.open(lab, { delayMs: roundTripMs / 2, farAddresses: [address] });
  // As on a connection that has carried many queries; otherwise TCP's slow start would hold most of them back.
  const wide = ['dev', 'eth0', 'initcwnd', '400', 'initrwnd', '400'];
  const client = { 4: clientAddress.v4, 6: clientAddress.v6 }[family];
  const replace = [`-${family}`, 'route', 'replace', 'default', 'via'];
  await link.client.ip(...replace, gateways[family], ...wide);
  await link.far.ip(...replace, client, ...wide);
  const options = { on: link.far, addresses: [address], delay: `${answerTakesMs}ms` };
  const upstreams = [(await SottoServer.start(lab, options)).upstream('far')];
  const settings = { upstreams, cache: { entries: 0 } };
  const service = await SottoService.start(lab, settings, undefined, { on: link.client });
  return { link, service };
}

async function outage(by: Exclude<Interruption, 'asleep'>, stage: Stage) {
  const { lab, link, asking, family } = stage;
  const route = [`-${family}`, 'route'];
  const { go, come, told } = {
    unplugged: {
      go: async () => {
        // as NetworkManager does when the carrier is gone; the kernel alone keeps IPv4 addresses
        await link.client.ip('addr', 'flush', 'dev', 'eth0');
        await link.unplug();
      },
      come: () => link.plug(),
      told: defaultRoute,
    },
    down: {
      go: async () => {
        await link.client.sysctl('net.ipv6.conf.eth0.keep_addr_on_down', 1);
        await link.unplug();
      },
      come: () => link.plug(),
      told: defaultRoute,
    },
    cut: {
      go: () => link.carrier('down'),
      come: () => link.carrier('up'),
      told: /^\[([\dT:.-]+)\] \d+: eth0\S* <[A-Z,]*\bLOWER_UP\b/gm,
    },
    unrouted: {
      go: () => link.client.ip(...route, 'del', 'default'),
      come: () =>
        link.client.ip(...route, 'replace', 'default', 'via', gateways[family], 'dev', 'eth0'),
      told: defaultRoute,
    },
  }[by];
  const monitor = ['-ts', `-${family}`, 'monitor', 'link', 'route'];
  const kernel = lab.adopt(await link.client.start('/usr/sbin/ip', monitor));
  await kernel.ready(async () => isListening(kernel.pid));
  await go();
  const gone = Date.now();
  const inFlight = count - outcomesOf(asking).length;
  await pause(orderedOutageMs / 2);
  const meanwhile = await stage.askLate();
  await pause(orderedOutageMs / 2);
  const heard = kernel.stdout.length;
  await come();
  const back = await eventually('the kernel tells that it is back', () =>
    timeOfLast(told, kernel.stdout.slice(heard)),
  );
  return { inFlight, meanwhile, gone, back };
}

async function sleep({ link, service, asking }: Stage) {
  service.signal('SIGSTOP');
  const gone = Date.now();
  const inFlight = count - outcomesOf(asking).length;
  await link.wire.cut({ port: 853 });
  await pause(orderedOutageMs);
  const back = Date.now();
  service.signal('SIGCONT');
  return { inFlight, meanwhile: undefined, gone, back };
}

function outcomesOf(asking: Program): Outcome[] {
  const lines = asking.stdout.split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Outcome);
}

/** Whether the process has a socket for what the kernel reports of links and routes (NETLINK_ROUTE, with groups). */
function isListening(pid: number): boolean {
  const sockets = readFileSync(`/proc/${pid}/net/netlink`, 'utf8').split('\n').slice(1);
  return sockets.some((line) => {
    const [, protocol, owner, groups = ''] = line.trim().split(/ +/);
    return protocol === '0' && owner === `${pid}` && Number.parseInt(groups, 16) > 0;
  });
}

const defaultRoute = /^\[([\dT:.-]+)\] default via/gm;

/** The time of the last such line, in unix milliseconds; the program takes times in this machine's zone. */
function timeOfLast(line: RegExp, told: string): number | null {
  const [, at] = [...told.matchAll(line)].at(-1) ?? [];
  return at === undefined ? null : Date.parse(at);
}
