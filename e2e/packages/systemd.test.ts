/**
 * The .deb where systemd is process 1: its units run in their sandboxes, through an update, a stop and the death of all processes
 * at once.
 */
import { basename } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { keepAsking } from './asking.ts';
import { boot, journalOf, whyNoSystemd } from './booted-computer.ts';
import type { InstallTarget } from './install-target.ts';
import { madePackage, whyNoPackages } from './made-packages.ts';
import { NetworkResolver } from './network-resolver.ts';
import { startUpstream } from './upstream.ts';

const network = '192.0.2.53';
const resolvConf = `nameserver ${network}\nsearch office.example\n`;
const known = ['dig', '+short', 'img3.herald.example'];
const answer = '203.0.113.15\n';
const settingsFile = '/etc/sotto/settings.json';
/** systemd starts it again a few times, with pauses */
const givesUpMs = 180_000;
const severalStartsMs = 600_000;

const reason = whyNoSystemd() ?? whyNoPackages();
if (reason !== null) it('the .deb under systemd', (context) => context.skip(reason));
else
  describeWith(['dig', 'nft', 'unbound', 'sotto', 'sotto-server'], 'the .deb under systemd', () => {
    const lab = labForFile();
    let machine: InstallTarget;
    let deb: string;
    let resolver: NetworkResolver;

    beforeAll(async () => {
      const made = await madePackage('deb');
      machine = await boot(lab, resolvConf, `${network}/32`);
      deb = `/srv/${basename(made)}`;
      await machine.copyIn(made, deb);
      resolver = await NetworkResolver.start(lab, machine, network);
    });

    beforeEach(({ onTestFailed }) => {
      onTestFailed(async () => console.error(await journalOf(machine)));
    });

    const systemctl = async (...words: string[]) =>
      (await machine.run(['systemctl', '--no-pager', ...words])).stdout.trim();
    const dpkg = (...words: string[]) => machine.succeed(['dpkg', '--force-unsafe-io', ...words]);
    const mainPid = (unit: string) => systemctl('show', '--property=MainPID', '--value', unit);
    const isTaken = async () =>
      (await machine.read('/etc/resolv.conf')).includes('nameserver 127.0.0.1');
    const isGivenBack = async () => (await machine.read('/etc/resolv.conf')) === resolvConf;
    const isClosed = async () =>
      (await machine.run(['nft', 'list', 'table', 'inet', 'sotto'])).code === 0;
    const set = (key: string, value: string) =>
      machine.succeed(['sotto', 'config', 'set', key, value]);

    async function pidOfService(): Promise<string> {
      return (await machine.succeed(['pgrep', '-U', 'sotto', '-f', '/cli.mjs( |$)'])).trim();
    }

    /** The names with this beginning that left in cleartext. */
    const leaked = (word: string) => resolver.heard.filter((name) => name.startsWith(word));

    it('starts its units when it is installed, and changes no DNS', async () => {
      await dpkg('--install', deb);
      const units = ['sotto.service', 'sotto.socket', 'sotto-helper.service'];
      await expect
        .poll(() => systemctl('is-active', ...units, 'sotto-helper.socket'))
        .toBe('active\nactive\nactive\nactive');
      expect(await isGivenBack()).toBe(true);
      const upstreams = [await startUpstream(lab, machine)];
      const settings = { upstreams, systemResolvers: [`${network}:53`], downgrade: 'refuse' };
      await machine.write(settingsFile, JSON.stringify(settings));
      await machine.succeed(['chown', 'sotto:sotto', settingsFile]);
      await systemctl('reload', 'sotto');
      await eventually('it answers with its settings', async () => {
        const asked = await machine.run(['dig', '@127.0.0.1', '+short', 'img3.herald.example']);
        return asked.stdout === answer;
      });
      expect(await machine.succeed(known)).toBe('');
      await expect.poll(() => leaked('img3')).not.toEqual([]);
    });

    it('keeps each of its processes in its sandbox', async () => {
      const [guardian, helper] = [await mainPid('sotto.service'), await mainPid('sotto-helper')];
      for (const [pid, capabilities] of [
        [guardian, '0000000000000000'],
        [await pidOfService(), '0000000000000000'],
        [helper, '000000000000000b'],
      ]) {
        const status = await machine.read(`/proc/${pid}/status`);
        expect(status).toMatch(/^Seccomp:\t2$/m);
        expect(status).toMatch(/^NoNewPrivs:\t1$/m);
        expect(status).toMatch(new RegExp(`^CapBnd:\t${capabilities}$`, 'm'));
      }
      // In their sandbox even root can write only this.
      const writes = async (pid: string, folder: string) => {
        const inside = (...words: string[]) =>
          machine.run(['nsenter', '--target', pid, '--mount', '--', ...words]);
        const file = `${folder}/sotto-was-here`;
        const done = await inside('touch', file);
        if (done.code === 0) await inside('rm', file);
        else expect(done.stderr).toMatch(/Read-only|No such file|Permission/);
        return done.code === 0;
      };
      const folders = ['/var/lib/sotto', '/var/lib/sotto-helper', '/etc', '/usr', '/root', '/boot'];
      const writable = async (pid: string) => {
        const all = await Promise.all(folders.map((folder) => writes(pid, folder)));
        return folders.filter((_, index) => all[index]);
      };
      expect(await writable(guardian)).toEqual(['/var/lib/sotto']);
      expect(await writable(helper)).toEqual(['/var/lib/sotto-helper', '/etc']);
    });

    it('bounds what each of its units may use', async () => {
      const bounds = async (unit: string) =>
        await systemctl('show', '--property=MemoryMax,TasksMax', unit);
      expect(await bounds('sotto')).toBe(`MemoryMax=${2 ** 30}\nTasksMax=64`);
      expect(await bounds('sotto-helper')).toBe(`MemoryMax=${2 ** 26}\nTasksMax=32`);
      expect(await bounds('sotto-gate')).toBe(`MemoryMax=${2 ** 26}\nTasksMax=16`);
    });

    it('leads every program to Sotto when that is set', async () => {
      expect((await machine.run(['sotto', 'system', 'take', '--json'])).code).toBe(0);
      await eventually('the system asks Sotto', isTaken);
      await expect.poll(async () => (await machine.run(known)).stdout).toBe(answer);
    });

    it.each([
      ['unit', ['--wait', '--unit=herald-sync', '--uid=nobody'], 'herald-sync', 'nobody'],
      ['scope', ['--scope', '--unit=app-gnome-firefox-4711.scope'], 'firefox', 'root'],
    ])('says in the query log which %s asked', async (word, options, program, user) => {
      const name = `${word}-asked.herald.example`;
      // A unit that ends with its query may be gone before its name was read.
      const lives = ['sh', '-c', 'dig +short "$0"; exec sleep 1', name];
      // On a busy computer a query may lie unread for so long that nobody knows any more who asked.
      const asker = await eventually(`who asked for ${name} is in the log`, async () => {
        await machine.succeed(['systemd-run', '--quiet', ...options, ...lives]);
        const { stdout } = await machine.run(['sotto', 'log', '--json', `name:${name}`]);
        const lines = stdout.split('\n').filter((line) => line !== '');
        const askers = lines.map((line) => (JSON.parse(line) as QueryEvent).asker);
        return askers.find((one) => one.program !== '');
      });
      expect(asker).toMatchObject({ attribution: 'seems', program, user });
    });

    it.each([
      ['updated', () => dpkg('--install', deb)],
      ['restarted', () => systemctl('restart', 'sotto')],
    ])('is %s under refuse, and no name leaves in cleartext meanwhile', async (word, change) => {
      const before = await mainPid('sotto.service');
      const asking = await keepAsking(lab, machine, word);
      await asking.more(3);
      await change();
      await asking.more(3);
      await asking.end();
      expect(await mainPid('sotto.service')).not.toBe(before);
      expect(leaked(word)).toEqual([]);
      await expect.poll(isTaken).toBe(true);
      await expect.poll(async () => (await machine.run(known)).stdout).toBe(answer);
    });

    // Where several are killed the guardian comes last, because its service ends with it and could not be killed any more.
    it.each([
      ['killed', 'KILL', ['helper', 'service', 'guardian']],
      ['signalled', 'TERM', ['guardian']],
      ['interrupted', 'INT', ['service', 'guardian']],
      ['terminated', 'TERM', ['service']],
    ])(
      'comes back when it is %s without a request, and no name leaves in cleartext meanwhile',
      async (word, signal, victims) => {
        const service = await pidOfService();
        const pids: Record<string, string> = {
          guardian: await mainPid('sotto'),
          helper: await mainPid('sotto-helper'),
          service,
        };
        const asking = await keepAsking(lab, machine, word);
        await machine.succeed(['kill', `-${signal}`, ...victims.map((name) => pids[name] ?? '')]);
        await eventually('another one runs', async () => {
          const found = await machine.run(['pgrep', '-U', 'sotto', '-f', '/cli.mjs( |$)']);
          const now = found.stdout.trim();
          return now !== '' && now !== service;
        });
        await asking.more(3);
        await asking.end();
        expect(leaked(word)).toEqual([]);
        await expect.poll(isTaken).toBe(true);
        await expect.poll(async () => (await machine.run(known)).stdout).toBe(answer);
      },
    );

    it('closes the gate once another program overwrites resolv.conf, and it stays closed whichever process dies', async () => {
      expect(await isClosed()).toBe(false);
      await machine.write('/etc/resolv.conf', resolvConf);
      await eventually('the gate is closed, and the system asks Sotto again', async () => {
        return (await isClosed()) && (await isTaken());
      });
      const gate = await mainPid('sotto-gate');
      const status = await machine.read(`/proc/${gate}/status`);
      expect(status).toMatch(/^CapBnd:\t0000000000001000$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
      const pids = [
        gate,
        await mainPid('sotto-helper'),
        await pidOfService(),
        await mainPid('sotto'),
      ];
      await machine.succeed(['kill', '-KILL', ...pids]);
      await eventually('others run', async () => {
        const now = [await mainPid('sotto'), await mainPid('sotto-gate')];
        return now.every((pid) => pid !== '0' && !pids.includes(pid));
      });
      expect(await isClosed()).toBe(true);
      await eventually('the service answers', async () => {
        return (await machine.run(known)).stdout === answer;
      });
      expect(await isClosed()).toBe(true);
    });

    // Each process checks by itself whether its changes still hold, so it must be restarted whatever ends it.
    it.each(
      (['sotto-gate', 'sotto-helper'] as const).flatMap((unit) =>
        (['TERM', 'SEGV'] as const).map((signal) => ({ unit, signal })),
      ),
    )(
      'has another $unit after SIG$signal, and flushed rules are made again',
      async ({ unit, signal }) => {
        const before = await eventually('it runs', async () => {
          const pid = await mainPid(unit);
          return pid !== '0' && pid;
        });
        // Rust's runtime takes the first SIGSEGV for a stack overflow, and waits for a second one.
        while ((await mainPid(unit)) === before) await machine.run(['kill', `-${signal}`, before]);
        await eventually('another one runs', async () => {
          const now = await mainPid(unit);
          return now !== '0' && now !== before;
        });
        await machine.succeed(['nft', 'flush', 'ruleset']);
        await eventually('it is closed again', isClosed);
        await expect.poll(isTaken).toBe(true);
      },
    );

    it('opens the gate again when the service is stopped', async () => {
      await systemctl('stop', 'sotto');
      await expect.poll(isClosed).toBe(false);
      await systemctl('start', 'sotto');
      await eventually('the system asks Sotto again', isTaken);
    });

    it('says during an installation over settings with an error that the service does not start', async () => {
      const settings = await machine.read(settingsFile);
      await machine.write(settingsFile, '{ "listen": 5 }');
      const installed = await machine.run(['dpkg', '--force-unsafe-io', '--install', deb]);
      expect(installed.code, installed.stderr).toBe(0);
      expect(installed.stderr).toContain('sotto: the service does not start');
      expect(installed.stderr).toContain('"sotto doctor" and "journalctl -u sotto" say why');
      await machine.write(settingsFile, settings);
      const repaired = await machine.run(['dpkg', '--force-unsafe-io', '--install', deb]);
      expect(repaired.code, repaired.stderr).toBe(0);
      expect(repaired.stderr).not.toContain('does not start');
      await eventually('the service answers', async () => {
        return (await machine.run(known)).stdout === answer;
      });
    });

    it('does not stop a service that systemd runs by a command of its own', async () => {
      const refused = await machine.run(['sotto', 'stop']);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('systemctl stop sotto');
      await expect.poll(isTaken).toBe(true);
    });

    it('stays stopped when a person has stopped it, also after queries, and says how to start it', async () => {
      await systemctl('stop', 'sotto');
      expect(await isGivenBack()).toBe(true);
      await eventually('the sockets are closed', async () => {
        const asked = await machine.run(['dig', '@127.0.0.1', '+tries=1', '+time=1', 'x.example']);
        return asked.stdout.includes('connection refused');
      });
      expect(await systemctl('is-active', 'sotto.service', 'sotto.socket')).toBe(
        'inactive\ninactive',
      );
      const said = await machine.run(['sotto', 'status']);
      expect(said.stderr).toContain('systemctl start sotto');
      await systemctl('start', 'sotto');
      await eventually('the system asks Sotto again', isTaken);
    });

    it(
      'keeps DNS under refuse and else gives it back where it can not be started any more',
      async () => {
        const broken = '/usr/lib/sotto/bin/sotto-guardian';
        await machine.succeed(['chmod', '0644', broken]);
        await systemctl('kill', '--signal=KILL', 'sotto');
        const fails = async () => (await systemctl('is-failed', 'sotto')) === 'failed';
        await eventually('systemd gives up', fails, givesUpMs);
        await eventually('the helper has decided', async () =>
          (await machine.succeed(['journalctl', '-u', 'sotto-helper'])).includes('policy keeps it'),
        );
        await expect.poll(isTaken).toBe(true);

        await machine.succeed(['chmod', '0755', broken]);
        await systemctl('reset-failed', 'sotto.service', 'sotto.socket');
        await systemctl('start', 'sotto');
        await set('downgrade', 'warn');
        await machine.succeed(['chmod', '0644', broken]);
        await systemctl('kill', '--signal=KILL', 'sotto');
        await eventually('it is given back', isGivenBack);
        await eventually('systemd gives up', fails, givesUpMs);
        await machine.succeed(['chmod', '0755', broken]);
        await systemctl('reset-failed', 'sotto.service', 'sotto.socket');
        await systemctl('start', 'sotto');
        await eventually('the system asks Sotto again', isTaken);
        const ledger = () => machine.succeed(['sotto', 'ledger', '--json']);
        await expect.poll(ledger).toContain('sotto-helper');
      },
      severalStartsMs,
    );

    it('gives it back when it is removed, and is gone when it is purged', async () => {
      await dpkg('--purge', 'sotto');
      expect(await isGivenBack()).toBe(true);
      expect(await machine.succeed(known)).toBe('');
      const find = ['find', '/etc', '/usr', '/var', '/run', '/tmp', '-xdev'];
      const notOurs = [
        '(',
        '-path',
        '/var/log/*',
        '-o',
        '-path',
        '/run/log/*',
        ')',
        '-prune',
        '-o',
      ];
      expect(await machine.succeed([...find, ...notOurs, '-name', '*sotto*', '-print'])).toBe('');
      await expect.poll(() => systemctl('list-units', '--all', '--no-legend', 'sotto*')).toBe('');
    });
  });
