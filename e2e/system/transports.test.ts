/** Every encrypted path to every kind of server, with the clients that people use. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith, type Need } from '../rig/available.ts';
import { ask, type Client } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { Dnsdist } from '../rig/peers/dnsdist.ts';
import { KnotResolver } from '../rig/peers/knot-resolver.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { StarttlsShim } from '../rig/peers/starttls-shim.ts';
import type { Endpoint } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant, plantAddress } from '../rig/zones/garden.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

const clients: Client[] = ['dig', 'kdig', 'drill'];

interface Path {
  title: string;
  needs: Need[];
  transport: 'dot' | 'tdns';
  open(): Promise<Endpoint>;
}

describeWith(['sotto', 'nsd', 'unbound', 'openssl'], 'a query over', () => {
  const lab = labForFile();
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(lab);
  });

  const openDnsdist = () =>
    Dnsdist.start(lab, { identity: stage.identity, backend: stage.nsd.plain, probe: plant(0) });
  const openKnot = () =>
    KnotResolver.start(lab, {
      identity: stage.identity,
      backend: stage.nsd.plain,
      probe: plant(0),
    });
  const openServer = () =>
    SottoServer.start(lab, { identity: stage.identity, answers: stage.nsd.plain });
  const behindShim = async (to: Endpoint) => (await StarttlsShim.start(lab, to)).endpoint;

  const paths: Path[] = [
    { title: 'DoT to unbound', needs: [], transport: 'dot', open: async () => stage.unbound.tls },
    { title: 'DoT to NSD', needs: [], transport: 'dot', open: async () => stage.nsd.tls },
    {
      title: 'DoT to dnsdist',
      needs: ['dnsdist'],
      transport: 'dot',
      open: async () => (await openDnsdist()).tls,
    },
    {
      title: 'DoT to Knot Resolver',
      needs: ['kresd'],
      transport: 'dot',
      open: async () => (await openKnot()).tls,
    },
    {
      title: 'DoT to sotto-server',
      needs: ['sotto-server'],
      transport: 'dot',
      open: async () => (await openServer()).tls,
    },
    {
      title: 'T-DNS to unbound',
      needs: [],
      transport: 'tdns',
      open: () => behindShim(stage.unbound.tls),
    },
    {
      title: 'T-DNS to dnsdist',
      needs: ['dnsdist'],
      transport: 'tdns',
      open: async () => behindShim((await openDnsdist()).tls),
    },
    {
      title: 'T-DNS to sotto-server',
      needs: ['sotto-server'],
      transport: 'tdns',
      open: async () => (await openServer()).starttls,
    },
  ];

  for (const { title, needs, transport, open } of paths) {
    describeWith(needs, title, () => {
      let service: SottoService;
      beforeAll(async () => {
        service = await SottoService.start(lab, {
          upstreams: [upstream('far', transport, await open(), trusting(stage))],
        });
        return async () => void (await service.stop());
      });

      for (const [index, client] of clients.entries()) {
        describeWith([client], client, () => {
          it('gets a response over UDP and TCP, IPv4 and IPv6', async () => {
            for (const [offset, way] of ways(service).entries()) {
              const number = 1 + index * 4 + offset;
              const response = await eventually('an answer in time', async () => {
                const said = await ask(client, way.to, plant(number), 'A', { tcp: way.tcp });
                return said.status !== 'SERVFAIL' && said;
              });
              expect(response).toMatchObject({
                status: 'NOERROR',
                answers: [`A ${plantAddress(number)}`],
              });
            }
          });
        });
      }

      it('keeps its connection and logs what it did', async () => {
        let number = 40;
        const event = await eventually('a query on the connection that is there', async () => {
          number += 1;
          await ask('dig', service.v4, plant(number));
          const event = await service.logged(plant(number));
          return event.cost === 'reused' && event;
        });
        expect(event).toMatchObject({
          outcome: 'forwarded',
          transport,
          upstream: 'far',
          clear: 'none',
        });
        await expect
          .poll(() => service.status())
          .toMatchObject({
            upstreams: [{ id: 'far', transport, state: 'ready' }],
            protection: { state: 'private', upstream: 'far' },
          });
        // of more than twelve queries; a connection that is silent for a moment gets another one beside it
        expect((await service.status()).upstreams[0]?.dials).toBeLessThan(9);
      });
    });
  }
});

function ways(service: SottoService): { to: Endpoint; tcp: boolean }[] {
  return [service.v4, service.v6].flatMap((to) => [false, true].map((tcp) => ({ to, tcp })));
}
