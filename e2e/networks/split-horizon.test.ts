/**
 * Internal names go to the resolvers that know them: a VPN's names come and go with it; for other networks a person decides once.
 */
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { gateway, internalAddress, internalZone } from './local-network.ts';
import { digOn, digOnce } from './lookup.ts';
import type { Machine } from './machine.ts';
import { Nat64, nat64Prefix } from './nat64.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, resolvectl } from './resolved.ts';
import { companyAddress, companyDns, companyZone, Vpn, vpnDevice } from './vpn.ts';

const isWithin = (name: string, zone: string) => name === zone || name.endsWith(`.${zone}`);

/** A busy computer loses its connection now and then, and would look for a login page then, in cleartext. */
const portal = { detect: false };

async function start(
  lab: Lab,
  { client, internet: { upstreams } }: NetworkStage,
  settings = {},
): Promise<SottoService> {
  const complete = { upstreams, portal, ...settings };
  const service = await SottoService.start(lab, complete, undefined, { on: client });
  await eventually('a private path is found', async () => {
    return (await service.status()).protection.state === 'private';
  });
  return service;
}

async function answer(client: Machine, { port }: SottoService, name: string, type = 'A') {
  return await digOn(client, '@127.0.0.1', '-p', `${port}`, name, type);
}

async function claimState(service: SottoService, zone: string): Promise<string | undefined> {
  const { claims } = await service.call('rule.list', {});
  return claims.find(({ suffix }) => suffix === zone)?.state;
}

async function claimIs(service: SottoService, zone: string, state: string | undefined) {
  await eventually(`the claim of ${zone} is ${state}`, async () => {
    return (await claimState(service, zone)) === state;
  });
}

/** What the engine does with the name once it has a rule for it; the list of rules shows the rule a moment before. */
async function explained(service: SottoService, name: string) {
  return await eventually(`a rule for ${name} is in force`, async () => {
    const said = await service.call('rule.explain', { name });
    return said.verdict === 'bypass' && said;
  });
}

async function entryOf(service: SottoService, rule: string): Promise<LedgerEntry | undefined> {
  return (await ledger(service)).find((entry) => entry.rule === rule);
}

async function closedEntryOf(service: SottoService, rule: string): Promise<LedgerEntry> {
  return await eventually(`the entry of ${rule} is closed`, async () => {
    const entry = await entryOf(service, rule);
    return entry !== undefined && entry.closed !== null && entry;
  });
}

/** One line for each entry. */
async function ledger(service: SottoService): Promise<LedgerEntry[]> {
  const { stdout } = await service.cli('ledger', '--json');
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LedgerEntry);
}

const resolvedNeeds = ['systemd-resolved', 'busctl', 'socat', 'dig'] as const;

