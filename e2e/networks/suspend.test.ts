/**
 * The lid closes for eight hours: guardian and service are stopped, and the clock has moved when they go on. Permissions for
 * minutes are over by then, no query of the meantime is lost, and no process counts as dead.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import type { Outcome } from '../lab/policy-matrix/steady-queries.ts';
import { JumpingClock } from '../load/jumping-clock.ts';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { rcodes } from '../rig/message.ts';
import { Standstill } from '../rig/standstill.ts';
import { InstalledService } from './installed-service.ts';
import { gateway } from './local-network.ts';
import { digOn } from './lookup.ts';
import { NetworkStage } from './network-stage.ts';

const burst = new URL('./burst.ts', import.meta.url).pathname;
const asked = 50;
/** Longer than the guardian waits for a sign of life. */
const standstillMs = 11_000;
const sleptSeconds = 8 * 3600;
/** Each query has four and a half seconds from then on. */
const tolerableMs = 500;

describeInNetworks(['sotto', 'dig'], 'a machine that slept for eight hours', () => {
  it('keeps its service, loses no query, and sends none in cleartext under an earlier permission', async (context) => {
    const lab = await labForTest();
    const clock = await JumpingClock.create(lab);
    if (typeof clock === 'string') return context.skip(clock);
    const stage = await NetworkStage.open(lab);
    const { client, internet } = stage;
    const settings = {
      upstreams: internet.upstreams,
      systemResolvers: [gateway.v4],
      portal: { detect: false },
    };
    const service = await clock.under(() => InstalledService.start(lab, client, settings));
    const capture = await stage.capture();
    const before = await service.status();
    await service.json('pause', '10m');
    await digOn(client, '@127.0.0.1', 'allowed.far.example');

    service.signalAll('SIGSTOP');
    const patience = `${3 * standstillMs}`;
    const args = [burst, '127.0.0.1', '53', 'far.example', `${asked}`, patience];
    const asking = await client.start(process.execPath, args);
    await asking.ready(async () => asking.stdout.includes('asked'));
    await pause(standstillMs);
    clock.set(sleptSeconds, sleptSeconds);
    const standstill = new Standstill();
    service.signalAll('SIGCONT');
    await asking.exited;

    const lines = asking.stdout.split('\n').filter((line) => line.startsWith('{'));
    const answers = lines.map((line) => JSON.parse(line) as Outcome);
    const good = answers.filter(({ rcode }) => rcode === rcodes.NOERROR);
    if (good.length < asked && standstill.end().longestMs > tolerableMs)
      return context.skip('the machine stood still itself while the queries had their time');
    expect(good).toHaveLength(asked);
    await expect
      .poll(() => service.status())
      .toMatchObject({ pid: before.pid, clear: [], protection: { state: 'private' } });
    const clear = await capture.clearQueries();
    expect([...new Set(clear.map(({ name }) => name))]).toEqual(['allowed.far.example']);
    const { stdout } = await service.cli('ledger', '--json');
    const entries = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LedgerEntry);
    expect(entries).toMatchObject([{ class: 'paused', count: clear.length }]);
    expect(service.output).not.toContain('killing it');
  });
});
