/** Which changes of the engine make protection decide again, and which do not. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineUpstreamStatus } from '../engine/boundary.ts';
import { dot, elsewhere, error, failing, ProtectionStage, ready } from './protection-stage.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

type Change = Partial<EngineUpstreamStatus>;

const open: Change = { ...ready, path: 'dot', answered: 3, dials: 1 };
const ended: Change = {
  ...open,
  state: 'idle',
  tls: null,
  lastError: { code: 'closed', text: '' },
};
const dialing: Change = { ...ended, state: 'dialing', dials: 2 };
const openAgain: Change = { ...open, resumptions: 1, dials: 2 };

test('a connection that ends, is dialled and is open again leaves an upstream as private as it was', async () => {
  stage.addon.upstreams.set('a', open);
  const protection = await stage.start({});
  for (const change of [ended, dialing, openAgain]) {
    stage.addon.upstreams.set('a', change);
    expect([change.state, protection.isUnsettled()]).toEqual([change.state, false]);
    expect(stage.stateOf(protection)).toMatchObject({ state: 'private' });
  }
});

test.each<[string, Change]>([
  ['it rests after failures', { ...ended, state: 'resting' }],
  ['nothing is known of it any more', { state: 'idle', path: null, answered: 0 }],
  ['it went, and with it the way to it', { ...failing, path: null }],
])('an open upstream, and then: %s', async (_name, change) => {
  stage.addon.upstreams.set('a', open);
  const protection = await stage.start({});
  stage.addon.upstreams.set('a', change);
  expect(protection.isUnsettled()).toBe(true);
  await protection.settle();
  expect(protection.isUnsettled()).toBe(false);
});

test.each<[string, Change, Change]>([
  ['begins to be dialled', { state: 'idle' }, { state: 'dialing' }],
  ['comes about', { state: 'dialing' }, open],
  ['fails for another reason', failing, { ...failing, lastError: { ...error, text: 'refused' } }],
])('an upstream without a way, which %s', async (_name, before, after) => {
  stage.addon.upstreams.set('a', before);
  const protection = await stage.start({});
  expect(protection.isUnsettled()).toBe(false);
  stage.addon.upstreams.set('a', after);
  expect(protection.isUnsettled()).toBe(true);
});

describe('though every upstream is as it was', () => {
  test('queries wait in vain', async () => {
    stage.addon.upstreams.set('a', ended);
    const protection = await stage.start({ downgrade: 'fallback' });
    stage.addon.holding = 1;
    expect(protection.isUnsettled()).toBe(true);
    await protection.settle();
    expect(stage.lastLeases()).toMatchObject([{ class: 'policy' }]);
    stage.addon.upstreams.set('a', open);
    expect(protection.isUnsettled()).toBe(true);
  });

  test('the engine’s clock ended a lease', async () => {
    stage.addon.upstreams.set('a', failing);
    const protection = await stage.start({ downgrade: 'fallback' });
    stage.addon.ended.add(1);
    expect(protection.isUnsettled()).toBe(true);
  });

  test('another one failed', async () => {
    stage.addon.upstreams.set('a', open);
    stage.addon.upstreams.set('b', open);
    const protection = await stage.start({ upstreams: [dot, { ...dot, id: 'b' }] });
    stage.addon.upstreams.set('b', failing);
    expect(protection.isUnsettled()).toBe(true);
  });

  test('this is another network: what was open there proves nothing here', async () => {
    stage.addon.upstreams.set('a', open);
    const protection = await stage.start({});
    stage.watch.change(elsewhere);
    stage.addon.upstreams.set('a', ended);
    await protection.settle();
    expect(stage.network.confirmed()).toBe(false);
    stage.addon.upstreams.set('a', openAgain);
    expect(protection.isUnsettled()).toBe(true);
    await protection.settle();
    expect(stage.network.confirmed()).toBe(true);
  });
});
