/** The .deb on a computer of its own is installed, runs as its units say, and is removed and purged. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type HelperRequest, helperSocket } from '../../app/contract/system/helper-protocol.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { askHelper } from './ask-helper.ts';
import { InstallTarget, sources, whyNoInstallTarget } from './install-target.ts';
import { startHelper, startService } from './installed-service.ts';
import { madePackage, makePackage, whyNoPackages } from './made-packages.ts';
import { startUpstream } from './upstream.ts';

const resolvConf = 'nameserver 192.0.2.53\nsearch office.example\n';
const theirs = '/srv/their.conf';
const mounted = `cp ${theirs} /etc/resolv.conf; mount --bind ${theirs} /etc/resolv.conf`;
const shapes: [what: string, make: string, unmake: string, isRefused: boolean][] = [
  ['a symbolic link', `ln -s ${theirs} /etc/resolv.conf`, 'rm /etc/resolv.conf', false],
  ['a file that is mounted', mounted, 'umount /etc/resolv.conf', false],
  [
    'nothing where it is mounted read-only',
    `${mounted}; mount -o remount,bind,ro /etc/resolv.conf`,
    'umount /etc/resolv.conf',
    true,
  ],
];
const node = '/usr/lib/sotto/bin/node';
const nodeOfSources = `${sources}/node_modules/node/bin/node`;
const systemFolders = /^\/(boot|etc|home|opt|run|tmp|usr|var)\//;
/** files of dpkg and the programs that it runs, of programs that every system has, and of the stand-in for systemd */
const others = /^\/(var\/lib\/dpkg\/.*-old$|var\/(log|cache)\/|run\/(systemd|adduser$|mount$))/;
/** the hook of a DHCP client that need not be installed; it goes when the package is purged */
const dhclientHook = '/etc/dhcp/dhclient-enter-hooks.d/sotto';
const units = ['sotto.service', 'sotto.socket', 'sotto-helper.service', 'sotto-helper.socket'];
/** systemd's own scale, 0 is best: docs/measurements/system-mode.md */
const mostExposed = {
  'sotto.service': 1.4,
  'sotto-helper.service': 1.8,
  'sotto-bridges.service': 1.6,
};

