/** What Sotto sends in cleartext without a name of a program is counted beside the ledger, as the wire counts it. */
import { expect, it } from 'vitest';
import type { OwnProbe } from '../../app/contract/protection/own-probes.ts';
import { defaultSettings } from '../../app/contract/settings/settings.ts';
import type { ServiceStats } from '../../app/contract/status/service-stats.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal } from './portal.ts';

const probeNames = defaultSettings['portal.probes'].map(({ url }) => new URL(url).hostname);

describeInNetworks(['sotto', 'nft'], 'what Sotto sends of its own accord', () => {
  it('is counted as the wire counts it, while the ledger stays empty', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client, network, internet } = stage;
    const capture = await stage.capture();
    // The portal intercepts only the pages by name, so that Sotto's probes look up the names.
    const portal = await Portal.start(lab, network, { silent: true, leavesAddresses: true });
    const settings = { upstreams: internet.upstreams, systemResolvers: [gateway.v4] };
    const service = await SottoService.start(lab, settings, undefined, { on: client });
    await eventually(
      'the portal is noticed',
      async () => (await service.status()).portal?.evidence === 'names',
    );
    await service.cli('portal', 'check');
    await portal.admit(client);
    await eventually(
      'private',
      async () => (await service.status()).protection.state === 'private',
    );

    const before = await ownProbes(service);
    const queries = await capture.clearMessages();
    const requests = await capture.rows('http.request && !tcp.analysis.retransmission', [
      'frame.number',
    ]);
    const after = await ownProbes(service);

    const seen: Record<OwnProbe['kind'], number> = {
      starttls: queries.filter(({ kind }) => kind === 'starttls').length,
      'portal-names': queries.filter(({ name }) => probeNames.includes(name)).length,
      'portal-pages': requests.length,
      'portal-api': 0,
      encdns: 0,
    };
    for (const [kind, count] of Object.entries(seen)) {
      expect(count, kind).toBeGreaterThanOrEqual(before[kind] ?? -1);
      expect(count, kind).toBeLessThanOrEqual(after[kind] ?? -1);
    }
    expect(seen['portal-names']).toBeGreaterThan(0);
    expect(seen['portal-pages']).toBeGreaterThan(0);
    const others = queries.filter(
      ({ kind, name }) => kind === 'query' && !probeNames.includes(name),
    );
    expect(others, 'no name that anybody asked for left').toEqual([]);
    expect((await service.cli('ledger', '--json')).stdout).toBe('');
    await eventually('the command says what was counted', async () => {
      const { 'portal-pages': pages } = await ownProbes(service);
      return (await service.cli('ledger')).stdout.includes(`${pages} pages of login probes`);
    });
  });
});

async function ownProbes(service: SottoService): Promise<Record<string, number>> {
  const stats = await service.json<ServiceStats>('stats');
  return Object.fromEntries(stats.ownProbes.map(({ kind, count }) => [kind, count]));
}
