/** Tests of the fixture: what a test in these networks can rely on. */
import { beforeAll, expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { webAddress } from './internet.ts';
import { gateway, internalAddress } from './local-network.ts';
import { digOn, firstRecord } from './lookup.ts';
import { NetworkStage } from './network-stage.ts';

describeInNetworks(['sotto', 'dig'], 'a computer in a network', () => {
  const lab = labForFile();
  let stage: NetworkStage;
  beforeAll(async () => {
    stage = await NetworkStage.open(lab);
  });

  async function ask(server: string, name: string): Promise<string> {
    return firstRecord(await digOn(stage.client, `@${server}`, name));
  }

  it('finds public and internal names through the network, and internal ones only there', async () => {
    expect(await ask(gateway.v4, 'www.far.example')).toBe(webAddress.v4);
    expect(await ask(gateway.v6, 'wiki.corp.example')).toBe(internalAddress);
    expect(await ask(stage.internet.openResolver, 'wiki.corp.example')).toBe('');
    await expect.poll(() => stage.network.heard).toContain('www.far.example');
    const { internalResolver } = stage.network;
    await expect.poll(() => [...new Set(internalResolver.heard)]).toEqual(['wiki.corp.example']);
  });

  it('has an /etc of its own', async () => {
    await stage.client.write('/etc/resolv.conf', 'nameserver 192.0.2.99\n');
    expect(await stage.client.read('/etc/resolv.conf')).toBe('nameserver 192.0.2.99\n');
  });

  it('runs the service, and an observer sees what leaves in cleartext', async () => {
    const capture = await stage.capture();
    const { upstreams } = stage.internet;
    const settings = { upstreams, portal: { detect: false } };
    const service = await SottoService.start(lab, settings, undefined, {
      on: stage.client,
    });
    await eventually('a private query has its response', async () => {
      const asked = await service.json<{ rcode: string }>('query', 'private.far.example');
      return asked.rcode === 'NOERROR';
    });
    await ask(gateway.v4, 'clear.far.example');
    const names = (await capture.clearQueries()).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['clear.far.example']));
    await expect.poll(() => stage.internet.resolver.heard).toContain('private.far.example');
  });
});
