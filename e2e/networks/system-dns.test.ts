/**
 * With the real service, helper, systemd-resolved or NetworkManager: when this machine's programs query Sotto, and when they do
 * not.
 */
import { expect, it } from 'vitest';
import type { SystemDnsDetails } from '../../app/contract/system/system-dns.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Helper } from './helper.ts';
import { webAddress } from './internet.ts';
import { gateway } from './local-network.ts';
import { getentOn } from './lookup.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, resolvectl } from './resolved.ts';
import { isTold } from './told-in-journal.ts';
import { companyDns, companyZone, Vpn, vpnDevice } from './vpn.ts';

const ours = ['127.0.0.1:5300'];

interface Shown {
  links: { name: string; resolvers: string[]; domains: string[] }[];
}

interface NetworkSet {
  id: string;
  policy: string | null;
}

describeInNetworks(
  ['sotto', 'systemd-resolved', 'busctl'],
  'system DNS by systemd-resolved',
  () => {
    it('leads here when that is wanted, for programs and for resolvectl', async () => {
      const { stage, sotto, resolved } = await open(await labForTest());
      const capture = await stage.capture();
      const said = await take(sotto);
      expect(said.status).toMatchObject({ mechanism: 'resolved', taken: true, links: ['eth0'] });
      const told = { event: 'dns-taken', mechanism: 'resolved', links: ['eth0'] };
      await eventually('the journal tells it', () => isTold(sotto, told));
      expect(said.own).toEqual([`${gateway.v4}:53`]);
      expect(await resolved.link('eth0')).toMatchObject({ dns: ours, domains: ['~.'] });
      expect(await ask(stage, 'getent.far.example')).toContain(webAddress.v4);
      expect(await askResolved(stage, 'resolvectl.far.example')).toContain(webAddress.v4);
      const logged = (name: string) => expect.poll(() => sotto.log({ name }));
      await logged('getent.far.example').toContainEqual(
        expect.objectContaining({ outcome: 'forwarded' }),
      );
      await logged('resolvectl.far.example').toContainEqual(
        expect.objectContaining({ transport: 'dot' }),
      );
      expect(stage.network.heard).not.toContain('getent.far.example');
      expect(await capture.clearQueries()).toEqual([]);
    });

    it('decides the verdict: not in use before it is taken, protected once names arrive', async () => {
      const { stage, sotto } = await open(await labForTest());
      const status = async () => {
        const { code, stdout } = await sotto.cli('status');
        return [code, ...stdout.split('\n')];
      };
      const beginning = async () => (await status()).slice(0, 3);
      await expect
        .poll(beginning)
        .toEqual([
          1,
          expect.stringMatching(
            /^Not in use yet\. Sotto works, but this computer asks somebody else/,
          ),
          '→ Protect this computer: sotto system take',
        ]);
      expect(await ask(stage, 'before.far.example')).toContain(webAddress.v4);
      await expect.poll(() => stage.network.heard).toContain('before.far.example');

      await take(sotto);
      const line = async () => (await status()).slice(0, 2);
      await expect
        .poll(line)
        .toEqual([
          0,
          expect.stringMatching(/^Protected\. .* answers this computer's queries, encrypted\.$/),
        ]);
      expect(await ask(stage, 'after.far.example')).toContain(webAddress.v4);
      expect(stage.network.heard).not.toContain('after.far.example');

      await sotto.json('off');
      await expect
        .poll(line)
        .toEqual([1, 'Off – unencrypted. This computer asks its network, unencrypted.']);
    });

    it('leads here again after resolved has forgotten it, and after another program set other servers', async () => {
      const { stage, sotto, resolved } = await open(await labForTest());
      await take(sotto);
      await resolved.stop('SIGKILL');
      await stage.client.shell('rm -r /run/systemd/resolve/netif');
      await resolved.start();
      await eventually('it is told again', async () => isOurs(await resolved.link('eth0')));
      expect(await ask(stage, 'again.far.example')).toContain(webAddress.v4);
      await stage.client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
      await eventually('it is told once more', async () => isOurs(await resolved.link('eth0')));
      expect(stage.network.heard).not.toContain('again.far.example');
    });

    it.each(['file', 'resolvconf'])(
      'stays with resolved, and is taken back, while the settings name %s, which programs would go around',
      async (mechanism) => {
        const { stage, resolved, sotto } = await open(await labForTest(), 53);
        const isHere = async () => {
          const { dns, domains } = await resolved.link('eth0');
          return dns.join() === '127.0.0.1' && domains.includes('~.');
        };
        await take(sotto);
        await sotto.cli('config', 'set', 'systemDns.mechanism', mechanism);
        await eventually('it is told', async () => {
          const codes = (await sotto.status()).health.map(({ code }) => code);
          return codes.includes('system-dns-otherwise');
        });
        const named = Array.from(
          { length: 10 },
          (_, index) => `n${index}.${mechanism}.far.example`,
        );
        for (const name of named) await askResolved(stage, name);
        expect(stage.network.heard.filter((name) => named.includes(name))).toEqual([]);
        await stage.client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
        await eventually('it is told once more', isHere);
        await expect
          .poll(async () => (await sotto.status()).systemDns)
          .toMatchObject({ mechanism: 'resolved', trouble: { code: 'no-mechanism' } });
      },
    );

    it('is given back by off, taken again by on, and stays while paused', async () => {
      const { stage, sotto, resolved } = await open(await labForTest());
      const link = () => resolved.link('eth0');
      const before = await link();
      await take(sotto);
      await sotto.json('off');
      await expect.poll(link).toEqual(before);
      await expect
        .poll(async () => (await sotto.status()).systemDns)
        .toMatchObject({ taken: false, wanted: true, givenBackFor: 'off' });
      await sotto.json('on');
      await expect.poll(link).toSatisfy(isOurs);
      await sotto.json('pause', '10m');
      expect(await link()).toSatisfy(isOurs);
      expect(await ask(stage, 'paused.far.example')).toContain(webAddress.v4);
      await expect.poll(() => stage.network.heard).toContain('paused.far.example');
      await expect
        .poll(() => sotto.logged('paused.far.example'))
        .toMatchObject({ clear: 'paused' });
    });

    it('is given back by sotto stop, taken by the next start, and given back by a person', async () => {
      const { stage, sotto, resolved, taken } = await open(await labForTest());
      const link = () => resolved.link('eth0');
      const before = await link();
      await take(sotto);
      await sotto.quit();
      await expect.poll(link).toEqual(before);
      expect(await ask(stage, 'ended.far.example')).toContain(webAddress.v4);
      await expect.poll(() => stage.network.heard).toContain('ended.far.example');
      await sotto.restart();
      await taken();
      await sotto.json('system', 'give-back');
      await expect
        .poll(() => details(sotto))
        .toMatchObject({ status: { taken: false, wanted: false }, helper: { held: 0 } });
      await eventually('the journal tells it', () => isTold(sotto, { event: 'dns-given-back' }));
      await expect.poll(link).toEqual(before);
    });

    it.each([
      ['a death', (sotto: SottoService) => sotto.kill()],
      ['SIGTERM', (sotto: SottoService) => sotto.stop()],
    ])('stays ours over %s, and the next service knows that and gives it back', async (_, end) => {
      const { stage, sotto, resolved, taken } = await open(await labForTest());
      const before = await resolved.link('eth0');
      await take(sotto);
      await end(sotto);
      await stage.client.run('getent', ['ahostsv4', 'meanwhile.far.example']);
      expect(stage.network.heard).not.toContain('meanwhile.far.example');
      expect(isOurs(await resolved.link('eth0'))).toBe(true);
      await sotto.restart();
      await taken();
      await expect.poll(async () => (await details(sotto)).own).toEqual([`${gateway.v4}:53`]);
      await sotto.json('system', 'give-back');
      await expect.poll(() => resolved.link('eth0')).toEqual(before);
    });

    it('takes a VPN link once all its settings are there, and forgets it with the link', async () => {
      const lab = await labForTest();
      const { stage, sotto, resolved } = await open(lab);
      await take(sotto);
      const vpn = await Vpn.open(lab, stage);
      await vpn.up();
      await vpn.tellResolved();
      await eventually('the VPN link asks us', async () => isOurs(await resolved.link(vpnDevice)));
      const links = async () => (await sotto.status()).systemDns?.links;
      await eventually('it is told', async () => (await links())?.join() === `eth0,${vpnDevice}`);
      const vpnLink = async () =>
        (await sotto.json<Shown>('network', 'show')).links.find(({ name }) => name === vpnDevice);
      await expect
        .poll(vpnLink)
        .toMatchObject({ resolvers: [`${companyDns}:53`], domains: [`~${companyZone}`] });
      await vpn.down();
      await eventually('it is gone', async () => (await links())?.join() === 'eth0');
      expect(await ask(stage, 'after.far.example')).toContain(webAddress.v4);
    });

    it('writes to the journal that a policy was set for the network, with its id only', async () => {
      const { sotto } = await open(await labForTest());
      for (const word of ['refuse', 'default'] as const) {
        const set = await eventually('the network is known', async () => {
          return await sotto.json<NetworkSet>('network', 'set', '--policy', word);
        });
        expect(set.policy).toBe(word === 'refuse' ? 'refuse' : null);
        const told = { event: 'network-policy-set', network: set.id, policy: set.policy };
        await eventually('the journal tells it', () => isTold(sotto, told));
      }
    });

    it('finds by a probe that everything arrives, or what does not', async () => {
      const { stage, sotto } = await open(await labForTest());
      await expect
        .poll(() => probe(sotto))
        .toMatchObject([{ verdict: 'warn', remedy: 'lead them here: sotto system take' }]);
      await take(sotto);
      const subjects = async (verdict: string) =>
        (await probe(sotto)).filter((one) => one.verdict === verdict).map(({ subject }) => subject);
      await expect.poll(() => subjects('ok')).toEqual(['', 'programs', '127.0.0.53', 'eth0']);
      expect(stage.network.heard.filter((name) => name.startsWith('sotto-probe-'))).toEqual([]);
      await stage.client.write(
        '/etc/firefox/policies/policies.json',
        JSON.stringify({ policies: { DNSOverHTTPS: { Enabled: true } } }),
      );
      await stage.client.shell(
        'rm /etc/resolv.conf; printf "nameserver 127.0.0.53\\nnameserver $1\\n" > /etc/resolv.conf',
        gateway.v6,
      );
      await expect.poll(() => subjects('warn')).toEqual([gateway.v6, 'Firefox']);
    });
  },
);

describeInNetworks(['sotto', 'NetworkManager'], 'system DNS by NetworkManager', () => {
  it('leads here on port 53 and is given back', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab, { addresses: 'none' });
    await stage.client.startBus();
    await NetworkManager.start(lab, stage.client, { dns: 'default' });
    const resolvConf = async () => await stage.client.read('/etc/resolv.conf');
    await eventually('a server', async () => (await resolvConf()).includes(gateway.v4));
    await Helper.start(lab, stage.client);
    const sotto = await start(lab, stage, 53);
    const { status, own } = await take(sotto);
    expect(status).toMatchObject({ mechanism: 'network-manager', taken: true, links: [] });
    expect(own).toContain(`${gateway.v4}:53`);
    await eventually('resolv.conf names us', async () => {
      const text = await resolvConf();
      const others = [gateway.v4, gateway.v6].filter((address) => text.includes(address));
      return text.includes('nameserver 127.0.0.1') && others.length === 0;
    });
    expect(await ask(stage, 'nm.far.example')).toContain(webAddress.v4);
    expect(stage.network.heard).not.toContain('nm.far.example');
    await sotto.quit();
    await eventually('as before', async () => {
      const text = await resolvConf();
      return text.includes(gateway.v4) && !text.includes('127.0.0.1');
    });
  });
});

