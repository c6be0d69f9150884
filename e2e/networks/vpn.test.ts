/** The fixture's VPN: its names are found only through it, and it leaves no settings behind. */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { getentOn } from './lookup.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved } from './resolved.ts';
import { companyAddress, companyDns, companyZone, Vpn, vpnDevice } from './vpn.ts';

const needs = ['systemd-resolved', 'busctl', 'socat', 'dig'] as const;

describeInNetworks(needs, 'a VPN', () => {
  it('brings its resolver, which systemd-resolved uses for its names only, until it is gone', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client } = stage;
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    const vpn = await Vpn.open(lab, stage);
    const name = `wiki.${companyZone}`;
    const direct = await client.run('dig', [`@${companyDns}`, name, '+tries=1', '+time=1']);
    expect(direct.stdout).not.toContain(companyAddress);

    const capture = await stage.capture();
    await vpn.up();
    await vpn.tellResolved();
    expect(await resolved.link(vpnDevice)).toMatchObject({
      dns: [companyDns],
      domains: [`~${companyZone}`],
      defaultRoute: false,
    });
    expect(await getentOn(client, name)).toContain(companyAddress);
    await expect.poll(() => vpn.resolver.heard).toContain(name);
    await vpn.down('SIGKILL');
    await expect(resolved.link(vpnDevice)).rejects.toThrow('does not exist');
    const names = (await capture.clearQueries()).map((query) => query.name);
    expect(names, 'the tunnel is closed to the observer').not.toContain(name);
  });

  it('is put into /etc/resolv.conf where there is no other mechanism', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const vpn = await Vpn.open(lab, stage);
    await vpn.up();
    await vpn.tellResolvConf();
    expect(await getentOn(stage.client, 'wiki')).toContain(companyAddress);
  });
});