describeInNetworks(resolvedNeeds, 'split horizon', () => {
  it('a VPN’s names go to its resolver alone, and end with it at once', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client } = stage;
    await client.startBus();
    await Resolved.start(lab, client);
    const vpn = await Vpn.open(lab, stage);
    const service = await start(lab, stage);
    const wiki = `wiki.${companyZone}`;
    const capture = await stage.capture();
    expect(await answer(client, service, wiki)).toContain('NXDOMAIN');

    await vpn.up();
    await vpn.tellResolved();
    await claimIs(service, companyZone, 'believed');
    expect((await service.call('rule.list', {})).inForce).toContainEqual({
      rule: companyZone,
      to: [`${companyDns}:53`],
      class: 'bypass',
      origin: { from: 'link', link: vpnDevice, by: 'resolved' },
    });
    const said = await explained(service, wiki);
    expect(said).toMatchObject({ verdict: 'bypass', rule: companyZone, clear: 'bypass' });
    expect(said.sentence).toContain(`link ${vpnDevice} brought (systemd-resolved)`);
    expect(await answer(client, service, wiki)).toContain(companyAddress);
    // The company's resolver has a record for this name, which must not be used.
    expect(await answer(client, service, 'www.far.example')).not.toContain('10.99.0.7');
    expect(await entryOf(service, companyZone)).toMatchObject({ closed: null, class: 'bypass' });

    await vpn.down('SIGKILL');
    await claimIs(service, companyZone, undefined);
    expect(await answer(client, service, wiki)).toContain('NXDOMAIN');
    await expect.poll(() => service.logged(wiki)).toMatchObject({ clear: 'none', rule: '' });
    await expect.poll(() => vpn.resolver.heard).toContain(wiki);
    const entry = await closedEntryOf(service, companyZone);
    expect(entry.closed).toContain('its rule is gone');
    await expect.poll(() => vpn.resolver.heard).toHaveLength(entry.count ?? -1);
    expect(vpn.resolver.heard.filter((name) => !isWithin(name, companyZone))).toEqual([]);
    expect(await capture.clearQueries()).toEqual([]);
  });

  it('a café does not learn the company’s names, whose rule leads to a distant address', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client } = stage;
    const cafe = await stage.capture();
    const rule = { suffix: companyZone, to: [companyDns] };
    const service = await start(lab, stage, { bypass: [rule], learnRules: 'off' });
    const { upstreams } = stage.internet;
    await service.apply({ upstreams, portal, bypass: [rule], strategy: 'race' });
    expect(await answer(client, service, 'www.far.example')).toContain('NOERROR');
    await service.stop();
    expect(await cafe.clearQueries()).toEqual([]);
  });

  it('a rule that leads to an address beyond a VPN sends its names only there', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const vpn = await Vpn.open(lab, stage);
    await vpn.up();
    const outside = await stage.capture();
    const rule = { suffix: companyZone, to: [companyDns] };
    const service = await start(lab, stage, { bypass: [rule], learnRules: 'off' });
    expect(vpn.resolver.heard).toEqual([]);
    const wiki = `wiki.${companyZone}`;
    expect(await answer(stage.client, service, wiki)).toContain(companyAddress);
    await expect.poll(() => vpn.resolver.heard).toContain(wiki);
    expect(await outside.clearQueries()).toEqual([]);
  });

  it('names of a rule that leads to a link are refused while the link does not exist', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client } = stage;
    await client.startBus();
    await Resolved.start(lab, client);
    const vpn = await Vpn.open(lab, stage);
    const rule = { suffix: `=wiki.${companyZone}`, to: [`link:${vpnDevice}`] };
    const service = await start(lab, stage, { bypass: [rule], learnRules: 'off' });
    const capture = await stage.capture();
    const words = ['@127.0.0.1', '-p', `${service.port}`, `wiki.${companyZone}`];
    const absent = await digOnce(client, ...words);
    expect(absent).toContain('SERVFAIL');
    expect(absent).toContain('nobody knows the resolvers');
    await vpn.up();
    await vpn.tellResolved();
    await eventually('the name is answered', async () => {
      return (await answer(client, service, `wiki.${companyZone}`)).includes(companyAddress);
    });
    await claimIs(service, companyZone, 'ignored');
    expect(await answer(client, service, `other.${companyZone}`)).toContain('NXDOMAIN');
    expect(vpn.resolver.heard).not.toContain(`other.${companyZone}`);
    expect(await capture.clearQueries()).toEqual([]);
  });

  it('what the network claims does not hold until a person agrees, who is asked once', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client, network } = stage;
    await client.startBus();
    await Resolved.start(lab, client);
    await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    await client.succeed(resolvectl, 'domain', 'eth0', internalZone, '~.', '~com');
    const service = await start(lab, stage);
    const before = await stage.capture();
    const name = `intra.${internalZone}`;
    await claimIs(service, internalZone, 'open');
    expect(await claimState(service, 'com')).toBe('too-wide');
    expect(await claimState(service, '')).toBe('too-wide');
    const health = async () => (await service.status()).health.map(({ code }) => code);
    await expect.poll(health).toContain('names-claimed');
    expect(await answer(client, service, name)).toContain('NXDOMAIN');
    expect(await before.clearQueries()).toEqual([]);
    expect(network.heard).not.toContain(name);

    const capture = await stage.capture();
    expect((await service.cli('rule', 'believe', internalZone)).code).toBe(0);
    expect(await answer(client, service, name)).toContain(internalAddress);
    await answer(client, service, 'www.example.com');
    await expect.poll(health).not.toContain('names-claimed');
    await service.stop();
    await service.restart();
    await claimIs(service, internalZone, 'believed');
    await explained(service, name);
    expect(await answer(client, service, name)).toContain(internalAddress);

    expect((await service.cli('rule', 'disbelieve', internalZone)).code).toBe(0);
    expect(await answer(client, service, name)).toContain('NXDOMAIN');
    const clear = await capture.clearQueries();
    expect(clear.length).toBeGreaterThan(0);
    expect(clear.filter((query) => !isWithin(query.name, internalZone))).toEqual([]);
    expect(new Set(clear.map(({ to }) => to))).toEqual(new Set([gateway.v4]));
    const counted = (await ledger(service)).reduce((sum, { count }) => sum + (count ?? 0), 0);
    expect(counted).toBe(clear.length);
  });
});

