/** The machine's clock is set while the service runs: forwards, and back. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import { sentences } from '../../app/contract/sentences/sentence.ts';
import type { Finding } from '../../app/contract/status/finding.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile, labForTest } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes } from '../rig/message.ts';
import { askUdp, text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { suffix } from '../rig/zones/far.ts';
import { JumpingClock } from './jumping-clock.ts';
import { describeLoad, startZipfServer, untilPrivate } from './scenario.ts';

const hour = 3600;
const year = 365 * 24 * hour;
const ttl = 60;

describeLoad('when the clock is set', () => {
  const lab = labForFile();
  let clock: JumpingClock;
  let service: SottoService;
  let number = 0;
  let whyNot: string | undefined;

  beforeAll(async () => {
    const made = await JumpingClock.create(lab);
    if (typeof made === 'string') {
      whyNot = made;
      return;
    }
    clock = made;
    const far = await startZipfServer(lab, { ttl });
    service = await clock.under(() =>
      SottoService.start(lab, {
        upstreams: [far.upstream('far')],
        systemResolvers: [text(far.starttls)],
      }),
    );
    await untilPrivate(service);
    clock.set(hour);
    const { at } = await asked();
    if (at < Date.now() + (hour / 2) * 1000) whyNot = 'this Node does not take LD_PRELOAD';
  });
  beforeEach(async (context) => {
    if (whyNot !== undefined) context.skip(whyNot);
    clock.set(0);
    await service.cli('on');
  });

  /** What became of a query for a new name. */
  async function asked(): Promise<QueryEvent> {
    const name = `clock${number++}.${suffix}`;
    expect(parse(await askUdp(service.v4, encodeQuery(name, 'A'))).rcode).toBe(rcodes.NOERROR);
    return await service.logged(name);
  }

  /** The engine ends a permission by itself; its entry is closed within a second. */
  async function privateAgain(): Promise<void> {
    await eventually('queries are private again', async () => (await asked()).clear === 'none');
    await eventually(
      'no permission stands',
      async () => (await service.status()).clear.length === 0,
    );
  }

  it.for([hour, -hour])('by %i s, cached responses keep their age', async (jump) => {
    const name = `aged${jump}.${suffix}`;
    const ask = async () => parse(await askUdp(service.v4, encodeQuery(name, 'A'))).answers[0]?.ttl;
    expect(await ask()).toBe(ttl);
    clock.set(jump);
    const aged = await ask();
    expect(aged).toBeLessThanOrEqual(ttl);
    expect(aged).toBeGreaterThan(0);
    expect(await service.outcomes(name, 2)).toEqual(['forwarded', 'cached']);
    expect((await asked()).outcome).toBe('forwarded');
  });

  it('forwards, a pause lasts as long as the person allowed', async () => {
    await service.cli('pause', '10m');
    clock.set(hour);
    expect((await asked()).clear).toBe('paused');
    await service.cli('on');
    await privateAgain();
  });

  it('back, a pause lasts no longer than the person allowed', async () => {
    await eventually('a query leaves during the pause', async () => {
      await service.cli('pause', '10s');
      return (await asked()).clear === 'paused';
    });
    clock.set(-hour);
    await privateAgain();
  });

  it('a year behind from the start, the name of a time server is found, privately, under refuse', async () => {
    const other = await labForTest();
    const late = await JumpingClock.create(other);
    if (typeof late === 'string') throw new Error(late);
    late.set(-year);
    const far = await startZipfServer(other, { ttl });
    const settings = { upstreams: [far.upstream('far')], downgrade: 'refuse' as const };
    const behind = await late.under(() => SottoService.start(other, settings));
    const name = `time.${suffix}`;
    expect(parse(await askUdp(behind.v4, encodeQuery(name, 'A'))).rcode).toBe(rcodes.NOERROR);
    const { at, clear, transport } = await behind.logged(name);
    expect(at).toBeLessThan(Date.now() - (year / 2) * 1000);
    expect([clear, transport]).toEqual(['none', 'dot']);
    await eventually('the clock is told to be wrong', async () =>
      (await behind.status()).health.some(({ code }) => code === 'clock-wrong'),
    );
  });

  it('past the end of all certificates, no name is resolved under refuse, and a person is told to check the date', async () => {
    const other = await labForTest();
    const early = await JumpingClock.create(other);
    if (typeof early === 'string') throw new Error(early);
    early.set(100 * year);
    const far = await startZipfServer(other, { ttl });
    const settings = {
      upstreams: [far.upstream('far')],
      downgrade: 'refuse' as const,
      systemResolvers: [text(far.starttls)],
    };
    const ahead = await early.under(() => SottoService.start(other, settings));
    const response = parse(await askUdp(ahead.v4, encodeQuery(`ahead.${suffix}`, 'A')));
    expect(response.rcode).toBe(rcodes.SERVFAIL);
    const issue = await eventually('the certificate is told to be wrong', async () =>
      (await ahead.status()).health.find(({ code }) => code === 'certificate-wrong'),
    );
    expect(issue.text).toContain('the certificate expired on');
    expect(issue.remedy).toContain("this machine's date");
    const found = (await ahead.cli('doctor', '--json')).stdout.split('\n').filter(Boolean);
    const remedies = found.flatMap((line) => (JSON.parse(line) as Finding).says.remedy);
    expect(remedies.map(({ code }) => code)).toContain('after-certificate-expired');
    expect(sentences['after-certificate-expired']).toContain("check this machine's date");
  });
});
