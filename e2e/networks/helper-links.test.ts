/** Settings of a link in systemd-resolved and NetworkManager are taken and given back, the same to the last octet. */
import { expect, it } from 'vitest';
import { describeInNetworks, locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Helper, journalFile } from './helper.ts';
import { gateway } from './local-network.ts';
import type { Machine } from './machine.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, stubAddress } from './resolved.ts';

const ours = '192.0.2.153';
const here = (port: number) => [{ address: '127.0.0.1', port }];

describeInNetworks(['systemd-resolved', 'busctl', 'dig'], 'a link of systemd-resolved', () => {
  it('that had no settings leads to us, and has none again', async () => {
    const lab = await labForTest();
    const { machine, resolved, helper, link } = await open(lab);
    await answerOn(machine, 5300);
    const before = await settings(machine, link.index);
    const reply = await helper.ask({ verb: 'take-link', link, servers: here(5300) });
    expect(reply).toEqual({ taken: { mechanism: 'resolved', link } });
    expect(await resolved.link('eth0')).toEqual({
      dns: ['127.0.0.1:5300'],
      domains: ['~.'],
      defaultRoute: true,
      dnsOverTls: 'no',
      llmnr: 'no',
      multicastDns: 'no',
    });
    expect(await lookUp(machine, stubAddress)).toBe(ours);
    expect(await helper.ask({ verb: 'status' })).toMatchObject({
      held: [
        {
          mechanism: 'resolved',
          link,
          servers: here(5300),
          inPlace: true,
          givingBack: false,
          before: { servers: [], search: [], routed: [] },
        },
      ],
    });
    expect(await helper.ask({ verb: 'flush' })).toEqual({ flushed: true });
    const given = await helper.ask({ verb: 'give-back' });
    expect(given).toEqual({
      given: [{ mechanism: 'resolved', link, outcome: 'restored' }],
      kept: [],
    });
    expect(await settings(machine, link.index)).toBe(before);
    expect(await helper.ask({ verb: 'give-back' })).toEqual({ given: [], kept: [] });
    await expectNoJournal(machine);
  });

  it('whose servers another program had set has them again, and its search domains all the time', async () => {
    const lab = await labForTest();
    const { machine, resolved, helper, link } = await open(lab);
    await tellGateway(resolved, link.index);
    const before = await settings(machine, link.index);
    await helper.ask({ verb: 'take-link', link, servers: here(5300) });
    await helper.ask({ verb: 'take-link', link, servers: [...here(5301), ...here(5302)] });
    expect(await resolved.link('eth0')).toMatchObject({
      dns: ['127.0.0.1:5301', '127.0.0.1:5302'],
      domains: ['corp.example', '~.'],
    });
    expect(await helper.ask({ verb: 'status' })).toMatchObject({
      held: [
        {
          before: {
            servers: [{ address: gateway.v4, port: null }],
            search: ['corp.example'],
            routed: ['vpn.example'],
          },
        },
      ],
    });
    await helper.ask({ verb: 'give-back', only: { link } });
    expect(await settings(machine, link.index)).toBe(before);
  });

  it('that another program has changed since is left as it is', async () => {
    const lab = await labForTest();
    const { machine, resolved, helper, link } = await open(lab);
    await helper.ask({ verb: 'take-link', link, servers: here(5300) });
    await tellGateway(resolved, link.index);
    const theirs = await settings(machine, link.index);
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: false }] });
    expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
      given: [{ outcome: 'changed-since' }],
    });
    expect(await settings(machine, link.index)).toBe(theirs);
    // When it is taken again, their settings are remembered.
    await helper.ask({ verb: 'take-link', link, servers: here(5300) });
    await helper.ask({ verb: 'give-back' });
    expect((await resolved.link('eth0')).dns).toEqual([gateway.v4]);
  });

  it('is still ours after resolved and the helper were killed, and is given back by the command of boot and removal', async () => {
    const lab = await labForTest();
    const { machine, resolved, helper, link } = await open(lab);
    const before = await settings(machine, link.index);
    await helper.ask({ verb: 'take-link', link, servers: here(5300) });
    await helper.restart();
    await resolved.restart('SIGKILL');
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: true }] });
    const { code, stdout } = await helper.command(0, 'give-back');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: { given: [{ link }], kept: [] } }]);
    expect(await settings(machine, link.index)).toBe(before);
    await expectNoJournal(machine);
  });

  it('stays in the journal while resolved does not run, and leaves it with the link', async () => {
    const lab = await labForTest();
    const { machine, resolved, helper, link } = await open(lab);
    await helper.ask({ verb: 'take-link', link, servers: here(5300) });
    await resolved.stop('SIGKILL');
    expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
      given: [],
      kept: [{ link, failed: { code: 'mechanism-missing' } }],
    });
    expect(await helper.ask({ verb: 'status' })).toMatchObject({
      held: [{ inPlace: null, givingBack: true }],
    });
    await machine.ip('link', 'delete', 'eth0');
    expect(await helper.ask({ verb: 'give-back' })).toMatchObject({ given: [{ outcome: 'gone' }] });
    await expectNoJournal(machine);
  });

  it('is refused where there is no such link, the name belongs to another, or resolved does not run', async () => {
    const lab = await labForTest();
    const { resolved, helper, link } = await open(lab);
    const servers = here(5300);
    for (const wrong of [
      { ...link, name: 'eth1' },
      { ...link, index: link.index + 100 },
      { ...link, name: 'lo' },
    ])
      expect(await helper.reply({ verb: 'take-link', link: wrong, servers })).toMatchObject({
        failed: { code: 'no-such-link' },
      });
    await resolved.stop();
    expect(await helper.reply({ verb: 'take-link', link, servers })).toMatchObject({
      failed: { code: 'mechanism-missing' },
    });
    expect(await helper.ask({ verb: 'status' })).toEqual({ held: [] });
  });
});

