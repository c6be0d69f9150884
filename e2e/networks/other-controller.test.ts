/**
 * A member of the group sotto attacks the machine's Sotto while its administrator has locked what protects: nothing that the role
 * control may call lets a name out, tells about files, or stops the service.
 */
import { expect, it } from 'vitest';
import { commandLine, describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import { gateway, internalZone } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, resolvectl } from './resolved.ts';
import { inShared } from './shared-repository.ts';

const mallory = '54001';
const group = '54500';

describeInNetworks(
  ['sotto', 'systemd-resolved', 'busctl', 'dig'],
  'a person who may only control',
  () => {
    it('lets nothing out, learns of no file and stops nothing, whatever it sets and calls', async () => {
      const { client, service, network, capture, call } = await open();
      const refused = async (...words: string[]) => {
        const { code, stderr } = await call(...words);
        expect([words, code, stderr]).toEqual([
          words,
          1,
          expect.stringMatching(/only an administrator|locked/),
        ]);
        return stderr;
      };
      const files = ['/dev/zero', '/run/pipe', '/root', '/etc/passwd', '/no/such/file'];
      await client.shell('mkfifo -m 666 /run/pipe');
      const said = [];
      for (const ca of files) {
        const upstream = { id: 'x', transport: 'dot', address: '192.0.2.1', name: 'x.test', ca };
        said.push(await refused('config', 'set', 'upstreams', JSON.stringify([upstream])));
      }
      expect(new Set(said).size).toBe(1);
      for (const [key, value] of Object.entries(looser))
        await refused('config', 'set', key, JSON.stringify(value));
      await client.write('/run/profile.json', JSON.stringify(profileNaming('/dev/zero')));
      const queries = ['--queries', '/etc/hostname', '--allow', 'authorities,downgrade'];
      await refused('profile', 'simulate', '/run/profile.json', ...queries);
      await refused('rule', 'believe', internalZone);
      await refused('pause', '1m');
      await refused('off');
      await refused('system', 'give-back');

      const name = `intra.${internalZone}`;
      await client.run('dig', ['@127.0.0.1', '+tries=1', '+time=5', name]);
      await expect
        .poll(async () => (await service.status()).systemDns)
        .toMatchObject({ taken: true, mechanism: 'resolved' });
      expect(network.heard).not.toContain(name);
      expect(await capture.clearQueries()).toEqual([]);
    });

    it('goes around no lock of a group and of the system’s DNS by the switch', async () => {
      const groups = { bank: { names: ['bank.example'], downgrade: 'refuse' } };
      const { client, service, network, capture, call } = await open((upstream) => ({
        upstreams: [upstream, { ...upstream, id: 'own', group: 'bank' }],
        groups,
        'systemDns.take': true,
      }));
      for (const words of [['pause', '1m'], ['off'], ['rule', 'believe', internalZone]]) {
        const { code, stderr } = await call(...words);
        expect([words, code, stderr]).toEqual([
          words,
          1,
          expect.stringContaining('only an administrator'),
        ]);
      }
      await client.run('dig', ['@127.0.0.1', '+tries=1', '+time=5', 'www.bank.example']);
      await expect
        .poll(() => service.status())
        .toMatchObject({ protection: { state: 'private' }, systemDns: { taken: true } });
      expect(network.heard).not.toContain('www.bank.example');
      expect(await capture.clearQueries()).toEqual([]);
    });
  },
);

/** Each would take something away from others, or erase it. */
const looser = {
  'systemDns.mechanism': 'file',
  'queryLog.maxMegabytes': 1,
  'queryLog.keepDays': 3650,
  'queryLog.mode': 'off',
  strategy: 'race',
  listen: ['127.0.0.1:53', '127.0.0.1:700'],
  rungs: ['udp'],
  'connections.postQuantum': 'require',
  'connections.ticketHours': 168,
  'portal.probes': [{ url: 'http://portal.test/x', text: 'x' }],
  'cache.entries': 10_000_000,
  learnRules: 'off',
};

function profileNaming(ca: string): object {
  const upstream = { id: 'x', transport: 'dot', address: '192.0.2.1', name: 'x.test', ca };
  return {
    ...{ id: 'corp', serial: 1, issuer: 'Corp', name: 'Corp' },
    settings: { upstreams: { value: [upstream], lock: true } },
  };
}

const underRefuse = { downgrade: 'refuse', 'systemDns.take': true, 'systemDns.close': 'always' };

async function open(locked: (upstream: object) => Record<string, unknown> = () => underRefuse) {
  const lab = await labForTest();
  const stage = await NetworkStage.open(lab);
  const { client, network, internet } = stage;
  await client.startBus();
  await Resolved.start(lab, client);
  await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
  await client.succeed(resolvectl, 'domain', 'eth0', internalZone);
  await client.shell(`echo 'sotto:x:${group}:' >> /etc/group`);
  await Helper.start(lab, client);
  const settings = Object.fromEntries(
    Object.entries(locked(internet.upstreams[0] ?? {})).map(([key, value]) => [
      key,
      { value, lock: true },
    ]),
  );
  await client.shell('mkdir -p /etc/sotto/policy.d');
  await client.write('/etc/sotto/policy.d/10.json', JSON.stringify({ name: 'Corp', settings }));
  const service = await InstalledService.start(lab, client, {
    upstreams: internet.upstreams.slice(0, 1),
    learnRules: 'ask',
    portal: { detect: false },
  });
  await eventually('taken, and the claim is seen', async () => {
    const { claims } = await service.call('rule.list', {});
    const { systemDns } = await service.status();
    return systemDns?.taken === true && claims.some(({ suffix }) => suffix === internalZone);
  });
  const capture = await stage.capture();
  const as = ['--reuid', mallory, '--regid', mallory, '--groups', group, '--'];
  const call = async (...words: string[]) =>
    await client.run(
      'setpriv',
      [...as, inShared(process.execPath), inShared(commandLine), ...words],
      {
        env: { SOTTO_MODE: 'system' },
      },
    );
  return { client, service, network, capture, call };
}
