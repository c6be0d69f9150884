/**
 * Other programs change the resolver of the machine's programs: a sample of npm run lab:hostile-networks, and who may not close
 * the gate. The lab measures how soon the gate closes; here only the order counts.
 */
import { expect, it } from 'vitest';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { Stage } from '../lab/hostile-networks/stage.ts';
import { faults, tooLate } from '../lab/hostile-networks/verdict.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Gate } from './gate.ts';
import { Helper } from './helper.ts';
import { InstalledService } from './installed-service.ts';
import { gateway } from './local-network.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';
import { isTold } from './told-in-journal.ts';

/** From this computer only. */
const removeNftables = (client: Machine) =>
  client.shell(`
    mkdir -p /run/sbin/changes /run/sbin/work
    mount -t overlay -o lowerdir=/usr/sbin,upperdir=/run/sbin/changes,workdir=/run/sbin/work overlay /usr/sbin
    rm /usr/sbin/nft`);

const short = { times: 6, namesEach: 6 } as const;
const isClosed = ({ systemDns }: ServiceStatus) => systemDns?.contest?.closed === true;
const hasEntry = ({ clear }: ServiceStatus) =>
  clear.some((entry) => entry.class === 'contested' && entry.closed === null);
const isJudged = (status: ServiceStatus) =>
  hasEntry(status) && ['partly', 'unencrypted'].includes(status.verdict.is);

describeInNetworks(['sotto', 'nft', 'isc-dhcp-client'], 'a contested /etc/resolv.conf', () => {
  it('is set again under refuse, and nothing goes past Sotto until the network is left', async () => {
    const stage = await Stage.open(await labForTest(), 'file');
    const trial = { attack: 'dhclient-script', policy: 'refuse', ...short } as const;
    const outcome = await stage.attempt(trial, isClosed);
    expect(outcome).toMatchObject({ afterClosing: 0, closed: true, entry: false });
  });

  it('is set again where another resolver was only added below ours', async () => {
    const stage = await Stage.open(await labForTest(), 'file');
    const trial = { attack: 'append', policy: 'refuse', ...short } as const;
    const outcome = await stage.attempt(trial, isClosed);
    expect(outcome).toMatchObject({ afterClosing: 0, closed: true });
  });

  it('is left as others set it under fallback, and the ledger has an entry for what goes past Sotto', async () => {
    const stage = await Stage.open(await labForTest(), 'file');
    const trial = { attack: 'script', policy: 'fallback', ...short } as const;
    const outcome = await stage.attempt(trial, isJudged);
    expect(outcome).toMatchObject({ closed: false, entry: true });
    expect(outcome.later).toBeGreaterThan(0);
    expect(faults(outcome).filter((fault) => fault !== tooLate)).toEqual([]);
  });
});