describeInNetworks(['sotto'], 'system DNS by /etc/resolv.conf', () => {
  it('leads here, and again each time that another program wrote the file; without a gate that is reported', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const before = await stage.client.read('/etc/resolv.conf');
    await Helper.start(lab, stage.client);
    const sotto = await start(lab, stage, 53);
    const { status, own } = await take(sotto);
    expect(status).toMatchObject({ mechanism: 'file', taken: true, links: [] });
    expect(own).toEqual([`${gateway.v4}:53`]);
    expect(await ask(stage, 'file.far.example')).toContain(webAddress.v4);
    expect(stage.network.heard).not.toContain('file.far.example');
    const isHere = async () =>
      (await stage.client.read('/etc/resolv.conf')).includes('nameserver 127.0.0.1');
    for (let change = 1; change <= 7; change++) {
      await stage.client.write('/etc/resolv.conf', `nameserver ${gateway.v4}\n# ${change}\n`);
      await eventually(`it names us after change ${change}`, isHere);
    }
    await expect
      .poll(() => sotto.status())
      .toMatchObject({
        systemDns: { givenBackFor: null, contest: { closed: false } },
        health: expect.arrayContaining([expect.objectContaining({ code: 'system-dns-contested' })]),
        clear: [{ class: 'contested', count: null }],
      });
    const told = { event: 'dns-contested', closed: false };
    await eventually('the journal tells it', () => isTold(sotto, told));
    await sotto.json('system', 'give-back');
    await expect.poll(() => stage.client.read('/etc/resolv.conf')).toContain(gateway.v4);
    expect(await stage.client.read('/etc/resolv.conf')).not.toBe(before);
  });

  it('without a helper says what to install, and is taken once that is there', async () => {
    const lab = await labForTest();
    const stage = await NetworkStage.open(lab);
    const sotto = await start(lab, stage, 53);
    const { code, stderr } = await sotto.cli('system', 'take');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /sotto-helper does not run .* – start it: sudo .*sotto-helper --for "\$USER"/,
    );
    await expect
      .poll(async () => (await sotto.status()).systemDns)
      .toMatchObject({ wanted: true, taken: false, trouble: { code: 'helper-missing' } });
    const health = async () => (await sotto.status()).health.map((issue) => issue.code);
    await expect.poll(health).toContain('system-dns-not-taken');
    await Helper.start(lab, stage.client);
    const isTaken = async () => (await sotto.status()).systemDns?.taken;
    await eventually('it is taken', isTaken);
    await expect.poll(health).not.toContain('system-dns-not-taken');
  });
});

