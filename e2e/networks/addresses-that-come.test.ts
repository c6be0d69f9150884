/** Addresses in the settings that are none of this machine, or only later: IPv6 that is switched off, and a bridge that is not there. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInLab, sottoServer } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { farZone, zoneAddress } from '../rig/zones/far.ts';

describeInLab(['sotto', 'dig'], 'addresses that are not there', () => {
  for (const guarded of [false, true])
    it(`starts without IPv6 ${guarded ? 'under the guardian' : 'by itself'}, says so, and answers once it is there`, async () => {
      const { lab, computer } = await open();
      const service = await SottoService.start(lab, {}, undefined, { on: computer, guarded });
      const both = [`127.0.0.1:${service.port}`, `[::1]:${service.port}`];
      const { listening, health } = await service.status();
      expect(listening).toEqual(both.slice(0, 1));
      expect(health).toContainEqual(
        expect.objectContaining({ code: 'address-elsewhere', subject: both[1] }),
      );
      expect((await service.cli('status')).stdout).toContain(`[::1]:${service.port}`);

      await computer.sysctl('net.ipv6.conf.all.disable_ipv6', 0);
      await computer.sysctl('net.ipv6.conf.lo.disable_ipv6', 0);
      const asking = ['@::1', '-p', `${service.port}`, 'localhost', '+short', '+tries=1'];
      await eventually('it answers over IPv6', async () =>
        (await computer.run('dig', asking)).stdout.includes('127.0.0.1'),
      );
      const later = await service.status();
      expect(later.listening).toEqual(both);
      expect(later.health.map(({ code }) => code)).not.toContain('address-elsewhere');
      expect(later.health.map(({ code }) => code)).not.toContain('address-not-held');
    });

  it('starts where one address belongs to a bridge that is made later', async () => {
    const { lab, computer } = await open();
    const listen = ['127.0.0.1:5355', '172.17.0.1:5355'];
    const service = await SottoService.start(lab, { listen }, 5355, { on: computer });
    expect((await service.status()).listening).toEqual(listen.slice(0, 1));
    await computer.ip('link', 'add', 'docker0', 'type', 'bridge');
    await computer.ip('addr', 'add', '172.17.0.1/16', 'dev', 'docker0');
    const asking = ['@172.17.0.1', '-p', '5355', 'localhost', '+short', '+tries=1'];
    await eventually('it answers there', async () =>
      (await computer.run('dig', asking)).stdout.includes('127.0.0.1'),
    );
    expect((await service.status()).listening).toEqual(listen);
  });

  it('does not start where no address is one of this machine', async () => {
    const { lab, computer } = await open();
    const starting = SottoService.start(lab, { listen: ['[::1]:5355'] }, 5355, { on: computer });
    await expect(starting).rejects.toThrow('[::1]:5355 is not an address of this machine');
  });
});

describeInLab(['sotto-server', 'kdig'], 'addresses of sotto-server that are not there', () => {
  it('starts without IPv6, says so, and answers once it is there', async () => {
    const { lab, computer } = await open();
    const ca = join(lab.directory, 'ca.pem');
    const words = [
      '--zone',
      await farZone(lab),
      '--self-signed',
      'dns.test',
      '--certificate-out',
      ca,
    ];
    const doors = ['--dot', '127.0.0.1:8853', '[::1]:8853', '--metrics', '[::1]:9854'];
    const server = lab.adopt(await computer.start(sottoServer, [...words, ...doors]));
    await server.ready(async () => /"event":"ready"/.exec(server.stdout));
    for (const address of ['[::1]:8853', '[::1]:9854'])
      await eventually(`it says so of ${address}`, () =>
        server.stderr.includes(`${address} is not an address of this machine now`),
      );
    const ask = async (address: string) => {
      const over = ['+tls-hostname=dns.test', `+tls-ca=${ca}`, '+short', '+retry=0', '+time=30'];
      const asked = [`@${address}`, '-p', '8853', ...over, 'www.far.example', 'A'];
      return (await computer.run('kdig', asked)).stdout.trim();
    };
    expect(await ask('127.0.0.1')).not.toBe('');

    await computer.sysctl('net.ipv6.conf.all.disable_ipv6', 0);
    await computer.sysctl('net.ipv6.conf.lo.disable_ipv6', 0);
    await eventually('it answers over IPv6', async () => (await ask('::1')) !== '');
  });

  it('serves at an address of one link, and asks a server there', async () => {
    const { lab, computer } = await open();
    await computer.ip('link', 'add', 'cable', 'type', 'bridge');
    await computer.sysctl('net.ipv6.conf.lo.disable_ipv6', 0);
    await computer.sysctl('net.ipv6.conf.all.disable_ipv6', 0);
    await computer.ip('link', 'set', 'cable', 'up');
    await computer.ip('addr', 'add', 'fe80::53/64', 'dev', 'cable', 'nodad');
    const start = async (...words: string[]) => {
      const server = lab.adopt(await computer.start(sottoServer, words));
      await server.ready(async () => /"event":"ready"/.exec(server.stdout));
    };
    const cleartext = ['--signal', 'decline', '--udp-unproven', 'full'];
    const authority = '[fe80::53%cable]:5300';
    await start('--zone', await farZone(lab), '--starttls', authority, ...cleartext);
    await start('--to', authority, '--starttls', '127.0.0.1:5301', ...cleartext);
    const over = ['@127.0.0.1', '-p', '5301', '+short', '+retry=0', '+time=30'];
    const asked = [...over, 'www.far.example', 'A'];
    expect((await computer.run('kdig', asked)).stdout.trim()).toBe(zoneAddress);
  });
});

async function open(): Promise<{ lab: Lab; computer: Namespace }> {
  const lab = await labForTest();
  const computer = await Namespace.create(lab, 'computer');
  await computer.sysctl('net.ipv6.conf.all.disable_ipv6', 1);
  await computer.sysctl('net.ipv6.conf.lo.disable_ipv6', 1);
  return { lab, computer };
}
