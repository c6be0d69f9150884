/**
 * Where systemd-networkd owns the link, resolved replies LinkBusy. The same calls then go to networkd, whose configuration holds
 * again afterwards.
 */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper } from './helper.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { startNetworkd, whyNoNetworkd } from './networkd.ts';
import { Resolved } from './resolved.ts';

const configuration = [
  '[Network]',
  'KeepConfiguration=yes',
  'IPv6AcceptRA=no',
  `DNS=${gateway.v4}`,
  'Domains=corp.example',
];

describeInNetworks(['systemd-resolved', 'busctl'], 'a link of systemd-networkd', () => {
  it('leads to us, and afterwards to networkd’s configured servers again', async (context) => {
    const reason = whyNoNetworkd();
    if (reason !== null) context.skip(reason);
    const lab = await labForTest();
    const { client } = await NetworkStage.open(lab);
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    await startNetworkd(lab, client, configuration);
    await eventually('networkd told resolved', async () => {
      return (await resolved.link('eth0')).dns.includes(gateway.v4);
    });
    const before = await resolved.link('eth0');
    const helper = await Helper.start(lab, client);
    const link = { index: await resolved.linkIndex('eth0'), name: 'eth0' };
    const servers = [{ address: '127.0.0.1', port: 5300 }];
    expect(await helper.ask({ verb: 'take-link', link, servers })).toEqual({
      taken: { mechanism: 'networkd', link },
    });
    // networkd writes a file for it
    await eventually('resolved has read it', async () => {
      expect(await resolved.link('eth0')).toMatchObject({
        dns: ['127.0.0.1:5300'],
        domains: ['corp.example', '~.'],
        llmnr: 'no',
      });
      return true;
    });
    expect(await helper.ask({ verb: 'status' })).toMatchObject({
      held: [{ mechanism: 'networkd', inPlace: true }],
    });
    expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
      given: [{ mechanism: 'networkd', outcome: 'restored' }],
    });
    await eventually('as it was', async () => {
      expect(await resolved.link('eth0')).toEqual(before);
      return true;
    });
  });
});
