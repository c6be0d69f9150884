/** Off, paused and on again: what leaves in cleartext, for how long, and that the ledger has it. */

import { beforeAll, expect, it } from 'vitest';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant, plantAddress } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'protection', () => {
  const lab = labForFile();
  let stage: Stage;
  let tap: PlainTap;
  beforeAll(async () => {
    stage = await openStage(lab);
    tap = await PlainTap.start(lab, stage.nsd.plain);
  });

  async function startService(systemResolvers: string[]): Promise<SottoService> {
    return await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
      systemResolvers,
    });
  }

  it('off sends queries to the system’s resolvers, in cleartext and counted; on makes them private again', async () => {
    const service = await startService([text(tap.endpoint)]);
    await dig(service.v4, plant(1));
    expect(tap.names).not.toContain(plant(1));

    const before = tap.names.length;
    const off = await service.json<ServiceStatus>('off');
    expect(off.protection.state).toBe('off');
    const response = await digInTime(service.v4, plant(2));
    expect(response).toMatchObject({ status: 'NOERROR', answers: [`A ${plantAddress(2)}`] });
    expect(tap.names).toContain(plant(2));
    await expect
      .poll(() => service.logged(plant(2)))
      .toMatchObject({ clear: 'off', transport: 'udp' });
    // once, unless the resolver took so long that it was asked again
    const clear = async () => (await service.status()).clear;
    await expect
      .poll(clear)
      .toMatchObject([{ class: 'off', count: tap.names.length - before, closed: null }]);

    await service.json('on');
    await digInTime(service.v4, plant(3));
    expect(tap.names).not.toContain(plant(3));
    expect((await service.status()).clear).toEqual([]);
    await service.stop();
  });

  it('off without any system resolver refuses at once', async () => {
    const service = await startService([]);
    await service.json('off');
    const response = await dig(service.v4, plant(10));
    expect(['SERVFAIL', 'REFUSED']).toContain(response.status);
    expect(response.extendedError?.text).toMatch(/off|resolver/i);
    const event = await service.logged(plant(10));
    expect(event).toMatchObject({ outcome: 'refused', transport: 'none', stages: { wait: 0 } });
    await service.stop();
  });

  it('off stays off across a restart', async () => {
    const service = await startService([text(tap.endpoint)]);
    await service.json('off');
    await service.stop();
    await service.restart();
    expect((await service.status()).protection.state).toBe('off');
    await service.stop();
  });

  it('a pause ends by itself', async () => {
    const service = await startService([text(tap.endpoint)]);
    let number = 20;
    // on a busy computer the pause may be over before the query comes
    await eventually('a query leaves while it is paused', async () => {
      number += 1;
      const paused = await service.json<ServiceStatus>('pause', '2s');
      expect(paused.protection.state).toBe('paused');
      await dig(service.v4, plant(number));
      return (await service.logged(plant(number))).clear === 'paused';
    });
    await eventually('queries are private again', async () => {
      return (await service.status()).protection.state === 'private';
    });
    number += 1;
    await isPrivate(service, plant(number));
    expect(tap.names).not.toContain(plant(number));
    await service.stop();
  });

  it('a pause holds across a restart, and still ends by itself', async () => {
    const service = await startService([text(tap.endpoint)]);
    const untilOf = ({ protection }: ServiceStatus) =>
      protection.state === 'paused' ? protection.until : null;
    const pauseAndDie = async (duration: string) => {
      const until = untilOf(await service.json<ServiceStatus>('pause', duration)) ?? Number.NaN;
      await service.kill();
      await service.restart();
      return until;
    };
    const until = await pauseAndDie('10m');
    const after = untilOf(await service.status()) ?? Number.NaN;
    // what is left goes by the clock since the machine's start, which has hundredths of a second
    expect(Math.abs(after - until)).toBeLessThan(100);
    const end = await pauseAndDie('5s');
    await eventually('the pause ends', async () => {
      return (await service.status()).protection.state === 'private';
    });
    expect(Date.now()).toBeGreaterThan(end - 100);
    await service.stop();
  });

  it('a pause that ended while the service was down is over', async () => {
    const service = await startService([text(tap.endpoint)]);
    const { protection } = await service.json<ServiceStatus>('pause', '1s');
    await service.stop();
    const until = protection.state === 'paused' ? (protection.until ?? 0) : 0;
    await eventually('its end', () => Date.now() > until);
    await service.restart();
    await isPrivate(service, plant(90));
    await service.stop();
  });

  async function isPrivate(service: SottoService, name: string): Promise<void> {
    expect((await digInTime(service.v4, name)).status).toBe('NOERROR');
    await expect
      .poll(() => service.logged(name))
      .toMatchObject({ clear: 'none', transport: 'dot' });
  }
});