const withManager = ['systemd-resolved', 'busctl', 'NetworkManager', 'dig'] as const;
describeInNetworks(withManager, 'NetworkManager', () => {
  it.each(['distribution', 'administrator'] as const)(
    'leaves resolv.conf to us, whatever it connects to, and writes it again, as the %s says',
    async (saidBy) => {
      const lab = await labForTest();
      const { client } = await NetworkStage.open(lab, { addresses: 'none' });
      await client.startBus();
      const manager = await NetworkManager.start(lab, client, { dns: 'default', saidBy });
      const helper = await Helper.start(lab, client);
      const resolvConf = async () => await client.read('/etc/resolv.conf');
      await answerOn(client, 53);
      await eventually('the network’s server', async () =>
        (await resolvConf()).includes(gateway.v4),
      );
      const before = await applied(client);

      const servers = [...here(53), { address: '::1', port: 53 }];
      const take = { verb: 'take-network-manager', servers, search: ['corp.example'] } as const;
      expect(await helper.ask(take)).toEqual({
        taken: { mechanism: 'network-manager', link: null },
      });
      const lines = async () =>
        (await resolvConf()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect(await lines()).toEqual([
        'nameserver 127.0.0.1',
        'nameserver ::1',
        'search corp.example',
      ]);
      expect(await throughSystem(client)).toBe(ours);
      const told = await resolvConf();
      await manager.nmcli('device', 'modify', 'eth0', 'ipv4.dns', '192.0.2.66');
      await manager.nmcli('connection', 'up', 'wired');
      await helper.restart();
      await manager.restart();
      expect(await resolvConf()).toBe(told);
      expect(await helper.ask({ verb: 'status' })).toMatchObject({
        held: [
          { mechanism: 'network-manager', link: null, inPlace: true, search: ['corp.example'] },
        ],
      });
      await helper.ask({ ...take, search: [] });
      expect(await lines()).toEqual(['nameserver 127.0.0.1', 'nameserver ::1']);

      await client.shell('! grep -r 127.0.0.1 /etc/NetworkManager');
      expect(await helper.ask({ verb: 'give-back' })).toEqual({
        given: [{ mechanism: 'network-manager', link: null, outcome: 'restored' }],
        kept: [],
      });
      await eventually('it writes the file again', async () => {
        const text = await resolvConf();
        return text.includes('Generated by NetworkManager') && text.includes(gateway.v4);
      });
      expect(await applied(client)).toEqual(before);
      await client.shell('! ls /run/NetworkManager/conf.d/zz-sotto.conf');
      await client.shell('! ls /etc/NetworkManager/conf.d/zz-sotto.conf');
      await expectNoJournal(client);
    },
  );

  it('tells resolved nothing about a link that is ours, and everything again afterwards', async () => {
    const lab = await labForTest();
    const { client } = await NetworkStage.open(lab, { addresses: 'none' });
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    const manager = await NetworkManager.start(lab, client, { dns: 'systemd-resolved' });
    const helper = await Helper.start(lab, client);
    const link = await linkOf(client);
    const said = async () => (await resolved.link('eth0')).dns;
    await eventually('what DHCP said', async () => (await said()).includes(gateway.v4));

    await helper.ask({ verb: 'take-link', link, servers: here(5300), search: ['lan.example'] });
    await manager.nmcli('device', 'modify', 'eth0', 'ipv4.dns', '192.0.2.66');
    await manager.nmcli('connection', 'up', 'wired');
    await manager.restart();
    expect(await resolved.link('eth0')).toMatchObject({
      dns: ['127.0.0.1:5300'],
      domains: ['lan.example', '~.'],
    });
    await helper.ask({ verb: 'give-back', only: { link } });
    expect(await helper.ask({ verb: 'give-back' })).toEqual({ given: [], kept: [] });
    await eventually('what DHCP said again', async () => (await said()).includes(gateway.v4));
    await expectNoJournal(client);
  });

  it('writes what it knows where another program has written the file since', async () => {
    const lab = await labForTest();
    const { client } = await NetworkStage.open(lab, { addresses: 'none' });
    await client.startBus();
    await NetworkManager.start(lab, client, { dns: 'default' });
    const helper = await Helper.start(lab, client);
    await helper.ask({ verb: 'take-network-manager', servers: here(53) });
    await client.write('/etc/resolv.conf', 'nameserver 192.0.2.66\n');
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: false }] });
    await helper.ask({ verb: 'take-network-manager', servers: here(53) });
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: true }] });
    await client.write('/etc/resolv.conf', 'nameserver 192.0.2.66\n');
    await helper.ask({ verb: 'give-back' });
    await eventually('the gateway again', async () =>
      (await client.read('/etc/resolv.conf')).includes(gateway.v4),
    );
    await expectNoJournal(client);
  });

  it('that does not run is a failure, and nothing is changed', async () => {
    const lab = await labForTest();
    const { client } = await NetworkStage.open(lab);
    await client.startBus();
    const helper = await Helper.start(lab, client);
    const before = await client.read('/etc/resolv.conf');
    expect(await helper.reply({ verb: 'take-network-manager', servers: here(53) })).toMatchObject({
      failed: { code: 'mechanism-missing' },
    });
    expect(await client.read('/etc/resolv.conf')).toBe(before);
    await client.shell('! ls /run/NetworkManager/conf.d/zz-sotto.conf');
    await expectNoJournal(client);
  });
});

