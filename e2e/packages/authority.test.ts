/**
 * "Protect this computer" for an account that may not: the real polkit and pkexec, with a password that is typed at a real prompt, on
 * a computer on which the .deb is installed and systemd is process 1.
 */
import { basename } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Result } from '../../app/contract/errors.ts';
import type { TakingChange } from '../../app/contract/protection/taking-words.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { boot, journalOf, whyNoSystemd } from './booted-computer.ts';
import type { InstallTarget } from './install-target.ts';
import { madePackage, whyNoPackages } from './made-packages.ts';
import { NetworkResolver } from './network-resolver.ts';
import { PasswordAgent } from './password-agent.ts';
import { startUpstream } from './upstream.ts';

const network = '192.0.2.53';
const resolvConf = `nameserver ${network}\n`;
const known = ['dig', '+short', 'img3.herald.example'];
const answer = '203.0.113.15\n';
const password = 'correct horse';
const protect = '/usr/lib/sotto/bin/sotto-protect';
const rules = '/etc/polkit-1/rules.d/10-sotto.rules';
/** the action of pkexec for every program that has none of its own */
const anyProgram = 'org.freedesktop.policykit.exec';

const reason = whyNoSystemd() ?? whyNoPackages();
if (reason !== null) it('the authority', (context) => context.skip(reason));
else
  describeWith(
    ['dig', 'curl', 'unbound', 'sotto', 'sotto-server', 'pkexec', 'pkttyagent'],
    'an account that may not protect this computer',
    () => {
      const lab = labForFile();
      let machine: InstallTarget;
      let page: { address: string; token: string; pid: string };

      beforeAll(async () => {
        const made = await madePackage('deb');
        machine = await boot(lab, resolvConf, `${network}/32`);
        const deb = `/srv/${basename(made)}`;
        await machine.copyIn(made, deb);
        await NetworkResolver.start(lab, machine, network);
        await machine.succeed(['dpkg', '--force-unsafe-io', '--install', deb]);
        const upstreams = [await startUpstream(lab, machine)];
        await machine.write('/etc/sotto/settings.json', JSON.stringify({ upstreams }));
        await machine.succeed(['systemctl', 'reload', 'sotto']);
        await eventually('it answers with its settings', async () => {
          const asked = await machine.run(['dig', '@127.0.0.1', '+short', 'img3.herald.example']);
          return asked.stdout === answer;
        });
        // ann is an administrator as Debian knows them, ben is nobody in particular
        for (const [who, groups] of [
          ['ann', ['--groups', 'sudo']],
          ['ben', []],
        ] as const)
          await machine.succeed(['useradd', '--create-home', ...groups, who]);
        await machine.succeed(['sh', '-c', `echo 'ann:${password}' | chpasswd`]);
        page = await openPage('ann');
      });

      beforeEach(({ onTestFailed }) => {
        onTestFailed(async () => console.error(await journalOf(machine)));
      });

      /** The page's server of this person, and the token of its one tab. */
      async function openPage(who: string) {
        const ui = await machine.start(lab, ['sotto', 'ui', '--no-open', '--json'], who);
        const [line] = await ui.line(/^\{.*\}$/m);
        const { address, file } = JSON.parse(line) as { address: string; file: string };
        const [, code] = /#code=([\w-]+)/.exec(await machine.read(file)) ?? [];
        const session = await post(who, address, 'session', [], JSON.stringify({ code }));
        const { token } = JSON.parse(session) as { token: string };
        const pid = await machine.succeed(['pgrep', '-U', who, '-f', 'cli.mjs ui']);
        return { address, token, pid: pid.trim() };
      }

      async function post(
        who: string,
        address: string,
        path: string,
        headers: readonly string[],
        body = '{}',
      ): Promise<string> {
        const all = [
          `Origin: ${address.slice(0, -1)}`,
          'Content-Type: application/json',
          ...headers,
        ];
        const said = all.flatMap((header) => ['--header', header]);
        const words = ['--silent', '--max-time', '50', ...said, '--data', body];
        return await machine.succeed(['curl', ...words, `${address}${path}`], who);
      }

      async function ask(change: TakingChange): Promise<Result<null>> {
        const header = `Authorization: Bearer ${page.token}`;
        return JSON.parse(await post('ann', page.address, `authority/${change}`, [header]));
      }

      const isTaken = async () =>
        (await machine.read('/etc/resolv.conf')).includes('nameserver 127.0.0.1');
      const verdict = async (who: string) => {
        const { stdout } = await machine.run(['sotto', 'status', '--json'], who);
        return (JSON.parse(stdout) as ServiceStatus).verdict.is;
      };
      /** polkit's rules are in an older JavaScript */
      const allow = (result: 'YES' | 'NO', action: string) =>
        machine.write(
          rules,
          `polkit.addRule(function (action) {
            if (action.id == ${JSON.stringify(action)}) return polkit.Result.${result};
          });`,
        );
      /** as ben, whom no agent serves */
      const pkexec = (...words: string[]) =>
        machine.run(['pkexec', '--disable-internal-agent', ...words], 'ben');

      it('may look, and is told what an administrator can run', async () => {
        expect(await verdict('ben')).toBe('not-in-use');
        const { code, stderr } = await machine.run(['sotto', 'system', 'take'], 'ben');
        expect(code).toBe(1);
        expect(stderr).toContain('sudo sotto system take');
        expect(await isTaken()).toBe(false);
      });

      it('is told where no program of the desktop shows the prompt', async () => {
        expect(await ask('take')).toMatchObject({ failure: { code: 'authority-unreachable' } });
        expect(await isTaken()).toBe(false);
      });

      it('changes nothing with a wrong password, or with a prompt that is closed', async () => {
        const agent = await PasswordAgent.open(lab, machine, 'ann', page.pid);
        const wrong = ask('take');
        expect(await agent.prompt()).toContain(
          "Authentication is required to send this computer's DNS queries to Sotto",
        );
        agent.type('wrong');
        expect(await wrong).toMatchObject({ failure: { code: 'authority-refused' } });
        const closed = ask('take');
        await agent.prompt();
        expect(await ask('give-back')).toMatchObject({ failure: { code: 'authority-busy' } });
        await agent.stop();
        expect(await closed).toMatchObject({
          failure: { code: expect.stringMatching(/^authority-(dismissed|refused)$/) },
        });
        expect(await isTaken()).toBe(false);
      });

      it('protects the computer with the password, and every account sees that it works', async () => {
        const agent = await PasswordAgent.open(lab, machine, 'ann', page.pid);
        const asked = ask('take');
        await agent.prompt();
        agent.type(password);
        expect(await asked).toEqual({ ok: true, value: null });
        await expect.poll(isTaken).toBe(true);
        await eventually('a query of a program arrived', async () =>
          ['protected', 'partly'].includes(await verdict('ben')),
        );
        await expect.poll(() => machine.succeed(known, 'ben')).toBe(answer);
        await agent.stop();
      });

      it('asks for the password again, however short ago it was given', async () => {
        const agent = await PasswordAgent.open(lab, machine, 'ann', page.pid);
        const asked = ask('give-back');
        expect(await agent.prompt()).toContain('past Sotto again');
        agent.type(password);
        expect(await asked).toEqual({ ok: true, value: null });
        await expect.poll(() => machine.read('/etc/resolv.conf')).toBe(resolvConf);
        await agent.stop();
      });

      it('follows the rules of this machine, for each of the two actions', async () => {
        await allow('YES', 'org.sotto.take');
        await eventually('polkit has read the rule', async () => (await ask('take')).ok);
        await expect.poll(isTaken).toBe(true);
        expect(await ask('give-back')).toMatchObject({
          failure: { code: 'authority-unreachable' },
        });
        await allow('NO', 'org.sotto.give-back');
        await eventually('polkit has read the rule', async () => {
          const asked = await ask('give-back');
          return !asked.ok && asked.failure.code === 'authority-refused';
        });
        await expect.poll(isTaken).toBe(true);
        await machine.succeed(['sotto', 'system', 'give-back']);
      });

      it('can choose nothing but the word, even where the action is free for everybody', async () => {
        await allow('YES', 'org.sotto.take');
        const home = '/home/ben/evil';
        await machine.succeed(['mkdir', '-p', home], 'ben');
        await eventually('polkit has read the rule', async () => {
          const { code } = await pkexec(protect, 'take', '--home', home);
          return code === 2;
        });
        expect(await isTaken()).toBe(false);
        for (const words of [['off'], ['system', 'take'], ['--help'], []])
          expect((await pkexec(protect, ...words)).code).toBe(127);
        expect((await pkexec('/usr/lib/sotto/bin/sotto', 'off')).code).toBe(127);
        const misled = [
          ...['env', `SOTTO_HOME=${home}`, `RUNTIME_DIRECTORY=${home}`, `HOME=${home}`],
          ...[`NODE_OPTIONS=--require=${home}/x.js`, `PATH=${home}:/usr/bin:/bin`],
          ...['pkexec', '--disable-internal-agent', protect, 'take'],
        ];
        expect((await machine.run(misled, 'ben')).code).toBe(0);
        await expect.poll(isTaken).toBe(true);
        await machine.succeed(['sotto', 'system', 'give-back']);
      });

      it('is refused what a policy has locked, whatever polkit says', async () => {
        await allow('YES', 'org.sotto.take');
        const locked = {
          name: 'Corp',
          settings: { 'systemDns.take': { value: false, lock: true } },
        };
        await machine.write('/etc/sotto/policy.d/10.json', JSON.stringify(locked));
        await machine.succeed(['systemctl', 'reload', 'sotto']);
        await eventually('the lock is said', async () => {
          const asked = await ask('take');
          return !asked.ok && asked.failure.code === 'setting-locked';
        });
        expect(await isTaken()).toBe(false);
      });

      it('brings an action for nothing else', async () => {
        const { stdout } = await machine.run(['pkaction']);
        const ours = stdout.split('\n').filter((line) => /sotto/i.test(line));
        expect(ours).toEqual(['org.sotto.give-back', 'org.sotto.take']);
        expect(stdout).toContain(anyProgram);
      });
    },
  );
