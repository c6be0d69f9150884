/** Resolvers of one link, such as fe80::1%v0 (RFC 4007): as the system names them, in a bypass rule, and as an upstream. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import { labForTest } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import { SottoService } from '../rig/sotto-service.ts';

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
    const asked = async (name: string) => {
      const words = ['@127.0.0.1', '-p', `${service.port}`, name, '+short', '+tries=1', '+time=8'];
      return (await computer.run('dig', words)).stdout.trim();
    };
    expect(await asked('www.corp.example')).toBe('192.0.2.20');
    expect(await asked('www.example')).toBe('198.51.100.1');
    expect(await asked('www.lab.example')).toBe('');
    await service.logged('www.corp.example');
    for (const filter of ['fe80::1', 'fe80::1%v0', '[fe80::1%v0]:53', '[fe80::1%1]:53', 'fe80::*'])
      expect((await service.cli('log', `upstream:${filter}`)).stdout, filter).toMatch(
        /www\.corp\.example.*\[fe80::1%v0\]:53/,
      );
    expect((await service.cli('log', 'upstream:fe80::1%v1')).stdout).not.toContain('corp');
    expect((await service.cli('rule', 'explain', 'www.corp.example')).stdout).toContain(
      '[fe80::1%v0]:53',
    );
    expect((await service.cli('off')).code).toBe(0);
    expect(await asked('www.example')).toBe('198.51.100.1');
    expect(await service.logged('www.example')).toMatchObject({ clear: 'off' });
  });
});