describeInNetworks(['NetworkManager', 'dig'], 'split horizon by NetworkManager', () => {
  it('DHCP’s search domain is a claim, and the network’s resolvers are where "network" leads', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab, { addresses: 'none' });
    const { client, network } = stage;
    await client.startBus();
    await NetworkManager.start(lab, client, { dns: 'none' });
    const bypass = [{ suffix: '192.168.77.0/24', to: ['network'] }];
    const service = await start(lab, stage, { bypass });
    await claimIs(service, internalZone, 'open');
    const reverse = '20.77.168.192.in-addr.arpa';
    await answer(client, service, reverse, 'PTR');
    await expect.poll(() => network.heard).toContain(reverse);
    expect(network.heard).not.toContain(`intra.${internalZone}`);
  });
});

describeInNetworks(['NetworkManager', 'socat', 'dig'], 'a VPN of NetworkManager', () => {
  it('has names from its connection, which are marked so and end with it', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab, { addresses: 'none' });
    const { client } = stage;
    await client.startBus();
    const manager = await NetworkManager.start(lab, client, {
      dns: 'none',
      configuration: ['[device-vpn]', `match-device=interface-name:${vpnDevice}`, 'managed=1'],
    });
    const vpn = await Vpn.open(lab, stage);
    const service = await start(lab, stage);
    const wiki = `wiki.${companyZone}`;
    expect(await answer(client, service, wiki)).toContain('NXDOMAIN');

    await vpn.managedUp(manager);
    expect(await manager.nmcli('-f', 'GENERAL.TYPE,IP4.DNS', 'device', 'show', vpnDevice)).toMatch(
      /tun[\s\S]*10\.99\.0\.53/,
    );
    await claimIs(service, companyZone, 'believed');
    const { inForce, claims } = await service.call('rule.list', {});
    expect(claims).toContainEqual({
      suffix: companyZone,
      link: vpnDevice,
      by: 'network-manager',
      vpn: true,
      to: [`${companyDns}:53`],
      state: 'believed',
    });
    expect(inForce).toContainEqual({
      rule: companyZone,
      to: [`${companyDns}:53`],
      class: 'bypass',
      origin: { from: 'link', link: vpnDevice, by: 'network-manager' },
    });
    await explained(service, wiki);
    expect(await answer(client, service, wiki)).toContain(companyAddress);
    expect(await entryOf(service, companyZone)).toMatchObject({
      closed: null,
      reason: expect.stringContaining(`learned from link ${vpnDevice} by NetworkManager`),
    });

    await vpn.managedDown(manager);
    await claimIs(service, companyZone, undefined);
    expect((await service.call('rule.list', {})).inForce).not.toContainEqual(
      expect.objectContaining({ rule: companyZone }),
    );
    expect(await answer(client, service, wiki)).toContain('NXDOMAIN');
    await expect.poll(() => vpn.resolver.heard).toContain(wiki);
    const { heard } = vpn.resolver;
    expect(heard.filter((name) => !isWithin(name, companyZone))).toEqual([]);
    const entry = await closedEntryOf(service, companyZone);
    expect(entry.closed).toContain('its rule is gone');
    // Packets that left before the other end of the tunnel was reading were counted, too.
    expect(entry.count).toBeGreaterThanOrEqual(heard.length);
  });
});

describeInNetworks(['tayga', 'dig'], 'split horizon without IPv4', () => {
  it('the network’s own resolver tells whether there is a NAT64', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client } = stage;
    await Nat64.start(lab, stage);
    const service = await start(lab, stage, { systemResolvers: 'auto' });
    await eventually('the prefix is found', async () => {
      const said = await answer(client, service, 'ipv4only.arpa', 'AAAA');
      return said.includes(`${nat64Prefix}c000:aa`);
    });
    expect(await entryOf(service, 'ipv4only.arpa')).toMatchObject({ who: 'RFC 8880' });
  });
});
