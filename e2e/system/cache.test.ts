/** A response is given again from the cache, for as long as its owner allows. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'the cache', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
    service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
    });
  });

  it('lets TTLs age, and queries the upstream again when they have run out', async () => {
    const name = `brief.${garden}`;
    const first = await digInTime(service.v4, name);
    expect(first.ttls).toEqual([3]);
    const older = await eventually('an older answer', async () => {
      const { ttls } = await dig(service.v4, name);
      const event = ttls[0] === 1 && (await service.logged(name));
      return event && event.outcome === 'cached' && event;
    });
    expect(older).toMatchObject({ transport: 'none', roundTrips: 0 });
    await eventually('a fresh answer', async () => {
      await dig(service.v4, name);
      return (await service.log({ name, outcome: 'forwarded' })).length > 1;
    });
  });

  it('keeps the responses for names and types that do not exist', async () => {
    for (const [name, type, status] of [
      [`nothing.${garden}`, 'A', 'NXDOMAIN'],
      [plant(1), 'MX', 'NOERROR'],
    ] as const) {
      expect((await digInTime(service.v4, name, type)).status).toBe(status);
      expect((await digInTime(service.v4, name, type)).status).toBe(status);
      await expect
        .poll(async () => (await service.outcomes(name, 2)).slice(-2))
        .toEqual(['forwarded', 'cached']);
    }
  });

  it('gives an expired answer at once and asks behind it, where the settings want that', async () => {
    const eager = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
      cache: { serveStale: 'at-once' },
    });
    const name = `brief.${garden}`;
    let asked = 0;
    const next = async (outcome: string) => {
      const response = await dig(eager.v4, name);
      asked += 1;
      // An entry from before may be the newest still.
      const event = await eventually('its entry', async () => {
        const events = await eager.log({ name, limit: 10_000 });
        return events.length >= asked && events.at(-1);
      });
      return event.outcome === outcome && { response, event };
    };
    const expired = await eventually('an expired answer', () => next('stale'));
    expect(expired.response).toMatchObject({ status: 'NOERROR', ttls: [30] });
    expect(expired.event).toMatchObject({ transport: 'none', roundTrips: 0, extendedError: 3 });
    const renewed = await eventually('the new answer', () => next('cached'));
    expect(renewed.response.ttls[0]).toBeLessThanOrEqual(3);
    await eager.stop();
  });

  it('keeps failures of the upstream for a short time only', async () => {
    await stage.nsd.stop();
    const name = plant(200);
    expect((await dig(service.v4, name, 'A', '+time=20')).status).toBe('SERVFAIL');
    const again = await openStage(lab);
    await service.apply({
      upstreams: [upstream('again', 'dot', again.unbound.tls, trusting(again))],
    });
    await eventually('an answer', async () => (await dig(service.v4, name)).status === 'NOERROR');
  });
});
