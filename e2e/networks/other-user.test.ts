/** No other user of the machine can respond in Sotto's place, or get at the service's ports and files. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import type { OpenedPortal } from '../../app/contract/system/portal.ts';
import { commandLine, describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import type { Finished } from '../rig/process.ts';
import { controlSocket, InstalledService } from './installed-service.ts';
import { digOn, firstRecord } from './lookup.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal } from './portal.ts';

const intruder = fileURLToPath(new URL('./intruder.ts', import.meta.url));
const setpriv = '/usr/bin/setpriv';
/** `nobody`, whom every system has. */
const stranger = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
const ports = ['udp:127.0.0.1:53', 'udp:0.0.0.0:53', 'udp:::1:53', 'tcp:127.0.0.1:53', 'tcp::::53'];
const files = [controlSocket, '/etc/sotto/settings.json', '/var/lib/sotto/ledger.sqlite'];

const reason = whyNotHere();
if (reason !== null) it('another user of the machine', (context) => context.skip(reason));
else
  describeInNetworks(['sotto', 'dig', 'nft'], 'another user of the machine', () => {
    const lab = labForFile();
    let stage: NetworkStage;
    let service: InstalledService;
    beforeAll(async () => {
      stage = await NetworkStage.open(lab);
      const { upstreams } = stage.internet;
      service = await InstalledService.start(lab, stage.client, { upstreams });
    });

    async function asStranger(...command: string[]): Promise<Finished> {
      return await stage.client.run(setpriv, [...stranger, process.execPath, ...command]);
    }

    async function attempts(): Promise<string[]> {
      const wishes = [...ports, ...files.map((path) => `file:${path}`)];
      const { stdout, stderr } = await asStranger(intruder, ...wishes);
      const lines = stdout.split('\n').filter(Boolean);
      expect(lines, stderr).toHaveLength(ports.length * 3 + files.length * 4);
      const came = lines.map((line) => JSON.parse(line) as { what: string; came: string });
      return came.filter(({ came }) => !refusal.test(came)).map(told);
    }

    it('gets neither its ports nor its files, while it runs', async () => {
      expect(await attempts()).toEqual([]);
      const answer = await digOn(stage.client, '@127.0.0.1', 'far.example');
      expect(firstRecord(answer)).not.toBe('');
    });

    it('gets neither while the service is being restarted', async () => {
      const { pid } = await service.status();
      process.kill(pid, 'SIGSTOP');
      expect(await attempts()).toEqual([]);
      process.kill(pid, 'SIGKILL');
      expect(await attempts()).toEqual([]);
      await service.ready(2);
      await eventually('it answers again', async () => {
        return (await stage.client.run('dig', ['@127.0.0.1', 'localhost', '+short'])).code === 0;
      });
    });

    it('can neither take a login’s port nor use it', async () => {
      await Portal.start(lab, stage.network, { silent: true });
      await stage.client.run('dig', ['@127.0.0.1', 'lost.far.example', '+tries=1']);
      await eventually('a login is wanted', async () => {
        return (await service.status()).portal !== null;
      });
      const { proxy } = await service.json<OpenedPortal>('portal', 'open');
      const at = `${proxy.host}:${proxy.port}`;
      const { stdout } = await asStranger(intruder, `tcp:${at}`, `knock:${at}`);
      const came = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).came);
      expect(came).toEqual([
        ...['EADDRINUSE', 'EADDRINUSE', 'EADDRINUSE'],
        ...['05ff', expect.stringMatching(/^HTTP\/1\.1 407 /)],
      ]);
    });

    it('may look at it through the control socket, and read or switch nothing', async () => {
      const env = ['SOTTO_MODE=system', process.execPath, commandLine];
      const as = async (...words: string[]) =>
        await stage.client.run(setpriv, [...stranger, 'env', ...env, ...words, '--json']);
      expect((await as('status')).stdout).toContain('"verdict"');
      for (const words of [['off'], ['pause', '1m'], ['log'], ['cache', 'flush']])
        expect((await as(...words)).stderr, words.join(' ')).toContain('"forbidden"');
      await expect.poll(async () => (await service.status()).protection.state).toBe('portal');
    });
  });

/** A socket can't be opened as a file: ENXIO. A service that starts removes the last one's socket a moment before it has its own. */
const refusal = /^(EACCES|EADDRINUSE|EPERM|ENXIO|ENOENT)$/;

function told({ what, came }: { what: string; came: string }): string {
  return `${what}: ${came}`;
}

function whyNotHere(): string | null {
  if (!existsSync(setpriv)) return 'no setpriv: apt-get install util-linux';
  const version = [process.execPath, commandLine, '--version'];
  return spawnSync(setpriv, [...stranger, ...version]).status === 0
    ? null
    : 'other users may not read this folder, or only root can become them';
}
