/**
 * DNS settings of a link that a process holds, so that the kernel removes both with the process: what that achieves, and what it
 * does not. Decision 0019 says why Sotto does not take over DNS in this way.
 */
import { expect, it } from 'vitest';
import { describeInNetworks, locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, resolvectl, stubAddress } from './resolved.ts';

const device = 'lease0';
const ours = '192.0.2.153';
const once = ['+tries=1', '+time=30'];

describeInNetworks(['systemd-resolved', 'busctl', 'dig', 'socat'], 'dns as a lease', () => {
  it('ends with its holder at once, and then every name leaves in cleartext', async () => {
    const lab = await labForTest();
    const { client, network } = await NetworkStage.open(lab);
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    const tell = async (...words: string[]) => await client.succeed(resolvectl, ...words);
    await tell('dns', 'eth0', gateway.v4);
    await tell('domain', 'eth0', 'corp.example');
    const answering = ['--keep-in-foreground', '--no-resolv', '--conf-file=/dev/null'];
    const listening = ['--bind-interfaces', '--listen-address=127.0.0.1', '--port=5300'];
    const everything = [`--address=/#/${ours}`, '--user=root', '--log-facility=-'];
    const server = await client.start(locate('dnsmasq'), [
      ...answering,
      ...listening,
      ...everything,
    ]);
    await server.ready(async () => server.stderr.includes('started, version'));

    const tunnel = `TUN:10.98.0.1/32,tun-name=${device},tun-type=tun,iff-no-pi,iff-up`;
    const holder = await client.start(locate('socat'), [tunnel, 'EXEC:sleep infinity']);
    await holder.ready(async () => (await client.ip('-br', 'link')).includes(device));
    await eventually('resolved knows the link', async () => {
      await tell('dns', device, '127.0.0.1:5300');
      return true;
    });
    await tell('domain', device, '~.');
    await tell('default-route', device, 'yes');
    const ask = async (name: string) =>
      (await client.succeed('dig', `@${stubAddress}`, '+short', ...once, name)).trim();

    let names = 0;
    const next = () => ask(`n${++names}.far.example`);
    await eventually('resolved uses the link', async () => (await next()) === ours);
    expect(await ask('a.far.example')).toBe(ours);
    // A network's own domain is a more specific match than ours, so names that it claims go around us.
    expect(await ask('wiki.corp.example')).not.toBe(ours);
    await eventually('it is heard', () => network.heard.includes('wiki.corp.example'));
    expect(network.heard).not.toContain('a.far.example');

    const killed = performance.now();
    await holder.stop('SIGKILL');
    await eventually('the link is gone', async () => {
      return !(await client.ip('-br', 'link')).includes(device);
    });
    await eventually('resolved uses it no longer', async () => (await next()) !== ours);
    expect(await ask('b.far.example')).not.toBe(ours);
    console.log(
      `figure: a name left in cleartext ${Math.round(performance.now() - killed)} ms after the holder was killed`,
    );
    await eventually('it is heard', () => network.heard.includes('b.far.example'));
    await expect(resolved.link(device)).rejects.toThrow();
  });
});