describeInNetworks(['sotto', 'nft', 'dig'], 'systemDns.close', () => {
  it('always: what goes past Sotto is rejected under fallback, too, until DNS is given back', async () => {
    const { client, gate, service } = await computer('fallback', 'always');
    await eventually('it is closed', () => gate.isClosed());
    expect(await client.passes()).toBe(false);
    await eventually('names are answered', client.isAnswered);
    expect((await service.cli('system', 'give-back')).code).toBe(0);
    await eventually('it is open', async () => !(await gate.isClosed()));
    expect(await client.passes()).toBe(true);
  });

  it('never: nothing is rejected under refuse either, and an entry says so', async () => {
    const { client, gate, service } = await computer('refuse', 'never');
    await client.overwrite();
    await eventually('an entry', async () => hasEntry(await service.status()));
    expect([await gate.isClosed(), await client.passes()]).toEqual([false, true]);
    const told = { event: 'dns-contested', closed: false };
    await eventually('the journal tells it', () => isTold(service, told));
  });

  it('can reject nothing where nftables is missing; under refuse an entry and the status say so', async () => {
    const { client, service } = await computer('refuse', 'contested', removeNftables);
    await client.overwrite();
    const status = await eventually('an entry, and an issue', async () => {
      const said = await service.status();
      const isRaised = said.health.some(({ code }) => code === 'system-dns-contested');
      return isJudged(said) && isRaised && said;
    });
    expect(status.systemDns?.contest).toMatchObject({ closed: false });
    const back = await eventually('the system asks Sotto again, as a probe saw', async () => {
      const said = await service.cli('status');
      return said.stdout.startsWith('Partly protected.') && said;
    });
    expect([back.code, back.stdout]).toEqual([1, expect.stringContaining('keeps changing')]);
    const { gate } = await service.call('system.status', {});
    expect(gate).toMatchObject({ closed: null, unavailable: 'nftables is not installed' });
    expect(await client.passes()).toBe(true);
  });

  async function computer(
    downgrade: string,
    close: string,
    prepare: (client: Machine) => Promise<unknown> = async () => {},
  ) {
    const lab = await labForTest();
    const { client, internet } = await NetworkStage.open(lab);
    await prepare(client);
    await Helper.start(lab, client);
    const gate = await Gate.start(lab, client);
    const service = await InstalledService.start(lab, client, {
      upstreams: internet.upstreams.slice(0, 1),
      downgrade,
      systemDns: { close },
    });
    expect((await service.cli('system', 'take')).code).toBe(0);
    const somebody = async (command: string, ...args: string[]) => {
      const as = ['--reuid', '65534', '--clear-groups', '--', command, ...args];
      return (await client.run('setpriv', as)).code === 0;
    };
    return {
      gate,
      service,
      client: {
        /** a query that a program sends to the network's own resolver */
        passes: () => somebody('dig', `@${gateway.v4}`, 'far.example', '+time=30', '+tries=1'),
        /** the same query, sent to the system's resolver */
        isAnswered: () => somebody('getent', 'ahostsv4', 'far.example'),
        overwrite: () => client.write('/etc/resolv.conf', `nameserver ${gateway.v4}\n`),
      },
    };
  }
});

describeInNetworks(['nft'], 'the gate', () => {
  it('rejects queries of other users, and its rules survive it', async () => {
    const lab = await labForTest();
    const { client } = await NetworkStage.open(lab);
    const gate = await Gate.start(lab, client);
    expect(await gate.asks({ verb: 'status' })).toEqual({ ok: { closed: null } });
    expect(await gate.asks({ verb: 'close', why: 'contested' })).toMatchObject({
      ok: { closed: { why: 'contested' } },
    });
    const rules = () => client.succeed('nft', 'list', 'table', 'inet', 'sotto');
    const made = await rules();
    await gate.asks({ verb: 'close', why: 'always' });
    expect(await rules()).toBe(made);
    const ask = async (user: string) => {
      const as = ['--reuid', user, '--clear-groups', '--', 'getent', 'ahostsv4', 'far.example'];
      return (await client.run('setpriv', as)).code === 0;
    };
    expect([await ask('65534'), await ask('0')]).toEqual([false, true]);
    await gate.kill();
    expect([await gate.isClosed(), await ask('65534')]).toEqual([true, false]);
    await gate.start();
    expect(await gate.asks({ verb: 'status' })).toMatchObject({
      ok: { closed: { why: 'always' } },
    });
    await client.succeed('nft', 'flush', 'ruleset');
    await eventually('it is closed again', () => gate.isClosed());
    await gate.asks({ verb: 'open' });
    expect([await gate.isClosed(), await ask('65534')]).toEqual([false, true]);
  });

  it('is opened when DNS is given back, also where it no longer runs', async () => {
    const lab = await labForTest();
    const networkStage = await NetworkStage.open(lab);
    const gate = await Gate.start(lab, networkStage.client);
    await gate.asks({ verb: 'close', why: 'always' });
    await gate.kill();
    await gate.giveBack();
    expect(await gate.isClosed()).toBe(false);
  });

  it('accepts requests from no other user, and says what is wrong with a request', async () => {
    const lab = await labForTest();
    const networkStage = await NetworkStage.open(lab);
    const gate = await Gate.start(lab, networkStage.client);
    expect(await gate.asksAs('65534', { verb: 'close', why: 'always' })).toBe('');
    expect(await gate.isClosed()).toBe(false);
    expect(await gate.asks({ verb: 'close' })).toMatchObject({ failed: { code: 'bad-request' } });
    expect(await gate.asks({ verb: 'close', why: 'always', for: 'me' })).toMatchObject({
      failed: { code: 'bad-request' },
    });
  });
});