const reason = whyNoInstallTarget() ?? whyNoPackages();
if (reason !== null) it('the .deb', (context) => context.skip(reason));
else
  describeWith(['dig', 'systemd-analyze', 'sotto'], 'the .deb', () => {
    const lab = labForFile();
    let machine: InstallTarget;
    let deb: string;
    let service: Program;
    let helper: Program;
    let before: Awaited<ReturnType<typeof traces>>;

    beforeAll(async () => {
      deb = await madePackage('deb');
      machine = await InstallTarget.create(lab, resolvConf);
      await machine.write(theirs, resolvConf);
      before = await traces();
    });

    /** Files that an installation could leave behind, in all folders of the system. */
    async function traces() {
      const inMemory = (await machine.succeed(['find', '/run', '/tmp', '-xdev'])).split('\n');
      const found = [...(await machine.ownFiles()), ...inMemory];
      const paths = new Set(found.filter((path) => systemFolders.test(path) && !others.test(path)));
      const accounts = await machine.succeed(['cat', '/etc/passwd', '/etc/group']);
      const packages = await machine.run(['dpkg-query', '--show', 'sotto']);
      return { paths, accounts, known: packages.code === 0 };
    }

    const sotto = (who: string, ...words: string[]) => machine.run(['sotto', ...words], who);

    /** The process id of the service user's one process with this word in its command line. */
    async function pidOf(word: string): Promise<string> {
      return (await machine.succeed(['pgrep', '-U', 'sotto', '-f', `/${word}( |$)`])).trim();
    }

    const isTaken = async () =>
      (await machine.read('/etc/resolv.conf')).includes('nameserver 127.0.0.1');

    it('is the same, octet for octet, when made again', async () => {
      const folder = join(lab.directory, 'again');
      mkdirSync(folder);
      const digest = async (file: string) =>
        createHash('sha256')
          .update(await readFile(file))
          .digest('hex');
      expect(await digest(await makePackage('deb', folder))).toBe(await digest(deb));
    });

    it('installs accounts, folders and units, and changes no DNS', async () => {
      const inside = `/srv/${basename(deb)}`;
      await machine.copyIn(deb, inside);
      await machine.succeed(['dpkg', '--force-unsafe-io', '--install', inside]);
      expect(await machine.succeed(['sotto', '--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
      const depends = ['dpkg-deb', '--field', inside, 'Depends'];
      // without authorities no upstream of the catalogue can be authenticated
      expect((await machine.succeed(depends)).trim().split(', ')).toContain('ca-certificates');
      expect(await machine.succeed(['id', '-un', 'sotto'])).toBe('sotto\n');
      expect(await machine.succeed(['getent', 'group', 'sotto-admin'])).toContain('sotto-admin:');
      const owners = ['stat', '-c', '%U %a', '/etc/sotto', '/etc/sotto/policy.d'];
      expect(await machine.succeed(owners)).toBe('sotto 755\nroot 755\n');
      expect(await machine.read('/etc/resolv.conf')).toBe(resolvConf);
      expect(await machine.succeed(['stat', '-c', '%U %a', dhclientHook])).toBe('root 644\n');
      const conffiles = await machine.read('/var/lib/dpkg/info/sotto.conffiles');
      expect(conffiles).toContain(`${dhclientHook}\n`);
      const enabled = await machine.succeed(['find', '/etc/systemd/system', '-name', 'sotto*']);
      for (const unit of ['sotto.service', 'sotto.socket'])
        expect(enabled).toContain(`.wants/${unit}\n`);
      // of every boot, also where the service is disabled
      expect(
        await machine.succeed(['ls', '/usr/lib/systemd/system/sysinit.target.wants']),
      ).toContain('sotto-give-back.service');
    });

    it.each([
      ['starts', 'Queries are answered', 0, false],
      ['is refused by systemd', '', 1, true],
      ['is dead behind its guardian', 'The service does not start; queries get SERVFAIL', 0, true],
    ])('says during the installation when the service %s', async (_, status, invoked, told) => {
      const tools = '/srv/tools';
      await machine.succeed(['mkdir', '-p', tools, '/run/systemd/system']);
      await machine.write(`${tools}/systemctl`, `#!/bin/sh\necho '${status}'\n`);
      await machine.write(`${tools}/deb-systemd-invoke`, `#!/bin/sh\nexit ${invoked}\n`);
      await machine.succeed(['chmod', '755', `${tools}/systemctl`, `${tools}/deb-systemd-invoke`]);
      const script = '/var/lib/dpkg/info/sotto.postinst';
      const configure = `PATH=${tools}:$PATH DPKG_MAINTSCRIPT_PACKAGE=sotto ${script} configure`;
      const { code, stderr } = await machine.run(['sh', '-c', configure]);
      await machine.succeed(['rmdir', '/run/systemd/system']);
      expect([code, stderr.includes('sotto: the service does not start')], stderr).toEqual([
        0,
        told,
      ]);
    });

    it('brings the manual of every program, command, setting and event', async () => {
      const files = (await machine.succeed(['dpkg', '--listfiles', 'sotto'])).split('\n');
      const named = (pattern: RegExp) => files.flatMap((file) => pattern.exec(file)?.[1] ?? []);
      const programs = new Set(named(/\/s?bin\/(sotto[\w-]*)$/));
      // started by the desktop, by systemd and by pkexec, and not by people
      for (const name of ['sotto-window', 'sotto-stop', 'sotto-protect']) programs.delete(name);
      expect([...programs].sort()).toEqual(['sotto', 'sotto-guardian', 'sotto-helper']);
      const pages = named(/\/man\/(man[158]\/sotto.*)\.gz$/);
      const page = ['man1/sotto-log.1', 'man5/sotto-settings.5', 'man7/sotto-journal.7'];
      const ofPrograms = [...programs].map((name) =>
        name === 'sotto' ? 'man1/sotto.1' : `man8/${name}.8`,
      );
      for (const name of [...page, ...ofPrograms])
        expect(await machine.succeed(['zcat', `/usr/share/man/${name}.gz`])).toContain('.TH ');
      const isOf = (page: string) => (name: string) =>
        name !== 'sotto' && page.startsWith(`man8/${name}`);
      const ofOthers = pages.filter(
        (name) => name.startsWith('man8/') && ![...programs].some(isOf(name)),
      );
      expect(ofOthers).toEqual([]);
    });

    it('has the schemas of profile and policy, as the program prints them', async () => {
      for (const kind of ['profile', 'policy']) {
        const file = `/usr/share/sotto/schema/sotto-${kind}.schema.json`;
        const printed = await machine.succeed(['sotto', 'profile', 'schema', kind]);
        expect(await machine.succeed(['cat', file])).toBe(printed);
      }
    });

    it('has units that systemd accepts and rates as little exposed', async () => {
      const verified = await machine.run(['systemd-analyze', 'verify', '--man=no', ...units]);
      const ours = verified.stderr.split('\n').filter((line) => line.includes('sotto'));
      expect([verified.code, ours]).toEqual([0, []]);
      for (const [unit, most] of Object.entries(mostExposed)) {
        const file = `/usr/lib/systemd/system/${unit}`;
        const analyze = ['systemd-analyze', 'security', '--offline=true', '--no-pager', file];
        const score = /exposure level for \S+: ([\d.]+)/.exec(await machine.succeed(analyze));
        expect(Number(score?.[1]), unit).toBeLessThanOrEqual(most);
      }
    });

    it('responds on port 53 as its own user, without a capability', async () => {
      const upstream = await startUpstream(lab, machine);
      const settings = { upstreams: [upstream], systemResolvers: ['192.0.2.53:53'] };
      await machine.write('/etc/sotto/settings.json', JSON.stringify(settings));
      service = await startService(lab, machine);
      const asked = ['dig', '@127.0.0.1', '+short', 'img3.herald.example'];
      await expect.poll(() => machine.succeed(asked)).toBe('203.0.113.15\n');
      await expect.poll(() => machine.succeed([...asked, '+tcp'])).toBe('203.0.113.15\n');
      const found = JSON.parse((await sotto('root', 'status', '--json')).stdout) as {
        pid: number;
        guarded: boolean;
        listening: string[];
      };
      expect(found.guarded).toBe(true);
      const [guardian, node] = await Promise.all([pidOf('sotto-guardian'), pidOf('cli.mjs')]);
      const status = await machine.succeed([
        'cat',
        `/proc/${guardian}/status`,
        `/proc/${node}/status`,
      ]);
      for (const line of [/^CapBnd:\t0+$/gm, /^CapEff:\t0+$/gm, /^NoNewPrivs:\t1$/gm])
        expect(status.match(line), `${line}`).toHaveLength(2);
    });

    it('lets every user see the status, and only members switch or read', async () => {
      expect((await sotto('nobody', 'status', '--json')).stdout).toContain('"verdict"');
      const refused = await sotto('nobody', 'pause', '1m', '--json');
      expect(refused.stderr).toContain('usermod -aG sotto');
      expect((await sotto('nobody', 'log', '--json')).stderr).toContain('usermod -aG sotto-admin');
      const changed = await sotto('root', 'config', 'set', 'cache.entries', '4321');
      expect(changed.code, changed.stderr).toBe(0);
      expect(await machine.read('/etc/sotto/settings.json')).toContain('4321');
    });

    it('comes back on the same sockets when it is killed', async () => {
      const starts = () => service.stderr.split('the service is ready').length;
      const soFar = starts();
      await machine.succeed(['kill', '-KILL', await pidOf('cli.mjs')]);
      await service.ready(async () => starts() > soFar);
      const asked = ['dig', '@127.0.0.1', '+short', '+tries=5', 'img3.herald.example'];
      await expect.poll(() => machine.succeed(asked)).toBe('203.0.113.15\n');
    });

    it('takes the system’s DNS through its helper, for no other user', async () => {
      helper = await startHelper(lab, machine);
      const servers = [{ address: '127.0.0.1', port: 53 }];
      const take = { verb: 'take-file' as const, servers };
      expect(await askHelper(machine, take, 'nobody', node)).toBeNull();
      expect(await machine.read('/etc/resolv.conf')).toBe(resolvConf);
      expect(await askHelper(machine, take, 'sotto', node)).toHaveProperty('ok.taken');
      expect(await machine.read('/etc/resolv.conf')).toContain('nameserver 127.0.0.1');
      const found = async () =>
        (await machine.run(['getent', 'hosts', 'img3.herald.example'])).stdout;
      await expect.poll(found).toContain('203.0.113.15');
      await machine.succeed(['runuser', '-u', 'sotto', '--', 'sotto-helper', 'give-back']);
      expect(await machine.read('/etc/resolv.conf')).toBe(resolvConf);
    });

    it('leads every program to Sotto when that is set', async () => {
      const told = await sotto('root', 'system', 'take', '--json');
      expect(told.code, told.stderr).toBe(0);
      await eventually('the system asks Sotto', isTaken);
      expect((await sotto('nobody', 'system', 'status')).code).toBe(0);
    });

    it('keeps what DHCP sends for a give-back, by its hook', async () => {
      const renew = ['/bin/sh', '-c', `. ${dhclientHook} && make_resolv_conf`];
      await machine.succeed(['env', 'new_domain_name_servers=192.0.2.99', ...renew]);
      expect(await isTaken()).toBe(true);
      const before = await machine.read('/etc/resolv.conf.before-sotto');
      expect(before).toBe('nameserver 192.0.2.99\n');
    });

    it.each(shapes)('takes and gives back %s', async (_, make, unmake, isRefused) => {
      await sotto('root', 'system', 'give-back');
      await machine.succeed(['sh', '-ec', `rm /etc/resolv.conf; ${make}`]);
      const state = ['stat', '-c', '%F %a %u:%g %i %y %N', '/etc/resolv.conf'];
      const found = await machine.succeed(state);
      const told = await sotto('root', 'system', 'take');
      if (isRefused) expect(told.stdout + told.stderr).toContain("can't be changed");
      else await eventually('the system asks Sotto', isTaken);
      await sotto('root', 'system', 'give-back');
      expect(await machine.succeed(state)).toBe(found);
      expect(await machine.succeed(['cat', '/etc/resolv.conf'])).toBe(resolvConf);
      await machine.succeed(['sh', '-ec', unmake]);
      await machine.succeed(['cp', theirs, '/etc/resolv.conf']);
      await sotto('root', 'system', 'take');
      await eventually('the system asks Sotto', isTaken);
    });

    it('gives it back only when it is stopped on request, and takes it again when it is started', async () => {
      await service.stop();
      expect(await isTaken()).toBe(true);
      service = await startService(lab, machine);
      await machine.succeed(['sh', '-c', 'echo stop >/run/sotto-helper/stop-reason']);
      await service.stop();
      expect(await machine.read('/etc/resolv.conf')).toBe(resolvConf);
      await machine.succeed(['rm', '/run/sotto-helper/stop-reason']);
      service = await startService(lab, machine);
      await eventually('the system asks Sotto again', isTaken);
    });

    it('stays installed where DNS can not be given back', async () => {
      await service.stop('SIGKILL');
      expect(await isTaken()).toBe(true);
      await machine.succeed(['mount', '--bind', '/etc/resolv.conf', '/etc/resolv.conf']);
      await machine.succeed(['mount', '-o', 'remount,bind,ro', '/etc/resolv.conf']);
      const removed = await machine.run(['dpkg', '--force-unsafe-io', '--remove', 'sotto']);
      expect(removed.code).not.toBe(0);
      expect(removed.stderr).toContain('it stays installed');
      await machine.succeed(['umount', '/etc/resolv.conf']);
      expect((await sotto('root', '--version')).code).toBe(0);
    });

    it('gives it back when it is removed, and leaves nothing when purged', async () => {
      expect(await isTaken()).toBe(true);
      // Without systemd the helper still runs here, like one that gets a request during the purge.
      await machine.succeed(['ln', helperSocket, '/run/lost.sock']);
      const ask = (request: HelperRequest) =>
        askHelper(machine, request, 'root', nodeOfSources, '/run/lost.sock');
      expect(await ask({ verb: 'fix', fix: 'chromium' })).toHaveProperty('ok.fixed');
      await machine.succeed(['test', '-e', '/etc/chromium/policies/managed/sotto.json']);
      await machine.succeed(['dpkg', '--force-unsafe-io', '--remove', 'sotto']);
      expect(await machine.read('/etc/resolv.conf')).toBe(resolvConf);
      expect((await machine.run(['test', '-e', '/etc/chromium'])).code).toBe(1);
      expect(await machine.read('/etc/sotto/settings.json')).toContain('4321');
      await machine.succeed(['test', '-e', dhclientHook]);
      await machine.succeed(['dpkg', '--force-unsafe-io', '--purge', 'sotto']);
      expect((await machine.run(['test', '-e', dhclientHook])).code).toBe(1);
      expect(await ask({ verb: 'status' })).toEqual({ ok: { held: [] } });
      expect(await ask({ verb: 'give-back' })).toEqual({ ok: { given: [], kept: [] } });
      expect(await ask({ verb: 'forget-orphaned', until: 1 })).toHaveProperty('ok.forgotten');
      await helper.stop();
      await machine.succeed(['rm', '/run/lost.sock']);
      const { paths, ...after } = await traces();
      expect([...paths].filter((path) => !before.paths.has(path))).toEqual([]);
      expect({ ...after, paths: null }).toEqual({ ...before, paths: null });
    });
  });
