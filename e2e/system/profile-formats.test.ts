/** Each exported file is judged by the program that it is for, which also asks through it where that can be tried. */
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine, describeWith, locate } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { freePort } from '../rig/ports.ts';
import { Program, run, succeed } from '../rig/process.ts';
import type { Endpoint } from '../rig/raw-client.ts';

const near = {
  id: 'near',
  transport: 'dot',
  address: ['192.0.2.1', '[2001:db8::1]:853'],
  name: 'dns.near.example',
};
const pin = `${'A'.repeat(43)}=`;

async function profileIn(lab: Lab, settings: Record<string, unknown>): Promise<string> {
  const file = join(lab.directory, 'corp.json');
  const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
  const entries = Object.entries(settings).map(([key, value]) => [key, { value, lock: 'locked' }]);
  await writeFile(file, JSON.stringify({ ...facts, settings: Object.fromEntries(entries) }));
  return file;
}

async function exported(lab: Lab, format: string, profile: string, ...more: string[]) {
  const file = join(lab.directory, `made.${format === 'stubby' ? 'yml' : format}`);
  await succeed(process.execPath, [
    commandLine,
    'profile',
    'export',
    format,
    profile,
    '--output',
    file,
    ...more,
  ]);
  return file;
}

/** A server, and where the other program shall listen. */
async function stage(lab: Lab) {
  const server = await SottoServer.start(lab);
  const here: Endpoint = { address: '127.0.0.1', port: await freePort() };
  return { server, here, listen: [`127.0.0.1:${here.port}`] };
}

const known = 'www.far.example';

/**
 * The status of its response, as soon as there is one. Where an answer is wanted, a failure may mean that its server took too long, and
 * it is asked again.
 */
async function eventuallySays(to: Endpoint, name: string, wanted: string): Promise<string> {
  return await eventually(`${name}: ${wanted}`, async () => {
    const { status } = await dig(to, name);
    return (status === wanted || wanted !== 'NOERROR') && status;
  });
}

describeWith(['stubby', 'sotto-server', 'dig'], 'stubby', () => {
  async function ask(
    wanted: 'NOERROR' | 'SERVFAIL',
    upstream: (server: SottoServer) => object,
  ): Promise<string> {
    const lab = await labForTest();
    const { server, here, listen } = await stage(lab);
    const profile = await profileIn(lab, { upstreams: [upstream(server)], listen });
    const file = await exported(lab, 'stubby', profile);
    const judged = await run(locate('stubby'), ['-C', file, '-i']);
    expect(`${judged.stdout}${judged.stderr}`).toMatch(
      /"?tls_authentication"?: GETDNS_AUTHENTICATION_REQUIRED/,
    );
    const program = lab.adopt(await Program.start(locate('stubby'), ['-C', file, '-l']));
    await program.line(/Starting DAEMON/i);
    return await eventuallySays(here, known, wanted);
  }

  it('asks the exported upstream over TLS', async () => {
    expect(await ask('NOERROR', (server) => server.upstream('near'))).toBe('NOERROR');
  });

  it('asks no other server: not one of another name, nor one with another key', async () => {
    const misnamed = (server: SottoServer) => ({
      ...server.upstream('near'),
      name: 'other.example',
    });
    const mispinned = (server: SottoServer) => ({ ...server.upstream('near'), pins: [pin] });
    for (const upstream of [misnamed, mispinned])
      expect(await ask('SERVFAIL', upstream)).toBe('SERVFAIL');
  });
});

describeWith(['unbound', 'sotto-server', 'dig'], 'unbound', () => {
  async function ask(
    more: object,
    names: readonly (readonly [name: string, wanted: 'NOERROR' | 'SERVFAIL'])[],
    bypass: object[] = [],
  ) {
    const lab = await labForTest();
    const { server, here, listen } = await stage(lab);
    const upstreams = [{ ...server.upstream('near'), ...more }];
    const profile = await profileIn(lab, { upstreams, listen, bypass, 'cache.serveStale': true });
    const file = await exported(lab, 'unbound', profile);
    const around = join(lab.directory, 'unbound.conf');
    await writeFile(
      around,
      `server:\n  chroot: ""\n  username: ""\n  do-daemonize: no\n  use-syslog: no\n  pidfile: "${lab.directory}/pid"\ninclude: "${file}"\n`,
    );
    expect(await succeed('unbound-checkconf', [around])).toContain('no errors');
    const program = lab.adopt(await Program.start(locate('unbound'), ['-d', '-p', '-c', around]));
    await program.ready(async () => (await dig(here, 'localhost')).status === 'NOERROR');
    for (const [name, wanted] of names)
      expect(await eventuallySays(here, name, wanted), name).toBe(wanted);
  }

  it('asks the exported upstream over TLS', async () => {
    await ask({}, [[known, 'NOERROR']]);
  });

  it('asks no server of another name', async () => {
    await ask({ name: 'other.example' }, [[known, 'SERVFAIL']]);
  });

  it('asks the resolvers of a bypass rule, and no upstream for its names', async () => {
    const lab = await labForTest();
    const plain = await SottoServer.start(lab);
    const rule = { suffix: 'far.example', to: [`127.0.0.1:${plain.starttls.port}`] };
    const names = [[known, 'NOERROR'] as const, ['www.other.example', 'SERVFAIL'] as const];
    await ask({ name: 'other.example' }, names, [rule]);
  });
});

