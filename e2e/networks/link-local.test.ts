/** Resolvers of one link, such as fe80::1%v0 (RFC 4007): as the system names them, in a bypass rule, and as an upstream. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { digOn, digOnce, firstRecord } from './lookup.ts';

const names = { 'www.corp.example': ['A 192.0.2.20'], 'www.example': ['A 198.51.100.1'] };
const serverName = 'dns.example';

describeInNetworks(['sotto', 'dig', 'openssl'], 'resolvers of one link', () => {
  it('are asked wherever they are named', async () => {
    const lab = await labForTest();
    const computer = await Namespace.create(lab, 'computer');
    const router = await Namespace.create(lab, 'router');
    const peer = ['type', 'veth', 'peer', 'name', 'v1', 'netns', router.name];
    await computer.ip('link', 'add', 'v0', ...peer);
    await computer.ip('link', 'set', 'v0', 'up');
    await router.ip('link', 'set', 'v1', 'up');
    await computer.ip('addr', 'add', 'fe80::2/64', 'dev', 'v0', 'nodad');
    await router.ip('addr', 'add', 'fe80::1/64', 'dev', 'v1', 'nodad');
    const ca = await CertificateAuthority.create(lab);
    const identity = await ca.issue({ for: [`DNS:${serverName}`] });
    await Resolver.start(lab, router, { addresses: ['fe80::1%v1'], names, identity });
    // as `ip netns exec` mounts it there
    const folder = join('/etc/netns', computer.name);
    mkdirSync(folder, { recursive: true });
    lab.adopt({ stop: async () => rmSync(folder, { recursive: true }) });
    writeFileSync(join(folder, 'resolv.conf'), 'nameserver fe80::1%v0\n');

    const service = await SottoService.start(
      lab,
      {
        systemResolvers: 'auto',
        bypass: [
          { suffix: 'corp.example', to: ['fe80::1%v0'] },
          { suffix: 'lab.example', to: ['[fe80::1%no-link]:53'] },
        ],
        upstreams: [
          {
            id: 'router',
            transport: 'dot',
            address: '[fe80::1%v0]:853',
            name: serverName,
            ca: ca.certificate,
          },
        ],
      },
      undefined,
      { on: computer },
    );
    const here = ['@127.0.0.1', '-p', `${service.port}`];
    const asked = async (name: string) => firstRecord(await digOn(computer, ...here, name));
    expect(await asked('www.corp.example')).toBe('192.0.2.20');
    expect(await asked('www.example')).toBe('198.51.100.1');
    expect(await digOnce(computer, ...here, 'www.lab.example')).toContain('SERVFAIL');
    await service.logged('www.corp.example');
    for (const filter of ['fe80::1', 'fe80::1%v0', '[fe80::1%v0]:53', '[fe80::1%1]:53', 'fe80::*'])
      await expect
        .poll(async () => (await service.cli('log', `upstream:${filter}`)).stdout, {
          message: filter,
        })
        .toMatch(/www\.corp\.example.*\[fe80::1%v0\]:53/);
    expect((await service.cli('log', 'upstream:fe80::1%v1')).stdout).not.toContain('corp');
    expect((await service.cli('rule', 'explain', 'www.corp.example')).stdout).toContain(
      '[fe80::1%v0]:53',
    );
    expect((await service.cli('off')).code).toBe(0);
    expect(await asked('www.example')).toBe('198.51.100.1');
    await expect.poll(() => service.logged('www.example')).toMatchObject({ clear: 'off' });
  });

  it('are asked again after their link was made anew, and answered on a link that comes later', async () => {
    const lab = await labForTest();
    const computer = await Namespace.create(lab, 'computer');
    const router = await Namespace.create(lab, 'router');
    const makeLink = async () => {
      await computer.ip(
        'link',
        'add',
        'v0',
        'type',
        'veth',
        'peer',
        'name',
        'v1',
        'netns',
        router.name,
      );
      await router.ip('link', 'set', 'v1', 'up');
      await router.ip('addr', 'add', 'fe80::1/64', 'dev', 'v1', 'nodad');
      await computer.ip('link', 'set', 'v0', 'up');
      await computer.ip('addr', 'add', 'fe80::2/64', 'dev', 'v0', 'nodad');
    };
    // the default route does not change with it
    await computer.ip('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'out-end');
    await computer.ip('link', 'set', 'out-end', 'up');
    await computer.ip('link', 'set', 'out', 'up');
    await computer.ip('addr', 'add', '192.0.2.7/24', 'dev', 'out');
    await computer.ip('route', 'add', 'default', 'via', '192.0.2.1');
    await makeLink();
    const zone = { 'www.corp.example': ['A 192.0.2.20'] };
    const first = await Resolver.start(lab, router, { addresses: ['fe80::1%v1'], names: zone });
    const service = await SottoService.start(
      lab,
      {
        listen: ['127.0.0.1:5355', '[fe80::3%late]:5355'],
        bypass: [{ suffix: 'corp.example', to: ['fe80::1%v0'] }],
      },
      5355,
      { on: computer },
    );
    const asked = async (server: string) =>
      firstRecord(await digOnce(computer, server, '-p', '5355', 'www.corp.example'));
    await eventually('a name is answered', async () => {
      return (await asked('@127.0.0.1')) === '192.0.2.20';
    });
    await expect
      .poll(async () => (await service.status()).health)
      .toContainEqual(
        expect.objectContaining({ code: 'address-elsewhere', subject: '[fe80::3%late]:5355' }),
      );

    await first.stop();
    await computer.ip('link', 'delete', 'v0');
    await makeLink();
    await Resolver.start(lab, router, { addresses: ['fe80::1%v1'], names: zone });
    await eventually('the link is known by its new number', async () => {
      return (await asked('@127.0.0.1')) === '192.0.2.20';
    });
    await computer.ip('link', 'add', 'late', 'type', 'veth', 'peer', 'name', 'late-end');
    await computer.ip('link', 'set', 'late-end', 'up');
    await computer.ip('link', 'set', 'late', 'up');
    await computer.ip('addr', 'add', 'fe80::3/64', 'dev', 'late', 'nodad');
    await eventually('the link that came is answered on', async () => {
      return (await asked('@fe80::3%late')) === '192.0.2.20';
    });
  });
});
