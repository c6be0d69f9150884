/** The result of a person’s “try again”. */
import { beforeEach, expect, test } from 'vitest';
import type { ProbeReport } from '../../contract/probing/probe-report.ts';
import { ann, failing, ProtectionStage, ready, tls } from './protection-stage.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

const someProbe = (changes: Partial<ProbeReport> = {}): ProbeReport => ({
  ok: true,
  error: null,
  transport: 'dot',
  address: '192.0.2.1:853',
  ms: 30,
  roundTrips: 3,
  fastOpen: 'off',
  earlyData: null,
  steps: [],
  tls,
  chain: [],
  response: null,
  clearPackets: 0,
  ...changes,
});

const refused = { code: 'connect-failed', message: '192.0.2.1:853: connection refused' };

async function denied() {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'warn' });
  const { id } = stage.openConsentRequest(protection);
  await protection.deny(id, ann);
  return { protection, id };
}

test('in vain, though nothing was asked meanwhile: told at once, and asked anew', async () => {
  const { protection, id } = await denied();
  stage.addon.onTest = async () => someProbe({ ok: false, error: refused });
  const retried = await protection.retry(id, ann);
  const { id: next } = stage.openConsentRequest(protection);
  const whyNot = 'A: 192.0.2.1:853: connection refused.';
  expect(retried).toMatchObject({ value: { reached: null, whyNot, next } });
  expect(stage.openConsentRequest(protection).why).toBe(whyNot);
});

test('a private path comes about: told with its upstream, and nobody is asked', async () => {
  const { protection, id } = await denied();
  stage.addon.onTest = async () => {
    stage.addon.upstreams.set('a', { ...ready, dials: 1 });
    void protection.settle();
    return someProbe();
  };
  const retried = await protection.retry(id, ann);
  expect(retried).toMatchObject({ value: { reached: 'A', whyNot: '', next: null } });
  expect(stage.stateOf(protection)).toMatchObject({ state: 'private' });
});

test('it answers by the other way: the engine is told to dial', async () => {
  const { protection, id } = await denied();
  stage.addon.onTest = async () =>
    someProbe({
      ok: false,
      error: refused,
      alternative: { ...someProbe(), transport: 'tdns' },
    });
  expect(await protection.retry(id, ann)).toMatchObject({ value: { reached: 'A' } });
  expect(stage.addon.reconnects).toBe(2);
});

test('the engine rests: it is asked again when it does no more', async () => {
  const { protection, id } = await denied();
  stage.paused = Promise.resolve();
  stage.addon.upstreams.set('a', { ...failing, restingMs: 400 });
  let tests = 0;
  stage.addon.onTest = async () => {
    if (++tests === 2) stage.addon.upstreams.set('a', { ...ready, dials: 1 });
    return someProbe();
  };
  await protection.retry(id, ann);
  await expect.poll(() => tests).toBe(2);
});

test('time is up: told what is known, and nothing hangs', async () => {
  const { protection, id } = await denied();
  stage.paused = Promise.resolve();
  stage.addon.onTest = () => new Promise(() => {});
  expect(await protection.retry(id, ann)).toMatchObject({
    value: { reached: null, whyNot: 'A: no connection.', next: null },
  });
});

test('where nobody is asked, "retry" does the same, and ends the refusal', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'refuse' });
  stage.addon.onTest = async () => someProbe({ ok: false, error: refused });
  expect(await protection.retryAll()).toMatchObject({
    value: { reached: null, whyNot: 'A: 192.0.2.1:853: connection refused.' },
  });
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
  stage.addon.onTest = async () => {
    stage.addon.upstreams.set('a', { ...ready, dials: 1 });
    void protection.settle();
    return someProbe();
  };
  expect(await protection.retryAll()).toEqual({ ok: true, value: { reached: 'A', whyNot: '' } });
  expect(stage.stateOf(protection)).toMatchObject({ state: 'private' });
});
