/** A hotspot: the system's DNS stays strict, the login has a route of its own, and ends when an upstream responds. */
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { OpenedPortal, PortalStatus } from '../../app/contract/system/portal.ts';
import { describeInNetworks } from '../rig/available.ts';
import { callService } from '../rig/call-service.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Capture } from '../rig/network/capture.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Dhclient } from './dhclient.ts';
import { webAddress } from './internet.ts';
import { gateway } from './local-network.ts';
import type { Machine } from './machine.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalNames } from './portal.ts';

describeInNetworks(
  ['nft', 'dig', 'curl', 'NetworkManager', 'isc-dhcp-client'],
  'a network that wants a login',
  () => {
    it('is passed in two stages by a SOCKS client, and only its names leave in cleartext', async () => {
      const { lab, client, network, internet } = await stage();
      await Portal.start(lab, network, { silent: true });
      const capture = await seen(lab, client);
      const service = await start(lab, client, internet.upstreams, noPages);
      const found = await loginSeenBy(service, 'address');
      expect(found).toMatchObject({
        site: portalNames[0],
        url: `http://${portalNames[0]}/welcome`,
        byItself: false,
        login: null,
      });
      const { clear } = await eventually('the state follows', async () => {
        const status = await service.status();
        return status.protection.state === 'portal' && status;
      });
      expect(clear).toEqual([]);
      expect(await answer(client, service)).toContain('SERVFAIL');

      const opened = await service.json<OpenedPortal>('portal', 'open');
      expect(await get(client, opened, opened.url)).toContain('<title>Welcome</title>');
      expect(await post(client, opened, `http://${portalNames[0]}/accept`)).toContain('Your room');
      expect(await answer(client, service)).toContain('SERVFAIL');
      expect((await service.status()).portal?.login).not.toBeNull();
      expect(await post(client, opened, `http://${portalNames[1]}/room`)).toContain('connected');

      const after = await isPrivate(service);
      expect(after).toMatchObject({ portal: null, clear: [] });
      await isAnswered(client, service);
      await expect(get(client, opened, opened.url)).rejects.toThrow();

      const [entry, ...others] = await ledger(service);
      expect(others).toEqual([]);
      expect(entry).toMatchObject({ class: 'portal', closed: 'a private upstream answered' });
      const queries = await capture.clearQueries();
      const login = queries.filter(({ name }) => portalNames.includes(name));
      expect(login.length).toBeGreaterThan(0);
      expect(entry?.count).toBe(login.length);
      expect(queries.filter((one) => !login.includes(one))).toEqual([]);
      expect(new Set(queries.map(({ to }) => to))).toEqual(new Set([gateway.v4]));
      const logged = await eventually('the login is in the log', async () => {
        const found = await service.log({ outcome: 'portal', limit: 100 });
        return found.length > 0 && found;
      });
      expect(
        logged.every(({ name, clear }) => portalNames.includes(name) && clear === 'portal'),
      ).toBe(true);
    });

    it('is believed about itself over TLS, where DHCP named its API', async () => {
      const { lab, client, network, internet } = await stage({ addresses: 'none' });
      const portal = await Portal.start(lab, network);
      await Dhclient.start(lab, client);
      const distrusting = await start(lab, client, internet.upstreams);
      await loginSeenBy(distrusting, 'address');
      await distrusting.stop();
      await portal.trustedBy(client);
      const service = await start(lab, client, internet.upstreams);
      expect(await loginSeenBy(service, 'api')).toMatchObject({
        url: `https://${portalNames[0]}/welcome`,
      });
      await portal.admit(client);
      expect((await isPrivate(service)).clear).toEqual([]);
      expect(await ledger(service)).toEqual([]);
    });

    it('is believed where DHCPv6 named its API', async () => {
      const { lab, client, network, internet } = await stage();
      const portal = await Portal.start(lab, network);
      await portal.trustedBy(client);
      await Dhclient.start(lab, client, 6);
      const service = await start(lab, client, internet.upstreams);
      expect(await loginSeenBy(service, 'api')).toMatchObject({
        url: `https://${portalNames[0]}/welcome`,
      });
    });

    it('is noticed when it comes back in the middle of a stay', async () => {
      const { lab, client, network, internet } = await stage();
      const service = await start(lab, client, internet.upstreams);
      await isPrivate(service);
      const portal = await Portal.start(lab, network, { silent: true, stages: 1 });
      for (let time = 0; time < 2; time++) {
        await ask(client, service, `noticed${time}.far.example`);
        await loginWanted(service);
        const opened = await service.json<OpenedPortal>('portal', 'open');
        expect(await get(client, opened, opened.url)).toContain('<title>Welcome</title>');
        await portal.admit(client);
        await isPrivate(service);
        await isAnswered(client, service);
        await portal.expel();
        await closeConnections(client);
      }
      expect(await ledger(service)).toHaveLength(2);
    });

    it('ends the permission of fallback, opens by itself, and gives its one site to a browser', async () => {
      const { lab, client, network, internet } = await stage();
      const portal = await Portal.start(lab, network, { silent: true, stages: 1 });
      const capture = await seen(lab, client);
      const service = await start(lab, client, internet.upstreams, {
        downgrade: 'fallback',
        rungs: ['tcp', 'udp', 'network'],
        ...noPages,
      });
      expect((await loginWanted(service)).byItself).toBe(true);
      expect(await answer(client, service)).toContain('SERVFAIL');
      const [site = ''] = portalNames;
      await service.json('portal', 'allow-site', site, '--minutes', '5');
      expect((await service.status()).portal).toMatchObject({
        byItself: false,
        login: { by: 'browser' },
      });
      await eventually('the site is answered', async () =>
        (await ask(client, service, site)).includes(gateway.v4),
      );
      expect(await ask(client, service, `www.${site}`)).toContain('SERVFAIL');
      await portal.admit(client);
      const after = await isPrivate(service);
      expect(after.clear).toEqual([]);
      const entries = await entriesOf(service);
      expect(entries.filter(({ class: kind, count }) => kind !== 'portal' && count !== 0)).toEqual(
        [],
      );
      const left = await capture.clearQueries();
      expect(new Set(left.map(({ name }) => name))).toEqual(new Set([site]));
      const [entry] = await ledger(service);
      expect(entry?.count).toBe(left.length);
    });

    it('lets nobody use its port without the password, or after its time', async () => {
      const { lab, client, network, internet } = await stage();
      await Portal.start(lab, network, { silent: true, stages: 1 });
      const service = await start(lab, client, internet.upstreams);
      await loginWanted(service);
      const opened = await service.json<OpenedPortal>('portal', 'open');
      const { host, port } = opened.proxy;
      const stranger = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
      const tries = [
        ['--socks5-hostname', `${host}:${port}`],
        ['--socks5-hostname', `${host}:${port}`, '--proxy-user', `${opened.proxy.user}:wrong`],
        ['--proxy', `http://${host}:${port}`],
      ];
      for (const by of tries) {
        const [command = '', ...args] = [
          ...stranger,
          'curl',
          '-sS',
          '--max-time',
          '5',
          ...by,
          opened.url,
        ];
        const { stdout } = await client.run(command, args);
        expect(stdout).not.toContain('Welcome');
      }
      for (const inside of [
        `http://127.0.0.1:${service.port}/`,
        'http://192.168.77.53/',
        'http://[::1]/',
      ])
        await expect(get(client, opened, inside)).rejects.toThrow();
      expect((await ledger(service))[0]?.count).toBe(0);
      const byHttp = ['--proxy', `http://${host}:${port}`];
      const credentials = ['--proxy-user', `${opened.proxy.user}:${opened.proxy.password}`];
      expect(
        await client.succeed('curl', '-sS', '-L', ...byHttp, ...credentials, opened.url),
      ).toContain('Welcome');
      await service.json('portal', 'close');
      await expect(get(client, opened, opened.url)).rejects.toThrow();
      expect((await ledger(service))[0]).toMatchObject({ closed: 'closed' });
    });

    it('is noticed by NetworkManager, too', async () => {
      const { lab, client, network, internet } = await stage({ addresses: 'none' });
      await Portal.start(lab, network, { silent: true, stages: 1 });
      await client.startBus();
      await NetworkManager.start(lab, client, {
        dns: 'default',
        configuration: [
          '[connectivity]',
          'uri=http://nmcheck.gnome.org/check_network_status.txt',
          'interval=30',
        ],
      });
      await eventually('NetworkManager sees it', async () => {
        const { stdout } = await client.run('nmcli', ['-t', 'networking', 'connectivity', 'check']);
        return stdout.includes('portal');
      });
      const service = await start(lab, client, internet.upstreams);
      const { site } = await loginSeenBy(service, 'network-manager');
      expect(site).toBe(portalNames[0]);
    });
  },
);

