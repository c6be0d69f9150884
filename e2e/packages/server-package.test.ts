/** The .deb of sotto-server where systemd is process 1: nothing before there is a certificate, then a sandboxed server. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { type Lab, labForFile } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';
import { boot, journalOf, whyNoSystemd } from './booted-computer.ts';
import type { InstallTarget } from './install-target.ts';
import { makePackage, whyNoServerPackage } from './made-packages.ts';

const folder = '/etc/sotto-server';
const settings = `${folder}/sotto-server.toml`;
const units = ['sotto-server.service', 'sotto-server.socket', 'sotto-server-starttls.socket'];
/** systemd's own scale, 0 is best */
const mostExposed = 1.2;
const zone = `$ORIGIN example.
@ 60 SOA ns hostmaster 1 3600 600 86400 60
@ 60 NS ns
ns 60 A 192.0.2.1
www 60 A 192.0.2.10
`;
/** Who waits for a server that is being started waits as long as that takes. */
const patient = ['+time=50', '+retry=0'];
const overTls = [
  ...['kdig', '@127.0.0.1', '-p', '853', '+short', ...patient],
  `+tls-ca=${folder}/chain.pem`,
];
const asked = [...overTls, '+tls-hostname=dns.example', 'www.example'];

const reason = whyNoSystemd() ?? whyNoServerPackage();
if (reason !== null) it('the .deb of sotto-server', (context) => context.skip(reason));
else
  describeWith(
    ['dig', 'kdig', 'curl', 'openssl', 'systemd-analyze'],
    'the .deb of sotto-server',
    () => {
      const lab = labForFile();
      let machine: InstallTarget;
      let made: string;
      let deb: string;

      beforeAll(async () => {
        made = await makePackage('server', join(lab.directory, 'made'));
        machine = await boot(lab, 'nameserver 192.0.2.53\n', '192.0.2.53/32');
        deb = `/srv/${basename(made)}`;
        await machine.copyIn(made, deb);
      });

      beforeEach(({ onTestFailed }) => {
        onTestFailed(async () => console.error(await journalOf(machine)));
      });

      const dpkg = (...words: string[]) => machine.succeed(['dpkg', '--force-unsafe-io', ...words]);
      const systemctl = (...words: string[]) => machine.run(['systemctl', '--no-pager', ...words]);
      const pid = async () =>
        (await systemctl('show', '--property=MainPID', '--value', 'sotto-server')).stdout.trim();
      const left = async () =>
        (
          await machine.succeed([
            ...['find', '/etc', '/usr', '/var/lib', '/run', '-xdev', '-name', '*sotto-server*'],
            ...['-not', '-path', '/var/lib/dpkg/*-old'],
          ])
        )
          .split('\n')
          .filter((path) => path !== '');
      const configure = async (change: (text: string) => string) =>
        machine.write(settings, change(await machine.read(settings)));

      it('is the same, octet for octet, when made again', async () => {
        const again = join(lab.directory, 'again');
        mkdirSync(again);
        const digest = async (file: string) =>
          createHash('sha256')
            .update(await readFile(file))
            .digest('hex');
        expect(await digest(await makePackage('server', again))).toBe(await digest(made));
      });

      it('installs an account, units and settings, and starts nothing', async () => {
        await dpkg('--install', deb);
        expect(await machine.succeed(['id', '-un', 'sotto-server'])).toBe('sotto-server\n');
        expect(await machine.read('/var/lib/dpkg/info/sotto-server.conffiles')).toBe(
          `${settings}\n`,
        );
        for (const unit of units) {
          expect((await systemctl('is-enabled', unit)).stdout, unit).toBe('disabled\n');
          expect((await systemctl('is-active', unit)).stdout, unit).toBe('inactive\n');
        }
        const manual = ['zcat', '/usr/share/man/man8/sotto-server.8.gz'];
        expect(await machine.succeed(manual)).toContain('FileDescriptorName');
      });

      it('has units that systemd accepts and rates as little exposed', async () => {
        const verified = await machine.run(['systemd-analyze', 'verify', '--man=no', ...units]);
        const ours = verified.stderr.split('\n').filter((line) => line.includes('sotto-server'));
        expect([verified.code, ours]).toEqual([0, []]);
        const file = `/usr/lib/systemd/system/${units[0]}`;
        const analyze = ['systemd-analyze', 'security', '--offline=true', '--no-pager', file];
        const score = /exposure level for \S+: ([\d.]+)/.exec(await machine.succeed(analyze));
        expect(Number(score?.[1])).toBeLessThanOrEqual(mostExposed);
      });

      it('says what the settings lack as they are shipped', async () => {
        const { code, stderr } = await machine.run(['sotto-server', 'check', '--config', settings]);
        expect(code).toBe(2);
        expect(stderr).toContain('--zone <FILE>|--to');
        expect(stderr).toContain(`certificate ${folder}/chain.pem`);
      });

      it('knows every key of its example', async () => {
        const text = await machine.read(settings);
        const everything = text.replace(/^#(?=[a-z-]+ = )/gm, '').replace(/^to = .*$/m, '');
        await machine.write('/srv/everything.toml', everything);
        const words = ['sotto-server', 'check', '--config', '/srv/everything.toml'];
        const lines = (await machine.run(words)).stderr.trim().split('\n');
        expect(everything).toMatch(/^stop-notice = /m);
        // none of the files is there
        expect(lines).toEqual([
          expect.stringContaining('example.zone'),
          expect.stringContaining('chain.pem'),
          expect.stringContaining('key.pem'),
          expect.stringContaining('/var/lib/sotto-server/tickets'),
          expect.stringContaining('as the account sotto-server'),
        ]);
      });

      it('is started by the first connection, as its own user, without a capability', async () => {
        await machine.write(`${folder}/example.zone`, zone);
        await machine.succeed([
          ...[
            'openssl',
            'req',
            '-x509',
            '-newkey',
            'ec',
            '-pkeyopt',
            'ec_paramgen_curve:prime256v1',
          ],
          ...['-nodes', '-days', '30', '-subj', '/CN=dns.example'],
          ...['-addext', 'subjectAltName=DNS:dns.example'],
          ...['-keyout', `${folder}/key.pem`, '-out', `${folder}/chain.pem`],
        ]);
        await machine.succeed(['chown', 'root:sotto-server', `${folder}/key.pem`]);
        await machine.succeed(['chmod', '640', `${folder}/key.pem`]);
        await configure((text) => text.replace('#zone', 'zone'));
        await machine.succeed(['systemctl', 'enable', '--now', 'sotto-server.socket']);
        expect(await pid()).toBe('0');
        expect(await machine.succeed(asked)).toBe('192.0.2.10\n');
        const status = await machine.succeed(['cat', `/proc/${await pid()}/status`]);
        for (const line of [
          /^CapBnd:\t0+$/m,
          /^CapEff:\t0+$/m,
          /^NoNewPrivs:\t1$/m,
          /^Seccomp:\t2$/m,
        ])
          expect(status).toMatch(line);
        const uid = (await machine.succeed(['id', '-u', 'sotto-server'])).trim();
        expect(status).toMatch(new RegExp(`^Uid:\t${uid}\t`, 'm'));
        const health = ['curl', '--silent', 'http://127.0.0.1:9854/health'];
        expect(await machine.succeed(health)).toBe('{"status":"serving"}\n');
      });

      it('keeps the secret of tickets that root made, and moves it on', async () => {
        const secret = '/var/lib/sotto-server/tickets';
        await machine.succeed(['sotto-server', 'ticket-secret', secret]);
        const owner = ['stat', '--format=%U:%G %a', secret];
        expect(await machine.succeed(owner)).toBe('sotto-server:sotto-server 600\n');
        // as if it had been made long ago
        const aged = (_: string, hour: string) => `hour = ${Number(hour) - 20}`;
        const old = (await machine.read(secret)).replace(/^hour = (\d+)$/m, aged);
        await machine.write(secret, old);
        await configure((text) => text.replace('#ticket-secret', 'ticket-secret'));
        await machine.succeed(['systemctl', 'restart', 'sotto-server.service']);
        await expect.poll(() => machine.read(secret), { timeout: 60_000 }).not.toBe(old);
        expect(await machine.succeed(owner)).toBe('sotto-server:sotto-server 600\n');
        expect(await machine.succeed(asked)).toBe('192.0.2.10\n');
      });

      it('reloads what is right, and says of the rest what is wrong', async () => {
        const before = await pid();
        await configure((text) => text.replace('#idle = "60s"', 'idle = "soon"'));
        const refused = await systemctl('reload', 'sotto-server');
        expect(refused.code).not.toBe(0);
        await expect
          .poll(() => journalOf(machine))
          .toMatch(/sotto-server.toml, line \d+: idle = "soon"/);
        expect(await machine.succeed(asked)).toBe('192.0.2.10\n');
        await configure((text) => text.replace('idle = "soon"', 'idle = "30s"'));
        await machine.write(`${folder}/example.zone`, zone.replace('192.0.2.10', '192.0.2.11'));
        await machine.succeed(['systemctl', 'reload', 'sotto-server']);
        expect(await machine.succeed(asked)).toBe('192.0.2.11\n');
        expect(await pid()).toBe(before);
      });

      it('fails a reload of what needs a restart, names it, and takes the rest', async () => {
        const before = await pid();
        await configure((text) => text.replace('#log = "json"', 'dnstap = "/run/nobody"'));
        await machine.write(`${folder}/example.zone`, zone.replace('192.0.2.10', '192.0.2.12'));
        const reloaded = await systemctl('reload', 'sotto-server');
        expect(reloaded.code).not.toBe(0);
        await expect
          .poll(() => journalOf(machine))
          .toContain('sotto-server: dnstap needs a restart');
        expect(await machine.succeed(asked)).toBe('192.0.2.12\n');
        expect(await pid()).toBe(before);
        await configure((text) => text.replace('dnstap = "/run/nobody"', '#log = "json"'));
        await machine.write(`${folder}/example.zone`, zone.replace('192.0.2.10', '192.0.2.11'));
        await machine.succeed(['systemctl', 'reload', 'sotto-server']);
        expect(await machine.succeed(asked)).toBe('192.0.2.11\n');
      });

      it('finds keys that the server can not read, and keys that everybody can', async () => {
        const check = () => machine.run(['sotto-server', 'check', '--config', settings]);
        expect((await check()).code).toBe(0);
        await machine.succeed(['chmod', '600', `${folder}/key.pem`]);
        const hidden = await check();
        expect(hidden.code).toBe(2);
        expect(hidden.stderr).toMatch(/key \/etc\/sotto-server\/key\.pem: .*Permission denied/);
        expect(hidden.stderr).toContain('as the account sotto-server');
        await machine.succeed(['chmod', '644', `${folder}/key.pem`]);
        const open = await check();
        expect(open.code).toBe(3);
        expect(open.stderr).toContain(`key ${folder}/key.pem: every account`);
        await machine.succeed(['chmod', '640', `${folder}/key.pem`]);
      });

      it('serves cleartext and STARTTLS where their socket is enabled, too', async () => {
        await configure((text) => text.replace('#starttls', 'starttls'));
        await machine.succeed(['systemctl', 'stop', 'sotto-server.service']);
        await machine.succeed(['systemctl', 'enable', '--now', 'sotto-server-starttls.socket']);
        const cleartext = ['dig', '@127.0.0.1', '+short', '+time=50', 'www.example'];
        expect(await machine.succeed(cleartext)).toBe('192.0.2.11\n');
        expect(await machine.succeed([...cleartext, '+tcp'])).toBe('192.0.2.11\n');
        expect(await machine.succeed(asked)).toBe('192.0.2.11\n');
      });

      it('ends in order, and starts again for whoever waits in its sockets', async () => {
        const before = await pid();
        await machine.succeed(['systemctl', 'restart', 'sotto-server.service']);
        expect(await pid()).not.toBe(before);
        const result = ['show', '--property=Result', '--value', 'sotto-server'];
        expect((await systemctl(...result)).stdout).toBe('success\n');
        expect(await machine.succeed(asked)).toBe('192.0.2.11\n');
      });

      it('is upgraded without losing a query, and keeps the settings', async () => {
        const newer = await upgraded(lab, made);
        await machine.copyIn(newer.file, '/srv/newer.deb');
        const before = await pid();
        const endless = `while [ ! -e /srv/upgraded ]; do ${asked.join(' ')} || echo lost; done`;
        const asking = machine.run(['sh', '-c', endless]);
        await dpkg('--force-confold', '--install', '/srv/newer.deb');
        await machine.write('/srv/upgraded', '');
        expect(new Set((await asking).stdout.trim().split('\n'))).toEqual(new Set(['192.0.2.11']));
        expect(await machine.succeed(asked)).toBe('192.0.2.11\n');

        const now = await pid();
        expect(now).not.toBe(before);
        expect(await machine.succeed(['readlink', `/proc/${now}/exe`])).toBe(
          '/usr/sbin/sotto-server\n',
        );
        const listed = await machine.succeed(['dpkg-query', '--show', 'sotto-server']);
        expect(listed).toBe(`sotto-server\t${newer.version}\n`);
        expect(await machine.read(settings)).toContain('idle = "30s"');
      });

      it('goes on as it is where the new version does not accept the settings', async () => {
        const before = await pid();
        await configure((text) => text.replace('idle = "30s"', 'idle = "soon"'));
        const words = ['dpkg', '--force-unsafe-io', '--install', '/srv/newer.deb'];
        const { code, stderr } = await machine.run(words);
        expect(code).toBe(0);
        expect(stderr).toMatch(/sotto-server.toml, line \d+: idle = "soon"/);
        expect(stderr).toContain('the version before goes on');
        expect(await pid()).toBe(before);
        expect(await machine.succeed(asked)).toBe('192.0.2.11\n');
        await configure((text) => text.replace('idle = "soon"', 'idle = "30s"'));
      });

      it('listens nowhere once it is removed, and leaves only what others put there', async () => {
        await dpkg('--remove', 'sotto-server');
        expect((await machine.run(asked)).stdout).not.toContain('192.0.2');
        for (const unit of units)
          expect((await systemctl('is-active', unit)).stdout).not.toBe('active\n');
        expect(await machine.read(settings)).toContain('idle = "30s"');
        await dpkg('--purge', 'sotto-server');
        expect(await left()).toEqual([folder]);
        expect(await machine.succeed(['ls', folder])).toBe('chain.pem\nexample.zone\nkey.pem\n');
        expect((await machine.run(['getent', 'passwd', 'sotto-server'])).code).not.toBe(0);
        expect((await machine.run(['getent', 'group', 'sotto-server'])).code).not.toBe(0);
      });
    },
  );

/** The same program as a later version, with another example of the settings. */
async function upgraded(lab: Lab, made: string): Promise<{ file: string; version: string }> {
  const unpacked = join(lab.directory, 'upgraded');
  const file = `${unpacked}.deb`;
  await succeed('dpkg-deb', ['--raw-extract', made, unpacked]);
  const control = join(unpacked, 'DEBIAN', 'control');
  const text = await readFile(control, 'utf8');
  const version = `${/^Version: (.*)$/m.exec(text)?.[1]}+later`;
  await writeFile(control, text.replace(/^Version: .*$/m, `Version: ${version}`));
  await appendFile(join(unpacked, settings), '# new in this version\n');
  await succeed('dpkg-deb', ['--root-owner-group', '-Znone', '--build', unpacked, file]);
  return { file, version };
}
