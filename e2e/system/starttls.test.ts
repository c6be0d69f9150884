/** T-DNS on the wire: what is sent in cleartext, and what happens when the server or the path misbehaves. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ProbeReport } from '../../app/contract/probing/probe-report.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { type Manner, recorded, StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant, plantAddress } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'STARTTLS', () => {
  const lab = labForFile();
  let stage: Stage;
  let shim: StarttlsShim;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
  });
  async function open(manner: Manner): Promise<void> {
    shim = await StarttlsShim.start(lab, stage.unbound.tls, manner);
    const upstreams = [upstream('tdns', 'tdns', shim.endpoint, trusting(stage))];
    service = await SottoService.start(lab, { upstreams });
    onTestFinished(async () => void (await service.stop()));
  }

  it('sends the 37 recorded octets in cleartext, then only TLS', async () => {
    await open('accept');
    expect(await digInTime(service.v4, plant(1))).toMatchObject({
      status: 'NOERROR',
      answers: [`A ${plantAddress(1)}`],
    });
    expectOnlyHellos(shim);
    const first = shim.visits.map(({ firstAfterReply }) => firstAfterReply);
    expect(new Set(first.filter((octet) => octet !== null))).toEqual(new Set([0x16]));
  });

  it('uses another id on every connection', async () => {
    await open('accept');
    let number = 20;
    const ids = await eventually('some connections', async () => {
      await dig(service.v4, plant(number++));
      shim.cut();
      const whole = shim.visits.filter(({ clear }) => clear.length === framedHello.length);
      return whole.length > 2 && whole.map(({ clear }) => clear.readUInt16BE(2));
    });
    expect(new Set(ids).size).toBeGreaterThan(1);
  });

  const refusals: { manner: Manner; says: RegExp }[] = [
    { manner: 'NO_TLS', says: /declined STARTTLS/ },
    { manner: 'REFUSED', says: /declined STARTTLS \(response code 5\)/ },
    { manner: 'silence', says: /no response to STARTTLS in time/ },
    { manner: 'injection', says: /injected behind the response/ },
    { manner: 'wrong id', says: /not an answer to it/ },
    { manner: 'close', says: /closed the connection instead of responding/ },
  ];
  for (const { manner, says } of refusals) {
    it(`with ${manner} the query is refused with the reason, and no name leaves`, async () => {
      await open(manner);
      const response = manner === 'silence' ? dig : digInTime;
      const { status, extendedError } = await response(service.v4, plant(10));
      expect(status).toBe('SERVFAIL');
      expect([22, 23]).toContain(extendedError?.code);
      expect(extendedError?.text).toMatch(says);
      expectOnlyHellos(shim);
    });
  }

  it('whose handshake a middlebox drops is refused in the end, and no name leaves', async () => {
    await open('handshake eaten');
    const response = await dig(service.v4, plant(11));
    expect(response).toMatchObject({ status: 'SERVFAIL', answers: [] });
    expectOnlyHellos(shim);
  });

  it('that worked once is not given up for an hour after one refusal', async () => {
    await open('accept');
    expect((await digInTime(service.v4, plant(12))).status).toBe('NOERROR');
    shim.manner = 'NO_TLS';
    shim.cut();
    await dig(service.v4, plant(13));
    shim.manner = 'accept';
    await expect
      .poll(async () => (await dig(service.v4, plant(14))).status, { timeout: 60_000 })
      .toBe('NOERROR');
  });

  it('of a known server is reported when it is stripped, also after the next start', async () => {
    await open('accept');
    expect((await digInTime(service.v4, plant(15))).status).toBe('NOERROR');
    await service.stop();
    shim.manner = 'NO_TLS';
    await service.restart();
    expect((await dig(service.v4, plant(16))).status).toBe('SERVFAIL');
    const attempt = async () =>
      (await service.status()).health.find(({ code }) => code === 'downgrade-attempt');
    const { text } = await eventually('the attack is told', async () => {
      await dig(service.v4, plant(16));
      return await attempt();
    });
    expect(text).toMatch(/declined STARTTLS/);

    expect((await service.cli('upstream', 'forget', 'tdns')).code).toBe(0);
    await service.stop();
    await service.restart();
    expect((await dig(service.v4, plant(17))).status).toBe('SERVFAIL');
    expect(await attempt()).toBeUndefined();
  });

  it('is shown step by step by "sotto upstream test"', async () => {
    await open('accept');
    const report = await service.json<ProbeReport>('upstream', 'test', 'tdns');
    expect(report.steps.map(({ step }) => step)).toEqual([
      'connect',
      'starttls',
      'tls',
      'query',
      'response',
      'again',
    ]);
    shim.manner = 'NO_TLS';
    const { code, stdout } = await service.cli('upstream', 'test', 'tdns', '--json');
    expect(code).not.toBe(0);
    expect((JSON.parse(stdout) as ProbeReport).steps.at(-1)).toMatchObject({
      step: 'failed',
      text: expect.stringMatching(/TLS/),
    });
  });
});

const framedHello = Buffer.concat([Buffer.from([0, recorded.hello.length]), recorded.hello]);

function hexWithoutId(framed: Buffer): string {
  const copy = Buffer.from(framed);
  copy.fill(0, 2, 4);
  return copy.toString('hex');
}

/**
 * Each connection sent the dummy query, or a TLS hello, and nothing else; no part of a name is in any octet. One that has just been
 * opened may have sent nothing yet.
 */
function expectOnlyHellos(shim: StarttlsShim): void {
  const sent = shim.visits.map(({ clear }) => clear).filter(({ length }) => length > 0);
  expect(sent.length).toBeGreaterThan(0);
  for (const clear of sent) expect(hexWithoutId(clear)).toBe(hexWithoutId(framedHello));
  expect(shim.clear.includes('plant')).toBe(false);
}
