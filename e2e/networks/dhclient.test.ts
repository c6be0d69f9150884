/**
 * dhclient with the package's hook, on a machine whose DNS leads to Sotto: through renewals and changes of network there is no
 * contest.
 */
import { expect, it } from 'vitest';
import { describeInNetworks, locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { succeed } from '../rig/process.ts';
import { AskingProgram } from './asking-program.ts';
import { Dhclient } from './dhclient.ts';
import { installHook, sayByDhcp } from './dhclient-hook.ts';
import { Gate } from './gate.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import { gateway, internalZone, type LocalNetwork } from './local-network.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';

const path = '/etc/resolv.conf';
const renewals = 5;
const needs = ['isc-dhcp-client', 'sotto', 'nft'] as const;

describeInNetworks(needs, 'a machine with dhclient and its hook', () => {
  it('leads to Sotto over renewals and networks, without a contest', async () => {
    const lab = await labForTest();
    const domain = (time: number) => [`dhcp-option=option:domain-name,d${time}.example`];
    const stage = await NetworkStage.open(lab, { addresses: 'none', dnsmasq: domain(0) });
    const { client, network, internet } = stage;
    await installHook(client);
    const dhclient = await Dhclient.start(lab, client, 4, often);
    await eventually('DHCP’s answer is in the file', async () =>
      (await client.read(path)).includes('d0.example'),
    );
    await Helper.start(lab, client);
    await Gate.start(lab, client);
    const upstreams = internet.upstreams.slice(0, 1);
    const settings = { upstreams, systemResolvers: 'auto', downgrade: 'refuse' };
    const service = await InstalledService.start(lab, client, settings);
    const details = () => service.call('system.status', {});
    const renewAgain = await renewInVain(network, dhclient);
    await service.json('system', 'take');
    const { since } = await eventually('it is taken', async () => {
      const { status } = await details();
      return status?.taken && status;
    });
    await renewAgain();
    await eventually('names are answered', async () =>
      (await client.run('getent', ['ahostsv4', 'far.example'])).stdout.includes('STREAM'),
    );

    const capture = await stage.capture();
    const asking = await AskingProgram.start(lab, client, 'renewed');
    for (let time = 1; time <= renewals; time++) {
      await network.configureDnsmasq(domain(time));
      const search = `search d${time}.example ${internalZone}.`;
      await eventually('it renews', async () => {
        const kept = await client.read(`${path}.before-sotto`);
        return kept.includes(search) && (await client.read(path)).includes(`${search}\n`);
      });
      expect(await details()).toMatchObject({
        own: [`${gateway.v4}:53`],
        status: { taken: true, since, contest: null },
        gate: { closed: null },
      });
    }
    await asking.more(5);
    await eventually('many names are looked up', () => asking.asked > 100);
    const names = (await capture.clearQueries()).map(({ name }) => name);
    expect(names.filter((name) => asking.numberOf(name) > 0)).toEqual([]);

    await dhclient.stop();
    const atCafe = await goToCafe(lab, client);
    await Dhclient.start(lab, client, 4, often);
    await eventually('the resolver of the other network is known', async () => {
      const { own, status, gate } = await details();
      expect([status?.contest, status?.since, gate.closed]).toEqual([null, since, null]);
      return own.length === 1 && own[0] === `${cafe}:53`;
    });
    await asking.more(20);
    expect(asking.leaked(atCafe())).toEqual([]);
    await service.json('system', 'give-back');
    await eventually('the newest answer is in the file', async () => {
      const text = `domain cafe.example\nsearch cafe.example\nnameserver ${cafe}\n`;
      return (await client.read(path)) === text;
    });
  });

  it.each([
    ['a file', ':'],
    ['a symbolic link', `mv ${path} /run/t; ln -s ../run/t ${path}`],
  ])('learns at once what DHCP sent where resolv.conf was %s', async (_, script) => {
    const lab = await labForTest();
    const { client, internet } = await NetworkStage.open(lab);
    await installHook(client);
    await client.shell(script);
    await Helper.start(lab, client);
    const { upstreams } = internet;
    const settings = { upstreams, systemResolvers: 'auto' };
    const service = await InstalledService.start(lab, client, settings);
    const details = () => service.call('system.status', {});
    await service.json('system', 'take');
    const started = Date.now();
    await eventually('it is taken', async () => {
      const { status, own } = await details();
      return status?.taken && own[0] === `${gateway.v4}:53`;
    });
    // the second check of the settings is over, and there is no further one without a cause
    await eventually('it is quiet', async () => Date.now() - started > 5000);
    await sayByDhcp(client, { new_domain_name_servers: '192.168.77.99' });
    await eventually('it is known', async () => (await details()).own[0] === '192.168.77.99:53');
    expect((await details()).status?.contest).toBeNull();
  });
});

/**
 * A renewal that is under way while DNS is taken would be a contest. Resolves when dhclient asks and nobody hears it; the function
 * returned ends that.
 */
async function renewInVain(
  { namespace }: LocalNetwork,
  dhclient: Dhclient,
): Promise<() => Promise<unknown>> {
  const nft = (script: string) => succeed(...namespace.inside(locate('nft'), [script]));
  await nft(`table inet deaf {
    chain input {
      type filter hook input priority filter;
      udp dport 67 drop;
    }
  }`);
  const soFar = dhclient.requests;
  // one request may have been answered before
  await eventually('it asks in vain', () => dhclient.requests > soFar + 1);
  return () => nft('delete table inet deaf');
}

/** It renews every two or three seconds, and requests a list of domains, as Debian's configuration does. */
const often = 'supersede dhcp-renewal-time 2;\nalso request domain-search;\n';
const cafe = '192.168.88.1';

/** Plugs the machine into another network with a DHCP server; returns what its resolver receives. */
async function goToCafe(lab: Lab, client: Machine): Promise<() => string[]> {
  const place = await Namespace.create(lab, 'cafe');
  await client.ip('link', 'delete', 'eth0');
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', client.namespace.name];
  await place.ip('link', 'add', 'lan', ...peer);
  await place.ip('addr', 'add', `${cafe}/24`, 'dev', 'lan');
  await place.ip('link', 'set', 'lan', 'up');
  await client.ip('link', 'set', 'eth0', 'up');
  const dnsmasq = await place.start(locate('dnsmasq'), [
    ...['--keep-in-foreground', '--user=root', '--pid-file=', '--log-facility=-', '--log-queries'],
    ...['--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--no-ping', '--interface=lan'],
    ...['--bind-interfaces', '--except-interface=lo', '--dhcp-authoritative'],
    ...[`--dhcp-leasefile=${lab.directory}/cafe-leases`, '--domain=cafe.example'],
    '--dhcp-range=192.168.88.100,192.168.88.199,1h',
  ]);
  lab.adopt(dnsmasq);
  await dnsmasq.ready(async () => dnsmasq.stderr.includes('started, version'));
  return () =>
    [...dnsmasq.stderr.matchAll(/query\[\w+\] (\S+) from/g)].map(([, name = '']) => name);
}
