/**
 * A service that the users of a machine share: the role of each decides what it may do. Tried with real processes of other users.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { commandLine, describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { type Finished, Program, run } from '../rig/process.ts';
import { settingsFor } from './guardian.ts';

const setpriv = '/usr/bin/setpriv';

/** Numbers suffice, because the kernel needs no account for them. */
const alice = '54001';
const controllers = '54500';
const administrators = '54501';

/** Only the service sees the groups that an installation would have made. */
const withGroups = ['--mount', '--propagation', 'private', '/bin/sh', '-c'];
const mountGroups = 'mount --bind "$0" /etc/group && exec "$@"';

function as(user: string, groups: readonly string[]): string[] {
  const membership = groups.length > 0 ? ['--groups', groups.join()] : ['--clear-groups'];
  return ['--reuid', user, '--regid', user, ...membership, '--'];
}

function whyNotHere(): string | null {
  if (process.getuid?.() !== 0) return 'only root can become other users';
  if (!existsSync(setpriv)) return 'no setpriv: apt-get install util-linux';
  const version = [process.execPath, commandLine, '--version'];
  if (spawnSync(setpriv, [...as(alice, []), ...version]).status !== 0)
    return 'other users may not read this folder';
  const namespace = [...withGroups, 'mount --bind /etc/group /etc/group'];
  return spawnSync('unshare', namespace).status === 0 ? null : 'no mount namespaces here';
}

