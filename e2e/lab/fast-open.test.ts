/** TCP Fast Open on the wire: what leaves with the SYN, to servers that accept it, and on paths that do not let it through. */
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { ProbeReport } from '../../app/contract/probing/probe-report.ts';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import { describeInLab } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import type { Capture } from '../rig/network/capture.ts';
import { Link } from '../rig/network/link.ts';
import { startFarUnbound } from '../rig/peers/far-unbound.ts';
import { SottoServer, serverName } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone } from '../rig/zones/far.ts';

const sottoServer = '198.51.100.53';
const unbound = '198.51.100.54';
/** What fits into a SYN on a path with IPv6 and a tunnel. */
const synOctets = 1400;
const ports = { dot: 853, tdns: 53 } as const;
type Transport = keyof typeof ports;

describeInLab(['sotto', 'sotto-server', 'unbound'], 'TCP Fast Open', () => {
  const lab = labForFile();
  let link: Link;
  const authorities: Record<string, string> = {};
  beforeAll(async () => {
    link = await Link.open(lab, { delayMs: 10, farAddresses: [sottoServer, unbound] });
    await link.client.sysctl('net.ipv4.tcp_fastopen', 3);
    await link.far.sysctl('net.ipv4.tcp_fastopen', 3);
    authorities[sottoServer] = (
      await SottoServer.start(lab, { on: link.far, addresses: [sottoServer] })
    ).ca;
    authorities[unbound] = await startFarUnbound(lab, link.far, unbound);
  });
  beforeEach(async () => {
    await link.wire.rules();
    // drops cookies, and what the kernel remembers of paths
    await link.client.ip('tcp_metrics', 'flush', 'all');
  });

  for (const [title, transport, address] of [
    ['the resumed hello, ticket and all, to sotto-server', 'dot', sottoServer],
    ['the resumed hello, ticket and all, to unbound', 'dot', unbound],
    ['the STARTTLS query, to sotto-server', 'tdns', sottoServer],
  ] as const)
    it(`carries ${title}`, async () => {
      const service = await start(transport, address);
      await ask(service);
      const capture = await link.capture();
      await cut(service, transport);
      const event = await ask(service);
      expect(event).toMatchObject({
        cost: 'resumed',
        roundTrips: transport === 'dot' ? 2 : 3,
      });
      const [syn, ...others] = await syns(capture, transport);
      expect(others).toEqual([]);
      expect(syn?.payload.length).toBeLessThanOrEqual(synOctets);
      expect(whatIsIn(syn?.payload ?? Buffer.alloc(0))).toBe(transport);
      expect(await test(service)).toMatchObject({ ok: true, fastOpen: 'accepted' });
    });

  it('is not used where the setting says so', async () => {
    const service = await start('dot', sottoServer, {
      connections: { fastOpen: false, keepWarm: false },
    });
    await ask(service);
    const capture = await link.capture();
    await cut(service, 'dot');
    expect(await ask(service)).toMatchObject({ cost: 'resumed', roundTrips: 3 });
    expect((await syns(capture, 'dot')).map(({ payload }) => payload.length)).toEqual([0]);
    expect(await test(service)).toMatchObject({ ok: true, fastOpen: 'off' });
  });

  it('counts the round trip where a path takes the data out of the SYN', async () => {
    const service = await start('tdns', sottoServer);
    await ask(service);
    await link.wire.rules({ do: { 'syn-data': 'strip' } });
    await cut(service, 'tdns');
    expect(await ask(service)).toMatchObject({ cost: 'resumed', roundTrips: 4 });
    expect(await test(service)).toMatchObject({ ok: true, fastOpen: 'not-used', roundTrips: 4 });
  });

  for (const transport of ['dot', 'tdns'] as const)
    it(`is tried without beside it where a path drops it, and not used there again (${transport})`, async () => {
      const service = await start(transport, sottoServer);
      await ask(service);
      await link.wire.rules({ do: { 'syn-data': 'drop' } });
      const first = await link.capture();
      await cut(service, transport);
      expect(await ask(service)).toMatchObject({ outcome: 'forwarded', upstream: 'far' });
      const [swallowed, joined] = await syns(first, transport);
      expect(swallowed?.payload.length).toBeGreaterThan(0);
      expect(joined?.payload.length, 'of another connection').toBe(0);

      const second = await link.capture();
      await cut(service, transport);
      expect(await ask(service)).toMatchObject({ outcome: 'forwarded' });
      const later = await syns(second, transport);
      expect(later.map(({ payload }) => payload.length)).toEqual([0]);
    });

  /** Only a query opens a connection. */
  async function start(transport: Transport, address: string, settings: object = {}) {
    const service = await SottoService.start(
      lab,
      {
        upstreams: [
          {
            ...{ id: 'far', transport, address, name: serverName, ca: authorities[address] },
            alternative: false,
          },
        ],
        cache: { entries: 0 },
        connections: { keepWarm: false },
        ...settings,
      },
      undefined,
      { on: link.client },
    );
    onTestFinished(async () => void (await service.stop()));
    return service;
  }

  async function ask(service: SottoService): Promise<QueryEvent> {
    const asked = await service.json<QueryEvent>('query', `host.${zone}`);
    expect(asked).toMatchObject({ rcode: 'NOERROR' });
    return asked;
  }

  async function test(service: SottoService): Promise<ProbeReport> {
    return await service.json<ProbeReport>('upstream', 'test', 'far');
  }

  /** Ends its connection, and the service notices. */
  async function cut(service: SottoService, transport: Transport): Promise<void> {
    await link.wire.cut({ port: ports[transport] });
    await eventually('the connection is gone', async () => {
      const { upstreams } = await service.status();
      return upstreams[0]?.state === 'idle';
    });
  }
});

interface Syn {
  port: string;
  payload: Buffer;
}

/** The first packet of each connection; the kernel repeats one to which a busy machine has not replied within a second. */
async function syns(capture: Capture, transport: Transport): Promise<Syn[]> {
  const filter = `tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.dstport == ${ports[transport]}`;
  const rows = await capture.rows(filter, ['tcp.srcport', 'tcp.payload']);
  const first = new Map<string, string>();
  for (const [port = '', payload = ''] of rows) if (!first.has(port)) first.set(port, payload);
  return [...first].map(([port, payload]) => ({
    port,
    payload: Buffer.from(payload.replaceAll(':', ''), 'hex'),
  }));
}

/** The whole SYN, without anything behind it. */
function whatIsIn(payload: Buffer): Transport | null {
  const isHello = payload[0] === 22 && payload[5] === 1;
  if (isHello && payload.readUInt16BE(3) === payload.length - 5) return 'dot';
  const isDummy = payload.includes('STARTTLS');
  return isDummy && payload.readUInt16BE(0) === payload.length - 2 ? 'tdns' : null;
}
