/** The fixture's real systemd-resolved and NetworkManager do what tests rely on. */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { webAddress } from './internet.ts';
import { gateway, internalAddress, internalZone } from './local-network.ts';
import { digOn, getentOn } from './lookup.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, resolvectl, stubAddress } from './resolved.ts';

describeInNetworks(['systemd-resolved', 'busctl', 'NetworkManager', 'dig'], 'a machine', () => {
  it('has systemd-resolved, to which NetworkManager passes what DHCP sent', async () => {
    const lab = await labForTest();
    const { client } = await NetworkStage.open(lab, { addresses: 'none' });
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    await NetworkManager.start(lab, client, { dns: 'systemd-resolved' });
    // it passes on one thing after the other
    await expect
      .poll(() => resolved.link('eth0'))
      .toMatchObject({
        dns: expect.toSatisfy((dns: string[]) => dns.length === 2 && dns.includes(gateway.v4)),
        domains: [internalZone],
        defaultRoute: true,
        dnsOverTls: 'no',
      });
    expect(await getentOn(client, 'wiki')).toContain(internalAddress);
    const query = await eventually('resolved answers', async () => {
      const { code, stdout } = await client.run(resolvectl, ['query', '-4', 'far.example']);
      return code === 0 && stdout;
    });
    expect(query).toContain(webAddress.v4);
  });

  it('uses the servers of SetLinkDNSEx, with their ports, and still does after resolved was killed', async () => {
    const lab = await labForTest();
    const { client, network } = await NetworkStage.open(lab);
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    const index = await resolved.linkIndex('eth0');
    const [a, b, c, d] = gateway.v4.split('.') as [string, string, string, string];
    const server = ['1', '2', '4', a, b, c, d, '53', ''];
    await resolved.call('SetLinkDNSEx', 'ia(iayqs)', `${index}`, ...server);
    await resolved.call('SetLinkDomains', 'ia(sb)', `${index}`, '1', '.', 'true');
    expect(await resolved.link('eth0')).toMatchObject({ dns: [gateway.v4], domains: ['~.'] });
    await digOn(client, `@${stubAddress}`, 'through.far.example');
    await expect.poll(() => network.heard).toContain('through.far.example');
    await resolved.restart('SIGKILL');
    expect(await resolved.link('eth0')).toMatchObject({ dns: [gateway.v4], domains: ['~.'] });
    await client.shell('rm -r /run/systemd/resolve/netif');
    await resolved.restart('SIGKILL');
    expect(await resolved.link('eth0')).toMatchObject({ dns: [], domains: [] });
  });

  it('has an /etc/resolv.conf that NetworkManager writes where it is configured so', async () => {
    const lab = await labForTest();
    const { client, network } = await NetworkStage.open(lab, { addresses: 'none' });
    await client.startBus();
    const manager = await NetworkManager.start(lab, client, { dns: 'default' });
    await eventually('the gateway is the server', async () =>
      (await client.read('/etc/resolv.conf')).includes(`nameserver ${gateway.v4}`),
    );
    await network.carrier('down');
    await eventually('it noticed', async () => !(await manager.device()).includes('connected'));
    await expect.poll(() => client.read('/etc/resolv.conf')).not.toContain(gateway.v4);
    await network.carrier('up');
    await manager.connected();
    await eventually('the gateway is the server again', async () =>
      (await client.read('/etc/resolv.conf')).includes(`nameserver ${gateway.v4}`),
    );
  });
});