async function open(lab: Lab) {
  const { client: machine } = await NetworkStage.open(lab);
  await machine.startBus();
  const resolved = await Resolved.start(lab, machine);
  const helper = await Helper.start(lab, machine);
  return { machine, resolved, helper, link: await linkOf(machine) };
}

async function linkOf(machine: Machine): Promise<{ index: number; name: string }> {
  const [link] = JSON.parse(await machine.ip('-j', 'link', 'show', 'eth0'));
  return { index: link.ifindex, name: 'eth0' };
}

/** Every name has the same address. */
async function answerOn(machine: Machine, port: number): Promise<void> {
  const answer = [`--address=/#/${ours}`, `--port=${port}`, '--listen-address=127.0.0.1,::1'];
  const bare = ['--keep-in-foreground', '--bind-interfaces', '--no-resolv', '--no-hosts'];
  const program = await machine.start(locate('dnsmasq'), [
    ...bare,
    ...answer,
    '--conf-file=/dev/null',
    '--user=root',
    '--log-facility=-',
  ]);
  await program.ready(async () => program.stderr.includes('started, version'));
}

let asked = 0;
async function lookUp(machine: Machine, server: string): Promise<string> {
  const name = `n${++asked}.far.example`;
  const words = [`@${server}`, '+short', '+tries=1', '+time=30', name, 'A'];
  return (await machine.succeed('dig', ...words)).trim();
}

/** Looks a name up as any program does. */
async function throughSystem(machine: Machine): Promise<string> {
  const { stdout } = await machine.run('getent', ['ahostsv4', `n${++asked}.far.example`]);
  return stdout.split(' ')[0] ?? '';
}

async function tellGateway(resolved: Resolved, index: number): Promise<void> {
  const server = ['1', '2', '4', ...gateway.v4.split('.')];
  await resolved.call('SetLinkDNS', 'ia(iay)', `${index}`, ...server);
  const domains = ['2', 'corp.example', 'false', 'vpn.example', 'true'];
  await resolved.call('SetLinkDomains', 'ia(sb)', `${index}`, ...domains);
  await resolved.call('SetLinkLLMNR', 'is', `${index}`, 'resolve');
}

/** Resolved's settings of the link, those it would have after its own restart, and the file that programs read. */
async function settings(machine: Machine, index: number): Promise<string> {
  return await machine.shell(
    `path=$(busctl --json=short call org.freedesktop.resolve1 /org/freedesktop/resolve1 org.freedesktop.resolve1.Manager GetLink i "$1" | sed 's/.*\\["\\(.*\\)"\\].*/\\1/')
     busctl call org.freedesktop.resolve1 "$path" org.freedesktop.DBus.Properties GetAll s org.freedesktop.resolve1.Link
     readlink /etc/resolv.conf
     grep -v '^#' /etc/resolv.conf || :`,
    `${index}`,
  );
}

/** The connection that is in force; the second half is how often it was applied. */
async function applied(machine: Machine): Promise<unknown> {
  const path = `path=$(busctl --json=short call org.freedesktop.NetworkManager /org/freedesktop/NetworkManager org.freedesktop.NetworkManager GetDeviceByIpIface s eth0 | sed 's/.*\\["\\(.*\\)"\\].*/\\1/')
busctl --json=short call org.freedesktop.NetworkManager "$path" org.freedesktop.NetworkManager.Device GetAppliedConnection u 0`;
  return JSON.parse(await machine.shell(path)).data[0];
}

async function expectNoJournal(machine: Machine): Promise<void> {
  expect((await machine.run('test', ['-e', journalFile])).code).toBe(1);
}