/** A gateway that is slow for once would have Sotto fetch its pages of known text, by their names. */
const noPages = { portal: { probes: [] } };

async function stage(options: Parameters<typeof NetworkStage.open>[1] = {}) {
  const lab = await labForTest();
  const { client, network, internet } = await NetworkStage.open(lab, options);
  return { lab, client, network, internet };
}

async function seen(lab: Lab, client: Machine) {
  return await Capture.start(lab, client.namespace, 'eth0', gateway.v4);
}

async function start(lab: Lab, client: Machine, upstreams: unknown, more: object = {}) {
  const settings = { upstreams, systemResolvers: 'auto', ...more };
  return await SottoService.start(lab, settings, undefined, { on: client });
}

async function loginWanted(service: SottoService): Promise<PortalStatus> {
  return await eventually(
    'a login is wanted',
    async () => (await service.status()).portal ?? undefined,
  );
}

/** A server of the network that is slow for once leaves weaker evidence, until somebody has it looked at again. */
async function loginSeenBy(
  service: SottoService,
  evidence: PortalStatus['evidence'],
): Promise<PortalStatus> {
  return await eventually(`a login is wanted, as ${evidence} says`, async () => {
    const { portal } = await service.status();
    if (portal?.evidence === evidence) return portal;
    const checked = await callService(service.controlSocket, 'portal.check', {});
    return checked.portal?.evidence === evidence && checked.portal;
  });
}