const reason = whyNotHere();
if (reason !== null) it('roles of other users', (context) => context.skip(reason));
else
  describeWith(['sotto'], "the machine's control socket", () => {
    const lab = labForFile();
    let environment: Record<string, string>;
    let socket: string;
    let program: Program;

    beforeAll(async () => {
      const place = (name: string) => join(lab.directory, name);
      chmodSync(lab.directory, 0o755);
      for (const folder of ['run', 'config', 'config/sotto']) mkdirSync(place(folder));
      chmodSync(place('run'), 0o755);
      chmodSync(place('config'), 0o700);
      environment = {
        SOTTO_MODE: 'system',
        CONFIGURATION_DIRECTORY: place('config/sotto'),
        STATE_DIRECTORY: place('state'),
        RUNTIME_DIRECTORY: place('run/sotto'),
      };
      socket = place('run/sotto/control.sock');
      // Permissions get an entry only where there is a cleartext resolver.
      const settings = {
        ...JSON.parse(settingsFor([await freePort()])),
        systemResolvers: ['127.0.0.1:1'],
      };
      writeFileSync(place('config/sotto/settings.json'), JSON.stringify(settings));
      const groups = `sotto:x:${controllers}:\nsotto-admin:x:${administrators}:\n`;
      writeFileSync(place('group'), readFileSync('/etc/group', 'utf8') + groups);
      const service = [process.execPath, commandLine, 'run'];
      program = lab.adopt(
        await Program.start('unshare', [...withGroups, mountGroups, place('group'), ...service], {
          env: environment,
        }),
      );
      await program.ready(async () => program.stderr.includes('"listening"'));
    });

    async function ask(groups: readonly string[], ...words: string[]): Promise<Finished> {
      const command = [process.execPath, commandLine, ...words];
      return await run(setpriv, [...as(alice, groups), ...command], { env: environment });
    }

    function expectRefused({ code, stderr }: Finished, needed: string, group: string): void {
      expect(code).toBe(1);
      const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
      expect(error).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`needs the role ${needed}`),
        remedy: expect.stringContaining(`usermod -aG ${group} `),
      });
    }

    it('lets everybody connect, and only its owner change its folder', () => {
      expect(statSync(socket).mode & 0o777).toBe(0o666);
      expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o755);
    });

    it('lets any user observe, but neither switch nor read others’ queries', async () => {
      expect((await ask([], 'status', '--json')).stdout).toContain('"verdict"');
      expectRefused(await ask([], 'pause', '1m', '--json'), 'control', 'sotto');
      expectRefused(await ask([], 'cache', 'flush', '--json'), 'control', 'sotto');
      expectRefused(await ask([], 'log', '--json'), 'administer', 'sotto-admin');
      expectRefused(await ask([], 'log', '--follow', '--json'), 'administer', 'sotto-admin');
      expectRefused(
        await ask([], 'cache', 'show', 'example.org', '--json'),
        'administer',
        'sotto-admin',
      );
    });

    it.each([
      [['network', 'list'], 'administer', 'sotto-admin'],
      [['network', 'show'], 'administer', 'sotto-admin'],
      [['network', 'forget', 'home'], 'administer', 'sotto-admin'],
      [['rule', 'list'], 'control', 'sotto'],
      [['config', 'show'], 'control', 'sotto'],
      [['consent', 'list'], 'control', 'sotto'],
    ])('hides %s from an observer', async (words, needed, group) => {
      expectRefused(await ask([], ...words, '--json'), needed, group);
      const next = needed === 'control' ? controllers : administrators;
      expect((await ask([next], ...words, '--json')).stderr).not.toContain('"forbidden"');
    });

    it('shows an observer that names may leave in cleartext, but neither which nor where to', async () => {
      const root = { env: environment };
      const rule = ['rule', 'add', 'corp.example', '127.0.0.1:9', '--json'];
      expect((await run(process.execPath, [commandLine, ...rule], root)).code).toBe(0);
      for (const words of [
        ['status', '--json'],
        ['ledger', '--json'],
      ]) {
        const [mine, theirs] = [
          await run(process.execPath, [commandLine, ...words], root),
          await ask([], ...words),
        ];
        expect(mine.stdout).toContain('corp.example');
        expect(theirs.stdout).toContain('"class":"bypass"');
        expect(theirs.stdout).not.toContain('corp.example');
      }
      const remove = ['rule', 'remove', 'corp.example'];
      expect((await run(process.execPath, [commandLine, ...remove], root)).code).toBe(0);
    });

    it('lets members of sotto change the network they are on, and no other', async () => {
      const other = await ask(
        [controllers],
        'network',
        'name',
        'office',
        '--network',
        'home',
        '--json',
      );
      expect(other.stderr).toContain('"forbidden"');
      expect(other.stderr).not.toContain('unknown-network');
    });

    it('lets members of sotto switch, but still not read others’ queries', async () => {
      expect((await ask([controllers], 'cache', 'flush', '--json')).code).toBe(0);
      expectRefused(await ask([controllers], 'log', '--json'), 'administer', 'sotto-admin');
    });

    it('records who allowed what, by name where the number has one', async () => {
      expect((await ask([controllers], 'pause', '1m', '--json')).code).toBe(0);
      const root = { env: environment };
      await run(process.execPath, [commandLine, 'off', '--json'], root);
      expect((await ask([controllers], 'on', '--json')).code).toBe(0);
      const { stdout } = await run(process.execPath, [commandLine, 'ledger', '--json'], root);
      const entries = stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { class: string; who: string; closed: string })
        .filter((entry) => entry.class !== 'bypass');
      expect(entries).toMatchObject([
        { class: 'paused', who: `user ${alice}`, closed: 'switched off by root' },
        { class: 'off', who: 'root', closed: `switched on by user ${alice}` },
      ]);
    });

    it('lets members of sotto-admin read the log, and root', async () => {
      expect((await ask([administrators], 'log', '--json')).code).toBe(0);
      const root = await run(process.execPath, [commandLine, 'log', '--json'], {
        env: environment,
      });
      expect(root.code).toBe(0);
    });

    it('has a record of whatever a role may not decide, and of what was done after any number of refusals', async () => {
      const tries = [
        ['log', 'erase', '--yes'],
        ['profile', 'leave'],
        ['config', 'accept'],
        ['network', 'forget', 'home'],
      ];
      for (const words of tries)
        expect((await ask([controllers], ...words, '--json')).stderr).toContain('"forbidden"');
      for (let index = 0; index < 3; index += 1) await ask([controllers], 'on', '--json');
      expect((await ask([controllers], 'off', '--json')).code).toBe(0);
      expect((await ask([controllers], 'on', '--json')).code).toBe(0);
      expect((await ask([administrators], 'log', 'erase', '--yes', '--json')).code).toBe(0);
      for (const [group, evidence] of [
        [controllers, false],
        [administrators, true],
      ] as const) {
        const forgot = await ask([group], 'upstream', 'forget', '--json');
        expect(JSON.parse(forgot.stdout)).toMatchObject({ evidence });
      }
      const { stdout } = await ask([administrators], 'audit', '--json', '--limit', '9');
      const records = stdout.split('\n').filter((line) => line !== '');
      const own = { who: Number(alice) };
      const refused = (method: string) => ({
        ...{ ...own, event: 'change-refused' },
        fields: { method, setting: null, code: 'forbidden' },
      });
      const switched = (to: string) => ({ ...own, event: 'protection-switched', fields: { to } });
      expect(records.map((line) => JSON.parse(line))).toMatchObject([
        ...['log.clear', 'profile.leave', 'settings.accept', 'network.forget'].map(refused),
        ...['off', 'on'].map(switched),
        { ...own, event: 'query-log-erased' },
        { ...own, event: 'upstream-forgotten', fields: { all: true, evidence: false } },
        { ...own, event: 'upstream-forgotten', fields: { all: true, evidence: true } },
      ]);
    });

    it('keeps a lock against a client that may only control, and records the attempt in the journal', async () => {
      const folder = join(lab.directory, 'config/sotto/policy.d');
      mkdirSync(folder);
      const settings = { downgrade: { value: 'refuse', lock: true } };
      writeFileSync(join(folder, '10.json'), JSON.stringify({ name: 'Corp', settings }));
      await eventually('it is locked', async () => {
        const { stdout } = await ask([administrators], 'config', 'show', '--json');
        return stdout.includes('"lockedBy":"Corp"');
      });
      const { stderr } = await ask([controllers], 'pause', '1m', '--json');
      expect(stderr).toContain('only an administrator may switch Sotto off or pause it');
      // What it writes there comes beside the reply.
      const noted = () =>
        program.stderr
          .split('\n')
          .slice(0, -1)
          .filter((line) => line.includes('"switch-refused"'))
          .map((line) => JSON.parse(line));
      await expect
        .poll(noted)
        .toMatchObject([{ level: 'warn', to: 'paused', who: `user ${alice}`, role: 'control' }]);
      rmSync(folder, { recursive: true });
      const accept = ['config', 'accept'];
      await eventually(
        'it is let go',
        async () => (await ask([administrators], ...accept)).code === 0,
      );
    });

    it('is not shared where the service belongs to one person', async () => {
      const home = join(lab.directory, 'own');
      mkdirSync(home);
      writeFileSync(join(home, 'settings.json'), settingsFor([await freePort()]));
      const env = { SOTTO_HOME: home };
      const program = lab.adopt(
        await Program.start(process.execPath, [commandLine, 'run'], { env }),
      );
      await program.ready(async () => program.stderr.includes('"listening"'));
      const status = [process.execPath, commandLine, 'status', '--json'];
      const byFile = await run(setpriv, [...as(alice, []), ...status], { env });
      expect(byFile.stderr).toContain('"forbidden"');
      // Others are refused even where the socket was opened to all by mistake.
      chmodSync(join(home, 'control.sock'), 0o666);
      const byPeer = await run(setpriv, [...as(alice, [controllers]), ...status], { env });
      expect(byPeer.code).not.toBe(0);
      expect(byPeer.stderr).toContain('this Sotto belongs to another user');
    });
  });