describeWith(['nmcli'], 'NetworkManager', () => {
  it('reads the exported connection', async () => {
    const lab = await labForTest();
    const profile = await profileIn(lab, { upstreams: [near] });
    const file = await exported(lab, 'networkmanager', profile);
    const shell = `nmcli --offline connection modify connection.autoconnect yes < ${file}`;
    const read = await succeed('sh', ['-c', shell]);
    for (const line of [
      'dns-over-tls=2',
      'dns=192.0.2.1#dns.near.example;',
      'dns=2001:db8::1#dns.near.example;',
      'dns-search=~.;',
      'ignore-auto-dns=true',
    ])
      expect(read.split('\n')).toContain(line);
  });
});

describeWith(['plistutil', 'openssl'], 'a configuration profile for Apple’s systems', () => {
  it('is a property list', async () => {
    const lab = await labForTest();
    const profile = await profileIn(lab, { upstreams: [near] });
    const file = await exported(lab, 'mobileconfig', profile);
    const binary = `${file}.bin`;
    await succeed(locate('plistutil'), ['-i', file, '-f', 'bin', '-o', binary]);
    expect((await readFile(binary)).subarray(0, 8).toString('latin1')).toBe('bplist00');
    const back = await succeed(locate('plistutil'), ['-i', binary, '-f', 'xml']);
    expect(back).toMatch(/<key>ServerName<\/key>\s*<string>dns\.near\.example</);
    expect(back).toMatch(/<key>ProhibitDisablement<\/key>\s*<true\/>/);
    expect(back).toMatch(/<key>AllowFailover<\/key>\s*<false\/>/);
  });

  it('is signed by the certificate of the organisation, and openssl finds each change', async () => {
    const lab = await labForTest();
    const profile = await profileIn(lab, { upstreams: [near] });
    const at = (name: string) => join(lab.directory, name);
    const make = (kind: string[], name: string) =>
      succeed(locate('openssl'), [
        ...[
          'req',
          '-x509',
          '-nodes',
          '-newkey',
          ...kind,
          '-subj',
          '/CN=Example Corp',
          '-days',
          '30',
        ],
        ...['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)],
      ]);
    await make(['rsa:2048'], 'it');
    const words = ['--certificate', at('it.pem'), '--signing-key', at('it.key')];
    const file = await exported(lab, 'mobileconfig', profile, ...words);
    const judge = [
      ...['cms', '-verify', '-inform', 'DER', '-CAfile', at('it.pem'), '-purpose', 'any'],
      ...['-signer', at('found.pem'), '-in'],
    ];
    const { stdout, code } = await run(locate('openssl'), [...judge, file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('com.apple.dnsSettings.managed')]);
    const [found, own] = await Promise.all(
      ['found.pem', 'it.pem'].map((name) => readFile(at(name))),
    );
    expect(new X509Certificate(found ?? '').fingerprint256).toBe(
      new X509Certificate(own ?? '').fingerprint256,
    );
    const octets = await readFile(file);
    const changed = Buffer.from(
      octets.toString('latin1').replace('192.0.2.1', '192.0.2.2'),
      'latin1',
    );
    await writeFile(at('changed'), changed);
    expect((await run(locate('openssl'), [...judge, at('changed')])).code).not.toBe(0);

    await make(['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], 'ec');
    const export_ = [
      commandLine,
      'profile',
      'export',
      'mobileconfig',
      profile,
      '--output',
      at('x'),
    ];
    const refused = async (certificate: string, key: string) =>
      (
        await run(process.execPath, [
          ...export_,
          '--certificate',
          at(certificate),
          '--signing-key',
          at(key),
        ])
      ).stderr;
    expect(await refused('ec.pem', 'ec.key')).toContain('openssl cms -sign');
    await make(['rsa:2048'], 'other');
    expect(await refused('it.pem', 'other.key')).toContain('not that of the certificate');
    expect(await refused('corp.json', 'it.key')).toContain('it holds no certificate');
    expect(await refused('it.pem', 'corp.json')).toContain('no RSA key');
  });
});

describeWith(['dnscrypt-proxy'], 'dnscrypt-proxy', () => {
  it('accepts the exported file', async () => {
    const lab = await labForTest();
    const profile = await profileIn(lab, { upstreams: [near] });
    const doh = ['--doh', 'https://dns.near.example/dns-query'];
    const file = await exported(lab, 'dnscrypt-proxy', profile, ...doh);
    const { code, stderr } = await run(locate('dnscrypt-proxy'), ['-config', file, '-check']);
    expect([code, stderr]).toEqual([0, expect.anything()]);
  });
});
