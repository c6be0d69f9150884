/** Portals that lie: on a network that needs no login, and with a redirect to another site. */
import { expect, it } from 'vitest';
import { defaultSettings } from '../../app/contract/settings/settings.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { PortalStatus } from '../../app/contract/system/portal.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { webAddress } from './internet.ts';
import { gateway } from './local-network.ts';
import { digOn, digOnce, firstRecord } from './lookup.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalNames } from './portal.ts';

/** Each observation is some programs one after the other. */
const observingMs = 180_000;
const patient = { timeout: 4 * observingMs };

describeInNetworks(['sotto', 'nft', 'dig'], 'a portal that lies', () => {
  it('is not even looked for where TLS gets through, under any policy', patient, async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    await Portal.start(lab, stage.network, { faked: true });
    for (const downgrade of ['refuse', 'warn', 'fallback']) {
      const service = await start(lab, stage, { downgrade });
      await until(service, 'private');
      // a busy computer looks for a portal before its first connection stands
      const seen = await undisturbed(service, async () => {
        const capture = await stage.capture();
        const address = await ask(stage, service, 'www.far.example');
        const { portal } = await service.json<{ portal: PortalStatus | null }>('portal', 'check');
        const { protection, clear, consentRequests } = await service.status();
        const queries = await capture.clearQueries();
        const opened = 'tcp.dstport == 80 && tcp.flags.syn == 1';
        const pages = await capture.rows(opened, ['frame.number']);
        const { state } = protection;
        return { address, portal, state, clear, consentRequests, queries, pages };
      });
      const nothing = { portal: null, clear: [], consentRequests: [], queries: [], pages: [] };
      expect(seen, downgrade).toEqual({ address: webAddress.v4, state: 'private', ...nothing });
      await service.stop();
    }
  });

  it('and leads to a bank can not choose the resolver for the bank', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const service = await start(lab, stage, { downgrade: 'warn' });
    await until(service, 'private');
    expect(await ask(stage, service, 'www.bank.example')).toBe(webAddress.v4);
    await service.logged('www.bank.example');

    const capture = await stage.capture();
    const portal = await Portal.start(lab, stage.network, {
      leadsTo: 'bank.example',
      stages: 1,
    });
    const refused = async (name: string) =>
      expect(await digOnce(stage.client, ...words(service, name)), name).toContain('SERVFAIL');
    // nobody gets through any more
    await refused('mail.far.example');
    const { portal: found } = await until(service, 'portal');
    expect(found).toMatchObject({ site: 'bank.example' });
    const allowed = await service.cli(
      'portal',
      'allow-site',
      'bank.example',
      '--minutes',
      '5',
      '--json',
    );
    expect(allowed.code).not.toBe(0);
    expect(JSON.parse(allowed.stderr).error.message).toContain('in your query log');
    for (const name of ['online.bank.example', 'mail.far.example']) await refused(name);
    expect((await service.status()).clear).toEqual([]);

    await portal.admit(stage.client);
    await until(service, 'private');
    expect(await ask(stage, service, 'online.bank.example')).toBe(webAddress.v4);
    const names = (await capture.clearQueries()).map(({ name }) => name);
    const nobodys = [...portalNames, ...probeNames];
    expect(names.filter((name) => !nobodys.includes(name))).toEqual([]);
    const { stdout } = await service.cli('ledger', '--json');
    expect(stdout.trim(), 'nothing was allowed').toBe('');
  });
});

/** Sotto's own probes may query these names without an entry, because no program looked them up. */
const probeNames = defaultSettings['portal.probes'].map(({ url }) => new URL(url).hostname);

async function start(
  lab: Lab,
  { client, internet }: NetworkStage,
  more: object,
): Promise<SottoService> {
  const settings = { upstreams: internet.upstreams, systemResolvers: [gateway.v4], ...more };
  return await SottoService.start(lab, settings, undefined, { on: client });
}

async function until(service: SottoService, state: string): Promise<ServiceStatus> {
  return await eventually(state, async () => {
    const status = await service.status();
    return status.protection.state === state && status;
  });
}

/** What is observed while no connection of the service is lost: on a busy computer one may be, and then it does look for a portal. */
async function undisturbed<Seen>(
  service: SottoService,
  observe: () => Promise<Seen>,
): Promise<Seen> {
  const counts = async () =>
    (await service.status()).upstreams.map(({ dials, failed }) => `${dials} ${failed}`).join();
  const unlessLost = async () => {
    const before = await counts();
    const seen = await observe();
    return (await counts()) === before && seen;
  };
  return await eventually('no connection is lost meanwhile', unlessLost, observingMs);
}

/** The first address. */
async function ask({ client }: NetworkStage, service: SottoService, name: string): Promise<string> {
  return firstRecord(await digOn(client, ...words(service, name)));
}

const words = ({ v4: { address, port } }: SottoService, name: string) => [
  `@${address}`,
  ...['-p', `${port}`],
  name,
];
