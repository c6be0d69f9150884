/** Under load: no query is lost, whatever happens to the settings meanwhile. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant, plantCount } from '../rig/zones/garden.ts';
import { dnsperf } from './dnsperf.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

const names = Array.from({ length: plantCount }, (_, number) => plant(number));

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dnsperf'], 'under load', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
  });

  const settings = (id: string, cacheEntries: number) => ({
    upstreams: [upstream(id, 'dot', stage.unbound.tls, trusting(stage))],
    cache: { entries: cacheEntries },
  });

  it('ten seconds of forwarded queries all have responses', async () => {
    service = await SottoService.start(lab, settings('far', 0));
    const seconds = 10;
    const load = await dnsperf(lab, service.v4, { names, seconds, rate: 2000 });
    expect(load).toMatchObject({ lost: 0, rcodes: { NOERROR: load.sent } });
    expect(load.sent).toBeGreaterThan(1000);
    const { outcomes, upstreams } = await service.status();
    expect(outcomes.forwarded).toBeGreaterThanOrEqual(load.sent);
    // a connection that is silent for a moment gets another one beside it, at most once in a second or so
    expect(upstreams[0]?.dials).toBeLessThanOrEqual(2 * seconds);
    // the log drops what it has no time for, and counts it
    await eventually('every event is accounted for', async () => {
      const { events } = await service.status();
      return events.delivered + events.dropped >= load.sent;
    });
  });

  it('settings change without losing a query', async () => {
    const load = dnsperf(lab, service.v4, { names, seconds: 6, rate: 1000 });
    const further = `127.0.0.1:${await freePort()}`;
    const own = [`127.0.0.1:${service.port}`, `[::1]:${service.port}`];
    for (const round of [1, 2, 3]) {
      await service.apply({ ...settings(`round${round}a`, 100), listen: [...own, further] });
      await service.writeSettings('{ "listen": [');
      await service.apply({
        ...settings(`round${round}b`, 10_000),
        bypass: [{ suffix: `zone${round}.example`, to: ['127.0.0.1:9'] }],
      });
    }
    const result = await load;
    expect(result).toMatchObject({ lost: 0, rcodes: { NOERROR: result.sent } });
  });
});
