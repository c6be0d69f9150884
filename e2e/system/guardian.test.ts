/**
 * Whatever ends the service, its address stays taken, every query gets a response, and DNS is given back only with an entry in
 * the ledger.
 */
import { createSocket, type SocketOptions } from 'node:dgram';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { commandLine, describeWith } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import { ask, dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { addressAnswer, parse, rcodes } from '../rig/message.ts';
import { ScriptedResolver } from '../rig/peers/scripted-resolver.ts';
import { freePort } from '../rig/ports.ts';
import { Program, run } from '../rig/process.ts';
import { childrenOf, GuardedService, settingsFor, whyNoGuardian } from './guardian.ts';
import { OnceClient } from './once-client.ts';
import { serverName, upstream } from './stage.ts';
import { ctrlC, Terminal } from './terminal.ts';

/** The pace of clients. */
const betweenAnswersMs = 100;
const betweenNamesMs = 5;
const fails = 'test -e "$SOTTO_HOME/repaired" || exit 1; exec "$@"';

if (whyNoGuardian !== null) it('the guardian', (context) => context.skip(whyNoGuardian as string));
else
  describeWith(['sotto', 'dig', 'openssl'], 'the guardian', () => {
    const lab = labForFile();

    it('a killed service loses only what was on its way upstream, and nothing gets two responses', async () => {
      const ca = await CertificateAuthority.create(lab);
      const identity = await ca.issue({ for: [`DNS:${serverName}`] });
      const resolver = await ScriptedResolver.start(lab, identity, ({ name, query, answer }) => {
        if (!name.startsWith('held')) answer(addressAnswer(query, '198.51.100.1'));
      });
      const trust = { name: serverName, ca: ca.certificate };
      const guarded = await GuardedService.start(lab, {
        upstreams: [upstream('scripted', 'dot', resolver.endpoint, trust)],
      });
      await guarded.ready();
      const pid = guarded.servicePid();
      const client = lab.adopt(await OnceClient.open(guarded.endpoint));
      const answered = (prefix: string) => client.responses(prefix).length;
      // A connection that is silent for a while is asked for a sign of life, and its queries are sent on another one, too.
      const namesOfClient = () =>
        new Set(resolver.asked.map(({ name }) => name).filter((name) => name.endsWith('.example')));

      for (let number = 0; number < 50; number++) client.ask(`before${number}.example`);
      await eventually('they are answered', () => answered('before') === 50);
      for (let number = 0; number < 20; number++) client.ask(`held${number}.example`);
      await eventually('those are on their way', () => namesOfClient().size === 70);
      const killedAt = performance.now();
      guarded.signalService('SIGKILL');
      const again = (await askUntilAnswered(client, 'after', 200)) - killedAt;
      console.log(`figure: from kill -9 to the next answer ${Math.round(again)} ms`);
      // It was started again at once, however long that takes here.
      await guarded.program.line(/"pauseMs":0\b/);
      expect(guarded.servicePid()).not.toBe(pid);

      // a second response would have come by now
      await guarded.answers();
      expect(answered('held')).toBe(0);
      const rcodesOf = (prefix: string) =>
        client.responses(prefix).map((response) => parse(response).rcode);
      expect(rcodesOf('before')).toEqual(Array(50).fill(rcodes.NOERROR));
      expect(rcodesOf('after')).toEqual(Array(200).fill(rcodes.NOERROR));
      expect(namesOfClient().size).toBe(270);
    });

    it('whatever kills the service, its memory is neither written to disk nor passed to another program', async () => {
      const guarded = await GuardedService.start(lab);
      await guarded.ready();
      const limits = readFileSync(`/proc/${guarded.servicePid()}/limits`, 'utf8');
      expect(limits).toMatch(/^Max core file size +[01] +[01] +bytes/m);
    });

    it('no other program gets the address, with a service or without', async () => {
      const guarded = await GuardedService.start(lab, { before: fails });
      writeFileSync(join(guarded.home, 'repaired'), '');
      await guarded.ready();
      await expectTaken(guarded.port);
      const stopped = await GuardedService.start(lab, { before: 'exit 1' });
      await stopped.program.line(/the service does not start/);
      await expectTaken(stopped.port);
    });

    it('a service that is stopped is killed and replaced', async () => {
      const guarded = await GuardedService.start(lab, { options: ['--watchdog', '2'] });
      await guarded.ready();
      const before = guarded.signalService('SIGSTOP');
      await guarded.ready(2);
      await guarded.answers();
      expect(guarded.servicePid()).not.toBe(before);
      expect(guarded.program.stderr).toContain('hung: no sign of life from its engine');
    });

    it('a control plane that hangs is reported, and its engine still responds', async () => {
      const hang = "process.once('SIGUSR2', () => { for (;;); })";
      const guarded = await GuardedService.start(lab, {
        options: ['--watchdog', '2', '--stop-within', '1'],
        environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hang)}` },
      });
      await guarded.ready();
      const before = guarded.signalService('SIGUSR2');
      await guarded.program.line(/the control plane is silent/);
      // Longer than two watchdog times, in which nothing may happen.
      const until = Date.now() + 5000;
      while (Date.now() < until) {
        await guarded.answers();
        await pause(betweenAnswersMs);
      }
      expect(guarded.servicePid()).toBe(before);
      expect(guarded.starts).toBe(1);
      guarded.program.signal('SIGTERM');
      expect(await guarded.program.exited).toEqual({ code: 137, signal: null });
    });

    it('the guardian responds in place of a service that does not start, and tries to start it again', async () => {
      const guarded = await GuardedService.start(lab, { before: fails });
      await guarded.program.line(/the service does not start/);
      for (const tcp of [false, true]) {
        const response = await ask('dig', guarded.endpoint, 'www.example.org', 'A', { tcp });
        expect(response.status).toBe('SERVFAIL');
        expect(response.extendedError).toMatchObject({
          code: 14,
          text: expect.stringMatching(/service does not start \(ended with 1\); see /),
        });
      }
      writeFileSync(join(guarded.home, 'repaired'), '');
      await guarded.ready();
      expect((await dig(guarded.endpoint, 'localhost')).answers).toEqual(['A 127.0.0.1']);
    });

    describe.each([
      ['{"policy":"refuse","locked":false,"taken":true}', false],
      ['{"policy":"fallback","locked":true,"taken":true}', false],
      ['{"policy":"fallback","locked":false,"taken":false}', false],
      ['{"policy":', false],
      [undefined, false],
      ['{"policy":"warn","locked":false,"taken":true}', true],
      ['{"policy":"fallback","locked":false,"taken":true}', true],
    ])('under the policy %s', (policy, givesBack) => {
      it(`dns is ${givesBack ? '' : 'not '}given back`, async () => {
        const guarded = await GuardedService.start(lab, {
          before: 'exit 1',
          options: [
            '--give-back',
            'cp "$SOTTO_HOME/service-down.journal" "$SOTTO_HOME/given-back"',
          ],
          ...(policy === undefined ? {} : { policy }),
        });
        await guarded.program.line(givesBack ? /"dns is given back"/ : /dns is not given back/);
        const copy = join(guarded.home, 'given-back');
        expect(existsSync(copy)).toBe(givesBack);
        expect(existsSync(join(guarded.home, 'service-down.journal'))).toBe(givesBack);
        if (!givesBack) return;
        // The line was on disk before anything was given back.
        expect(JSON.parse(readFileSync(copy, 'utf8'))).toEqual({
          since: expect.any(Number),
          until: null,
          reason: 'ended with 1',
          count: null,
        });
      });
    });

    it.each(['SIGTERM', 'SIGINT'] as const)(
      '%s to the service alone is no request, so it is started again',
      async (signal) => {
        const guarded = await GuardedService.start(lab);
        await guarded.ready();
        const before = guarded.signalService(signal);
        await guarded.ready(2);
        await guarded.answers();
        expect(guarded.servicePid()).not.toBe(before);
        expect(guarded.program.stderr).toContain('"systemDns":"kept"');
      },
    );

    it('on SIGTERM it ends the service first, and both report that nobody asked for the end', async () => {
      const guarded = await GuardedService.start(lab);
      await guarded.ready();
      process.kill(guarded.program.pid, 'SIGTERM');
      expect(await guarded.program.exited).toEqual({ code: 143, signal: null });
      expect(guarded.program.stderr).toContain('"systemDns":"kept"');
      expect(existsSync(join(guarded.home, 'notify.sock'))).toBe(false);
    });

    it('on sotto stop both end, and DNS is given back', async () => {
      const guarded = await GuardedService.start(lab);
      await guarded.ready();
      const arguments_ = [commandLine, 'stop', '--home', guarded.home];
      const stopped = await run(process.execPath, arguments_);
      expect(stopped).toMatchObject({ code: 0, stdout: 'Sotto has stopped.\n' });
      expect(await guarded.program.exited).toEqual({ code: 0, signal: null });
      expect(guarded.program.stderr).toContain('"systemDns":"given-back"');
    });

    it('Ctrl-C in its terminal counts as a request', async () => {
      const terminal = await Terminal.open(lab);
      await terminal.shows(/the service is ready/);
      terminal.press(ctrlC);
      expect(await terminal.ended).toBe(0);
      expect(terminal.shown).toContain('"systemDns":"given-back"');
    });

    it('Ctrl-C gives DNS back also where the service does not start', async () => {
      const terminal = await Terminal.open(lab, {
        before: 'exit 1',
        options: ['--give-back', 'touch "$SOTTO_HOME/given-back"'],
        policy: '{"policy":"refuse","locked":false,"taken":true}',
      });
      await terminal.shows(/the service does not start/);
      expect(existsSync(join(terminal.home, 'given-back'))).toBe(false);
      terminal.press(ctrlC);
      expect(await terminal.ended).toBe(130);
      expect(existsSync(join(terminal.home, 'given-back'))).toBe(true);
    });

    it('SIGUSR1 opens no port for a debugger, in the service and in the reader of its log', async () => {
      const guarded = await GuardedService.start(lab);
      await guarded.ready();
      await run(process.execPath, [commandLine, 'log', '--limit', '1', '--home', guarded.home]);
      const service = guarded.servicePid() ?? 0;
      const readers = childrenOf(service);
      expect(readers).toHaveLength(1);
      const pids = [service, ...readers];
      const listening = () => pids.map((pid) => listeningSockets(pid));
      const before = listening();
      for (const pid of pids) process.kill(pid, 'SIGUSR1');
      await guarded.answers();
      await run(process.execPath, [commandLine, 'log', '--limit', '1', '--home', guarded.home]);
      expect(listening()).toEqual(before);
      expect([guarded.servicePid(), childrenOf(service)]).toEqual([service, readers]);
      expect(guarded.program.stderr).not.toContain('Debugger');
    });

    it('wrong settings at the first start end it with the service’s status', async () => {
      const guarded = await GuardedService.start(lab, { settings: '{"listen": 5}' });
      expect(await guarded.program.exited).toEqual({ code: 2, signal: null });
    });

    it('an address that leaves the settings stays taken, and is served again when it returns', async () => {
      const guarded = await GuardedService.start(lab);
      await guarded.ready();
      const other = await freePort();
      const settings = join(guarded.home, 'settings.json');
      writeFileSync(settings, settingsFor([other]));
      const moved = { address: '127.0.0.1', port: other };
      await eventually('the other address answers', async () => {
        return (await dig(moved, 'localhost')).answers.length === 1;
      });
      const issues = async () => {
        const { stdout } = await run(process.execPath, [
          ...[commandLine, 'status', '--json'],
          ...['--home', guarded.home],
        ]);
        const { health } = JSON.parse(stdout) as { health: { code: string; subject: string }[] };
        return health.map(({ code, subject }) => `${code} ${subject}`);
      };
      await expect.poll(issues).toContain(`address-not-held 127.0.0.1:${other}`);
      await expectTaken(guarded.port);
      writeFileSync(settings, settingsFor([guarded.port]));
      await guarded.answers();
    });

    it('sotto run --guarded becomes the guardian, and refuses where one runs already', async () => {
      const guarded = await GuardedService.start(lab);
      await guarded.ready();
      const arguments_ = [commandLine, 'run', '--guarded', '--home', guarded.home];
      const second = await run(process.execPath, arguments_);
      expect(second.code).toBe(1);
      expect(second.stderr).toMatch(/already running, pid \d+/);
      await guarded.stop();

      const program = lab.adopt(await Program.start(process.execPath, arguments_));
      await program.line(/the service is ready/);
      await guarded.answers();
      expect(readFileSync(`/proc/${program.pid}/comm`, 'utf8')).toBe('sotto-guardian\n');
      expect(await program.stop()).toEqual({ code: 143, signal: null });
    });
  });

/** Inode numbers of the TCP sockets on which a process listens. */
function listeningSockets(pid: number): string[] {
  const listening = ['tcp', 'tcp6'].flatMap((file) =>
    readFileSync(`/proc/${pid}/net/${file}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  return listening.filter((socket) => open.includes(socket)).sort();
}

async function expectTaken(port: number): Promise<void> {
  const shared: Partial<SocketOptions>[] = [{}, { reuseAddr: true }, { reusePort: true }];
  for (const options of shared)
    expect(await bindsUdp(port, options), `udp ${JSON.stringify(options)}`).toBe('EADDRINUSE');
  for (const reusePort of [false, true])
    expect(await bindsTcp(port, reusePort), `tcp, reusePort ${reusePort}`).toBe('EADDRINUSE');
}

function bindsUdp(port: number, options: Partial<SocketOptions>): Promise<string> {
  return new Promise((done) => {
    const socket = createSocket({ type: 'udp4', ...options });
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.close(() => done('bound'));
    });
  });
}

function bindsTcp(port: number, reusePort: boolean): Promise<string> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ port, host: '127.0.0.1', exclusive: true, reusePort }, () => {
      server.close(() => done('bound'));
    });
  });
}

/** Asks for so many names, one shortly after the other. Returns the performance.now() at which the first answer was there, when all are. */
async function askUntilAnswered(
  client: OnceClient,
  prefix: string,
  count: number,
): Promise<number> {
  let first: number | undefined;
  for (let number = 0; number < count; number++) {
    client.ask(`${prefix}${number}.example`);
    await pause(betweenNamesMs);
    if (client.responses(prefix).length > 0) first ??= performance.now();
  }
  await eventually('what came since is answered', () => client.responses(prefix).length === count);
  return first ?? performance.now();
}
