/** A closed connection is opened again with a ticket, as the upstream's own counter shows. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { Dnsdist } from '../rig/peers/dnsdist.ts';
import { StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'after the connection was cut', () => {
  const lab = labForFile();
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(lab);
  });

  for (const transport of ['dot', 'tdns'] as const) {
    describeWith(['unbound-control'], transport, () => {
      it('unbound counts a resumed handshake', async () => {
        const cuttable = await StarttlsShim.start(
          lab,
          stage.unbound.tls,
          transport === 'dot' ? 'plain splice' : 'accept',
        );
        const resumed = () => stage.unbound.counter('num.query.tls.resume');
        const before = await resumed();
        const service = await serviceThrough(cuttable, transport);
        await eventually('unbound counts it', async () => {
          await dig(service.v4, plant(2));
          return (await resumed()) > before;
        });
        expect((await service.status()).upstreams[0]).toMatchObject({ tls: { resumed: true } });
        await service.stop();
      });
    });
  }

  describeWith(['dnsdist'], 'dnsdist', () => {
    it('counts a resumed handshake and no second full one', async () => {
      const dnsdist = await Dnsdist.start(lab, {
        identity: stage.identity,
        backend: stage.nsd.plain,
        probe: plant(0),
      });
      const cuttable = await StarttlsShim.start(lab, dnsdist.tls, 'plain splice');
      const full = () => dnsdist.tlsCounter('dnsdist_frontend_tlsnewsessions');
      let before = 0;
      const service = await serviceThrough(cuttable, 'dot', async () => {
        before = await full();
      });
      expect(await dnsdist.tlsCounter('dnsdist_frontend_tlsresumptions')).toBeGreaterThan(0);
      expect(before).toBeGreaterThan(0);
      expect(await full()).toBe(before);
      await service.stop();
    });
  });

  /** Sends a query, has the connection cut, and sends queries until a response came over a resumed one. */
  async function serviceThrough(
    path: StarttlsShim,
    transport: 'dot' | 'tdns',
    beforeCut = async () => {},
  ): Promise<SottoService> {
    const upstreams = [upstream('far', transport, path.endpoint, trusting(stage))];
    const service = await SottoService.start(lab, { upstreams, cache: { entries: 0 } });
    expect((await digInTime(service.v4, plant(1))).status).toBe('NOERROR');
    await beforeCut();
    path.cut();
    await eventually('a resumed connection', async () => {
      expect((await dig(service.v4, plant(2))).status).toBe('NOERROR');
      return ((await service.status()).upstreams[0]?.resumptions ?? 0) > 0;
    });
    return service;
  }
});
