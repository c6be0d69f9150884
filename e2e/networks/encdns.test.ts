/**
 * EncDNS on the wire: the network's resolver carries boxes and learns no name, the server learns no internal one, and the ledger has
 * nothing to tell.
 */
import { expect, it } from 'vitest';
import type { ServiceStats } from '../../app/contract/status/service-stats.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { encdnsZone, startEncdnsServer } from '../rig/peers/encdns-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { webAddress } from './internet.ts';
import { gateway, internalAddress, internalDns, internalZone } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';

const port = 5353;

describeInNetworks(['sotto', 'sotto-server', 'dnsmasq', 'dig'], 'EncDNS on the wire', () => {
  it('shows the network boxes, and the server no internal name', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const { client, network, internet } = stage;
    const server = internet.openResolver;
    const { key } = await startEncdnsServer(lab, {
      on: internet.namespace,
      listen: `${server}:${port}`,
      answers: ['--to', server],
    });
    await network.configureDnsmasq([`server=/${encdnsZone}/${server}#${port}`]);
    const capture = await stage.capture();
    const service = await SottoService.start(
      lab,
      {
        upstreams: [
          { id: 'boxed', transport: 'encdns', zone: encdnsZone, key, address: 'network' },
        ],
        systemResolvers: [gateway.v4],
        bypass: [{ suffix: internalZone, to: [internalDns] }],
        downgrade: 'refuse',
        portal: { detect: false },
      },
      undefined,
      { on: client },
    );
    const ask = async (name: string, type = 'A') => {
      const from = ['@127.0.0.1', '-p', `${service.port}`, '+tries=1', '+time=30'];
      return (await client.run('dig', [...from, name, type, '+noall', '+comments', '+answer']))
        .stdout;
    };

    for (const [name, type, address] of [
      ['www.far.example', 'A', webAddress.v4],
      ['www.bank.example', 'AAAA', webAddress.v6],
      [`wiki.${internalZone}`, 'A', internalAddress],
    ] as const)
      await eventually(`${name} is answered`, async () => {
        return (await ask(name, type)).includes(address);
      });
    for (const name of [
      'printer.local',
      'nas.home.arpa',
      '9.77.168.192.in-addr.arpa',
      'hidden.onion',
    ])
      await ask(name, name.endsWith('arpa') ? 'PTR' : 'A');

    const boxesCounted = async () => {
      const { ownProbes } = await service.json<ServiceStats>('stats');
      return ownProbes.find(({ kind }) => kind === 'encdns')?.count ?? 0;
    };
    const countedBefore = await boxesCounted();
    // tshark compares names, because the octets of a box could be what separates its columns
    const queries = 'dns && dns.flags.response == 0 && !icmp';
    const isBoxed = `dns.qry.name contains "${encdnsZone}"`;
    const boxes = await capture.rows(`${queries} && ${isBoxed}`, ['ip.dst', 'dns.qry.type']);
    // the service may send some by itself while this looks
    expect(boxes.length).toBeGreaterThanOrEqual(countedBefore);
    expect(boxes.length).toBeLessThanOrEqual(await boxesCounted());
    expect(boxes.length).toBeGreaterThan(0);
    expect(boxes.filter(([to, type]) => to !== gateway.v4 || type !== '16')).toEqual([]);
    const others = await capture.rows(`${queries} && !(${isBoxed})`, ['dns.qry.name', 'ip.dst']);
    // besides, the engine looks whether that resolver leads back to it
    expect(others).toContainEqual([`wiki.${internalZone}`, internalDns]);
    const isInternal = ([name, to]: string[]) =>
      to === internalDns && name?.endsWith(`.${internalZone}`);
    expect(others.filter((query) => !isInternal(query))).toEqual([]);
    // the labels "far" and "bank"
    const named = 'frame contains 03:66:61:72 || frame contains 04:62:61:6e:6b';
    expect(await capture.rows(`${queries} && (${named})`, ['frame.number'])).toEqual([]);

    const opened = await eventually('it is heard', () => {
      const { heard } = internet.resolver;
      return heard.includes('www.far.example') && heard;
    });
    expect(opened.filter((name) => /local$|arpa$|onion$|corp/.test(name))).toEqual([]);

    const entries = (await service.cli('ledger', '--json')).stdout.split('\n').filter(Boolean);
    expect(entries.map((line) => (JSON.parse(line) as { class: string }).class)).toEqual([
      'bypass',
    ]);
  });
});