/** The login's ledger entry is closed a moment after the portal is gone from the status. */
async function isPrivate(service: SottoService): Promise<ServiceStatus> {
  return await eventually('queries are private', async () => {
    const status = await service.status();
    const { protection, portal, clear } = status;
    const isOver = portal === null && clear.every((entry) => entry.class !== 'portal');
    return protection.state === 'private' && isOver ? status : undefined;
  });
}

async function ledger(service: SottoService): Promise<LedgerEntry[]> {
  return (await entriesOf(service)).filter((entry) => entry.class === 'portal');
}

async function entriesOf(service: SottoService): Promise<LedgerEntry[]> {
  const { stdout } = await service.cli('ledger', '--json');
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}

/** A query's time may run out while the machine stands still. */
async function isAnswered(client: Machine, service: SottoService): Promise<void> {
  await eventually('names are answered', async () =>
    (await answer(client, service)).includes(webAddress.v4),
  );
}

async function answer(client: Machine, service: SottoService): Promise<string> {
  return await ask(client, service, 'far.example');
}

async function ask(client: Machine, service: SottoService, name: string): Promise<string> {
  const { address, port } = service.v4;
  const once = ['+tries=1', '+time=30'];
  return (await client.run('dig', [`@${address}`, '-p', `${port}`, name, ...once])).stdout;
}

/** Cuts all connections, as a gateway does when the paid hour is over. */
async function closeConnections(client: Machine): Promise<void> {
  await client.run('ss', ['-K', 'dst', '198.51.100.53', 'or', 'dst', '198.51.100.54']);
}

async function get(client: Machine, { proxy }: OpenedPortal, url: string, ...more: string[]) {
  const { host, port, user, password } = proxy;
  const by = ['--socks5-hostname', `${host}:${port}`, '--proxy-user', `${user}:${password}`];
  return await client.succeed('curl', '-sS', '-L', '--max-time', '45', ...by, ...more, url);
}

async function post(client: Machine, opened: OpenedPortal, url: string) {
  return await get(client, opened, url, '--data', '');
}