async function open(lab: Lab, port = 5300) {
  const stage = await NetworkStage.open(lab);
  await stage.client.startBus();
  const resolved = await Resolved.start(lab, stage.client);
  await stage.client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
  await Helper.start(lab, stage.client);
  const sotto = await start(lab, stage, port);
  // The journal tells of what lasts longer than a fifth of a second.
  const taken = () => eventually('taken', () => isTold(sotto, { event: 'dns-taken' }));
  return { stage, resolved, sotto, taken };
}

async function start(lab: Lab, stage: NetworkStage, port: number): Promise<SottoService> {
  const settings = {
    upstreams: stage.internet.upstreams.slice(0, 1),
    listen: [`127.0.0.1:${port}`],
    systemResolvers: 'auto',
    // a busy computer looks for one before its first connection stands, in cleartext
    portal: { detect: false },
  };
  return await SottoService.start(lab, settings, port, { on: stage.client });
}

function isOurs({ dns, domains }: { dns: string[]; domains: string[] }): boolean {
  return dns.join() === ours.join() && domains.includes('~.');
}

/** On a busy computer a call to resolved may run out of its time; the service reports that and tries again. */
async function take(sotto: SottoService): Promise<SystemDnsDetails> {
  await sotto.json('system', 'take');
  return await eventually('taken', async () => {
    const said = await details(sotto);
    return said.status?.taken === true && said;
  });
}

async function details(sotto: SottoService): Promise<SystemDnsDetails> {
  return await sotto.call('system.status', {});
}

async function ask(stage: NetworkStage, name: string): Promise<string> {
  return await getentOn(stage.client, name);
}

async function askResolved({ client }: NetworkStage, name: string): Promise<string> {
  return await eventually(`resolved answers for ${name}`, async () => {
    const { code, stdout } = await client.run(resolvectl, ['query', '-4', name]);
    return code === 0 && stdout;
  });
}

async function probe(sotto: SottoService) {
  interface Finding {
    verdict: string;
    subject: string;
    remedy: string | null;
  }
  return (await sotto.json<{ findings: Finding[] }>('system', 'probe')).findings;
}
