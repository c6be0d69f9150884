/** Tickets as an observer sees them: none is shown twice, and none on another network than the one on which it was given. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import { describeInLab } from '../rig/available.ts';
import { selfSigned } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import type { Capture } from '../rig/network/capture.ts';
import { farAddress, Link } from '../rig/network/link.ts';
import { SottoServer, serverName } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone } from '../rig/zones/far.ts';

/** The networks differ in the gateway's hardware address. */
const gateways = { home: '02:00:5e:00:53:01', café: '02:00:5e:00:53:02' } as const;
/** The name of the key that sealed a ticket of RFC 5077's recommended form. */
const keyNameDigits = 32;

describeInLab(['sotto', 'sotto-server', 'openssl'], 'tickets', () => {
  const lab = labForFile();
  let link: Link;
  let server: SottoServer;
  beforeAll(async () => {
    link = await Link.open(lab);
    const identity = await selfSigned(lab, { for: [`DNS:${serverName}`] });
    server = await SottoServer.start(lab, {
      ...{ on: link.far, addresses: [farAddress.v4], identity, threads: 1 },
    });
  });

  it('are shown once each, and on no other network than their own', async () => {
    await enter('home');
    const service = await start();
    const home = await shown(async () => {
      await ask(service);
      await again(service);
      return await again(service);
    });
    expect(home.last.cost).toBe('resumed');
    expect(home.identities.length).toBeGreaterThanOrEqual(2);

    const café = await shown(async () => {
      await move(service, 'café');
      return await ask(service);
    });
    expect(café.identities, 'nobody there can tell who came').toEqual([]);

    await server.restart();
    const café2 = await shown(async () => {
      await again(service);
      await again(service);
      return await again(service);
    });
    expect(café2.last.cost).toBe('resumed');

    const back = await shown(async () => {
      await move(service, 'home');
      return await ask(service);
    });
    const all = [...home.identities, ...café2.identities, ...back.identities];
    expect(new Set(all).size, 'each is used once').toBe(all.length);
    expect(keyOf(back.identities[0]), 'the ticket was given at home').toBe(
      keyOf(home.identities[0]),
    );
    expect(keyOf(café2.identities.at(-1))).not.toBe(keyOf(home.identities[0]));
  });

  it('resume a session on the network where they were given, also after a stay on another network', async () => {
    await enter('home');
    const service = await start();
    await ask(service);
    await move(service, 'café');
    await ask(service);
    const before = await resumptions(service);
    const back = await shown(async () => {
      await move(service, 'home');
      return await ask(service);
    });
    expect(before.resumptions, 'of the connections in the café').toBe(0);
    const { dials, resumptions: resumed } = await resumptions(service);
    expect(dials).toBeGreaterThanOrEqual(1);
    // A slow machine may open a second connection, and give it up before it counts.
    expect(back.identities.length).toBeGreaterThanOrEqual(dials);
    expect(resumed, 'each resumes').toBe(dials);
  });

  it('are all dropped by "sotto upstream forget"', async () => {
    await enter('home');
    const service = await start();
    await ask(service);
    const forgotten = await service.json<{ tickets: number }>('upstream', 'forget', 'far');
    expect(forgotten.tickets).toBeGreaterThan(0);
    const after = await shown(async () => await ask(service));
    expect(after).toMatchObject({ identities: [], last: { cost: 'cold' } });
  });

  async function start(): Promise<SottoService> {
    const service = await SottoService.start(
      lab,
      {
        upstreams: [{ ...server.upstream('far'), alternative: false }],
        cache: { entries: 0 },
        connections: { keepWarm: false, fastOpen: false },
      },
      undefined,
      { on: link.client },
    );
    onTestFinished(async () => {
      await service.stop();
    });
    return service;
  }

  async function enter(network: keyof typeof gateways): Promise<void> {
    await link.unplug();
    await link.far.ip('link', 'set', 'eth0', 'address', gateways[network]);
    await link.plug();
  }

  /** Plugs the client into a network, and waits until the service has noticed. */
  async function move(service: SottoService, network: keyof typeof gateways): Promise<void> {
    const before = await networkOf(service);
    await enter(network);
    await eventually('the service knows the network', async () => {
      const now = await networkOf(service);
      return now !== before && (await resumptions(service)).state === 'ready';
    });
  }

  async function networkOf(service: SottoService): Promise<string> {
    const { network } = await service.json<{ network: { id: string } }>('network', 'show');
    return network.id;
  }

  async function resumptions(service: SottoService) {
    const [far] = (await service.status()).upstreams;
    if (far === undefined) throw new Error('the service has no upstream');
    return far;
  }

  async function ask(service: SottoService): Promise<QueryEvent> {
    const asked = await service.json<QueryEvent>('query', `host.${zone}`);
    expect(asked).toMatchObject({ rcode: 'NOERROR' });
    return asked;
  }

  /** Over a new connection. */
  async function again(service: SottoService): Promise<QueryEvent> {
    await link.wire.cut({ port: 853 });
    await eventually('the connection is gone', async () => {
      return (await resumptions(service)).state === 'idle';
    });
    return await ask(service);
  }

  /** The tickets in all hellos meanwhile, in their order. */
  async function shown<Last>(
    work: () => Promise<Last>,
  ): Promise<{ last: Last; identities: string[] }> {
    const capture = await link.capture();
    const last = await work();
    return { last, identities: await identitiesIn(capture) };
  }
});

async function identitiesIn(capture: Capture): Promise<string[]> {
  // On a slow machine TCP may send a hello again; it counts once.
  const hellos =
    'tls.handshake.type == 1 && tcp.dstport == 853 && !tcp.analysis.retransmission && !tcp.analysis.spurious_retransmission';
  const rows = await capture.rows(hellos, ['tls.handshake.extensions.psk.identity.identity']);
  return rows.flatMap(([identity = '']) => (identity === '' ? [] : [identity]));
}

function keyOf(identity = ''): string {
  return identity.replaceAll(':', '').slice(0, keyNameDigits);
}
