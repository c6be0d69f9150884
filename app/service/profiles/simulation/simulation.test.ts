/** `profile.simulate` through the whole service: which settings the engine is asked about, which queries, and by whom. */
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EngineConfig, Simulated } from '../../engine/boundary.ts';
import { encodeBatch, record } from '../../query-log/event-record-fixture.ts';
import { dot } from '../../service-stage.ts';
import { facts, ProfileStage } from '../profile-stage.ts';
import { createSimulationHandlers } from './simulation-handlers.ts';

const there = { ...dot, id: 'b', address: '192.0.2.2', name: 'b.test' };
const upstreams = { upstreams: { value: [there], lock: 'locked' } };
const bypass = { bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] } };

/** Of the newest supposition. */
let supposed: { config: EngineConfig; queries: readonly string[] } | null = null;
let stage: ProfileStage;

beforeEach(() => {
  stage = new ProfileStage();
  supposed = null;
  stage.addon.onSuppose = (config, queries): Simulated => {
    supposed = { config, queries };
    return { queries: queries.length, unresolved: 0, decisions: [], pairs: [], untried: [] };
  };
});
afterEach(() => stage.close());

const simulate = (wanted: object) => stage.service.call('profile.simulate', wanted as never);
const given = { queries: [{ name: 'www.example' }, { name: 'x.example', type: 'HTTPS' }] };
const servers = () => supposed?.config.upstreams.map(({ id }) => id);
const rules = () => supposed?.config.bypass.length;

async function logged(...names: string[]): Promise<void> {
  stage.addon.deliver(
    encodeBatch(names.map((name, index) => record({ id: index + 1, at: Date.now() * 1000, name }))),
  );
  const inTheLog = async () => {
    const found = await stage.service.call('log.search', { filter: '', limit: 10 });
    return found.ok && found.value.events.length;
  };
  await expect.poll(inTheLog).toBe(names.length);
}

test('the engine decides under the settings that the version would bring, and nothing comes into force', async () => {
  await stage.startWith({ upstreams: [dot] });
  const { profile } = stage.signed(1, upstreams);
  expect(await simulate({ profile, ...given })).toMatchObject({
    value: {
      profile: { ...facts, serial: 1 },
      refusal: null,
      problems: [],
      waiting: [],
      simulation: { queries: 2, cannot: null, since: null, protection: 'on' },
    },
  });
  expect(supposed?.queries).toEqual(['www.example A', 'x.example HTTPS']);
  expect(servers()).toEqual(['b']);
  expect(await stage.inForce('upstreams')).toMatchObject({ source: { layer: 'user' } });
  expect(await stage.service.call('profile.show', {})).toMatchObject({ value: { profile: null } });
  expect(existsSync(stage.file('profile.json'))).toBe(false);
});

test('what its issuer may not do waits, unless it is simulated as approved or allowed', async () => {
  await stage.startWith({ upstreams: [dot] });
  const { profile } = stage.signed(1, bypass);
  const waiting = [{ key: 'bypass', grant: 'bypass' }];
  expect(await simulate({ profile, ...given })).toMatchObject({ value: { waiting } });
  expect(rules()).toBe(0);
  for (const more of [{ approved: true }, { grants: ['bypass'] }]) {
    expect(await simulate({ profile, ...more, ...given })).toMatchObject({
      value: { waiting: [] },
    });
    expect(rules()).toBe(1);
  }
});

test('without a version it is the one that waits, as if it were approved; its enrolment decides what it may', async () => {
  await stage.startWith({ upstreams: [dot] });
  expect(await simulate(given)).toMatchObject({ failure: { code: 'no-profile' } });
  await stage.enrol(stage.signed(1, bypass));
  expect(await simulate(given)).toMatchObject({ value: { waiting: [] } });
  expect(rules()).toBe(1);
  const { profile } = stage.signed(2, bypass);
  expect(await simulate({ profile, grants: ['bypass'], ...given })).toMatchObject({
    value: { waiting: [{ key: 'bypass' }] },
  });
  expect(rules()).toBe(0);
});

test('it says what is against a version, and judges it all the same', async () => {
  await stage.startWith({ upstreams: [dot] });
  await stage.enrol(stage.signed(3, {}));
  const older = stage.signed(2, { ...upstreams, 'cache.entries': { value: 'many' } });
  expect(await simulate({ profile: older.profile, ...given })).toMatchObject({
    value: {
      refusal: { message: expect.stringContaining('does not come after') },
      problems: [expect.stringContaining('cache.entries')],
    },
  });
  expect(servers()).toEqual(['b']);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{'],
  ['no profile', '[]'],
])('what is %s is refused', async (_what, text) => {
  await stage.startWith({});
  const profile = Buffer.from(text).toString('base64');
  expect(await simulate({ profile, ...given })).toMatchObject({ ok: false });
  expect(supposed).toBe(null);
});

test('queries of the log are decided about, alike ones together', async () => {
  await stage.startWith({ upstreams: [dot] });
  await logged('a.example', 'b.example', 'a.example', 'c.example');
  const { profile } = stage.signed(1, upstreams);
  expect(await simulate({ profile })).toMatchObject({
    value: { simulation: { since: expect.any(Number), cannot: null } },
  });
  expect(supposed?.queries.toSorted()).toEqual([
    'a.example HTTPS',
    'b.example HTTPS',
    'c.example HTTPS',
  ]);
  await simulate({ profile, last: 2 });
  expect(supposed?.queries.toSorted()).toEqual(['a.example HTTPS', 'c.example HTTPS']);
});

test.each([
  ['domain', 'log-domains'],
  ['counts', 'log-counts'],
  ['off', 'log-off'],
])('where the log’s mode is "%s", nothing is decided about it', async (mode, cannot) => {
  await stage.startWith({ upstreams: [dot], queryLog: { mode } });
  const { profile } = stage.signed(1, upstreams);
  expect(await simulate({ profile })).toMatchObject({ value: { simulation: { cannot } } });
  expect(supposed?.queries).toEqual([]);
  expect(await simulate({ profile, ...given })).toMatchObject({
    value: { simulation: { cannot: null, queries: 2 } },
  });
});

test('who may not read the log may not simulate with it, and no name gets into the journal', async () => {
  const { 'profile.simulate': handler } = createSimulationHandlers({} as never);
  const session = { role: 'control' } as never;
  expect(await handler({ profile: '' }, session)).toMatchObject({ failure: { code: 'forbidden' } });
  await stage.startWith({ upstreams: [dot] });
  await simulate({
    profile: stage.signed(1, upstreams).profile,
    queries: [{ name: 'secret.test' }],
  });
  expect(stage.lines.join('\n')).not.toContain('secret');
});

test('a configuration that the engine refuses is an error, and the next simulation works', async () => {
  await stage.startWith({ upstreams: [dot] });
  const { onSuppose } = stage.addon;
  stage.addon.onSuppose = () => {
    throw new Error(JSON.stringify({ code: 'bad-settings', message: 'no', remedy: '', field: '' }));
  };
  const { profile } = stage.signed(1, upstreams);
  expect((await simulate({ profile, ...given })).ok).toBe(false);
  stage.addon.onSuppose = onSuppose;
  expect((await simulate({ profile, ...given })).ok).toBe(true);
});
