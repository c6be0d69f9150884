/** Changes of settings through the whole service: from the socket to the file and the engine. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ResponseOfOne } from '../../contract/probing/ask-each.ts';
import { followWork } from '../../contract/probing/follow-work.ts';
import type { MethodName } from '../../contract/service-api.ts';
import { settingKeys } from '../../contract/settings/settings.ts';
import { settingsFile } from '../../contract/settings/settings-shape.ts';
import type { Finding } from '../../contract/status/finding.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import { testCertificate } from '../base/test-folder.ts';
import { ServiceStage } from '../service-stage.ts';

let stage: ServiceStage;

beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

async function start(settings: object = {}): Promise<ConnectedService> {
  stage.folder.write('settings.json', settings);
  await stage.start();
  return await stage.client();
}

const written = () => JSON.parse(readFileSync(stage.file('settings.json'), 'utf8'));

test('a setting is set, in force and taken back', async () => {
  const service = await start();
  expect(await service.call('settings.set', { key: 'cache.entries', value: 9 })).toMatchObject({
    value: { previous: { set: false }, setting: { value: 9 } },
  });
  expect(stage.addon.applied.at(-1)?.cache.entries).toBe(9);
  expect(written()).toEqual({ cache: { entries: 9 } });
  expect(await service.call('settings.undo', {})).toMatchObject({ ok: true });
  expect(stage.addon.applied.at(-1)?.cache.entries).toBe(100_000);
  expect(written()).toEqual({});
});

test('what the engine refuses stays out of the file, and the old settings in force', async () => {
  const service = await start();
  stage.addon.onApply = ({ listen }) => {
    if (listen[0] !== '127.0.0.1:9') return;
    throw new Error(JSON.stringify({ code: 'listen-failed', message: 'in use', remedy: 'move' }));
  };
  expect(
    await service.call('settings.set', { key: 'listen', value: ['127.0.0.1:9'] }),
  ).toMatchObject({ failure: { code: 'listen-failed' } });
  expect(written()).toEqual({});
  expect(await service.call('settings.effective', {})).toMatchObject({
    value: {
      settings: [
        { key: 'listen', source: { layer: 'default' } },
        ...Array(settingKeys.length - 1).fill({}),
      ],
    },
  });
});

test('each setting is declared as data, and its default fits its own schema', async () => {
  const service = await start();
  const described = await service.call('settings.describe', {});
  if (!described.ok) throw new Error(described.failure.message);
  expect(described.value.settings.map(({ key }) => key)).toEqual(settingKeys);
  const days = described.value.settings.find(({ key }) => key === 'queryLog.keepDays');
  expect(days).toMatchObject({
    group: 'queries',
    unit: 'days',
    default: 30,
    schema: { type: 'integer', minimum: 1, maximum: 3650 },
  });
  for (const { key, default: value } of described.value.settings) {
    const nested = key
      .split('.')
      .reduceRight<unknown>((inner, field) => ({ [field]: inner }), value);
    expect(settingsFile.safeParse(nested).success, key).toBe(true);
  }
});

test('the first upstream added stands beside the default one; the last is not removed', async () => {
  const service = await start();
  expect(
    await service.call('upstream.add', { upstream: { resolver: 'google' }, at: 0 }),
  ).toMatchObject({
    value: { upstream: { id: 'google' }, change: { previous: { set: false } }, notes: [] },
  });
  expect(stage.addon.applied.at(-1)?.upstreams.map(({ id }) => id)).toEqual(['google', 'quad9']);
  const listed = await service.call('catalogue.list', {});
  expect(
    listed.ok &&
      listed.value.resolvers.flatMap(({ upstream }) => (upstream === null ? [] : upstream)),
  ).toEqual(['quad9', 'google']);
  await service.call('upstream.move', { id: 'quad9', to: 0 });
  expect(written().upstreams.map(({ id }: { id: string }) => id)).toEqual(['quad9', 'google']);
  await service.call('upstream.remove', { id: 'google' });
  expect(await service.call('upstream.remove', { id: 'quad9' })).toMatchObject({
    failure: { code: 'params-invalid' },
  });
});

test('an upstream’s own words survive a change of another', async () => {
  const ca = stage.folder.write('ca.pem', testCertificate).slice(stage.folder.path.length + 1);
  const own = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test', ca };
  const service = await start({ upstreams: [own] });
  await service.call('upstream.add', { upstream: { resolver: 'quad9' } });
  expect(written().upstreams[0]).toEqual(own);
});

test('a stamp of an unsupported transport is refused with its name', async () => {
  const service = await start();
  const stamp = `sdns://${Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]).toString('base64url')}`;
  expect(await service.call('upstream.add', { upstream: { stamp } })).toMatchObject({
    failure: { code: 'bad-stamp', message: expect.stringContaining('DNS over HTTPS') },
  });
});

test('rules are added, explained by the engine’s word, written out, brought in and removed', async () => {
  const service = await start();
  const corp = { suffix: 'corp.example', to: ['192.0.2.53'] };
  expect(await service.call('rule.add', corp)).toMatchObject({ value: { rule: corp } });
  expect(stage.addon.applied.at(-1)?.bypass).toMatchObject([
    { rule: 'corp.example', below: ['corp.example'], to: ['192.0.2.53:53'] },
  ]);
  expect(await service.call('rule.add', { suffix: 'co.uk', to: ['192.0.2.53'] })).toMatchObject({
    failure: { code: 'settings-invalid', message: expect.stringContaining('a public suffix') },
  });
  const wide = { suffix: 'co.uk', to: ['192.0.2.53'], downgrade: true as const };
  expect(await service.call('rule.add', wide)).toMatchObject({ ok: true });
  expect(stage.addon.applied.at(-1)?.bypass).toMatchObject([
    { class: 'bypass' },
    { class: 'policy' },
  ]);
  expect(stage.addon.applied.at(-1)?.leases).toMatchObject([
    { class: 'bypass', rule: 'corp.example' },
    { class: 'policy', rule: 'co.uk' },
  ]);
  expect(await service.call('rule.remove', { suffix: 'co.uk' })).toMatchObject({ ok: true });
  const nobodys = { suffix: 'lan.example', link: 'wlan0', believe: true };
  expect(await service.call('rule.answer', nobodys)).toMatchObject({
    failure: { code: 'unknown-claim' },
  });
  stage.addon.onExplain = (query) => ({
    name: query.split(' ')[0],
    type: 'A',
    verdict: 'forward',
    rule: '',
    reason: '',
    rcode: null,
    servers: ['quad9'],
    group: '',
    clear: 'none',
    cached: null,
    privateOnly: false,
    conditions: [],
  });
  expect(await service.call('rule.explain', { name: 'www.example' })).toMatchObject({
    value: {
      group: { id: '', policy: 'refuse' },
      sentence: 'www.example A goes privately to Quad9. Without a private path it is refused.',
    },
  });
  const text = await service.call('rule.export', { format: 'text' });
  expect(text).toMatchObject({
    value: { rules: 1, text: expect.stringContaining('corp.example  192.0.2.53') },
  });
  const change = { text: 'lab.example 192.0.2.1', mode: 'replace', dryRun: true } as const;
  expect(await service.call('rule.import', change)).toMatchObject({
    value: { added: [{ suffix: 'lab.example' }], removed: [corp], change: null },
  });
  expect(written().bypass).toEqual([corp]);
  expect(await service.call('rule.import', { ...change, dryRun: false })).toMatchObject({
    value: { change: { key: 'bypass' } },
  });
  expect(await service.call('rule.remove', { suffix: 'LAB.example' })).toMatchObject({ ok: true });
  expect(await service.call('rule.list', {})).toMatchObject({
    value: { rules: [], locked: false },
  });
});

test('resolvers of the catalogue are measured, each told as it answers', async () => {
  const service = await start();
  const asked: string[][] = [];
  stage.addon.probe = async (request) => {
    const { addresses, transport } = JSON.parse(request);
    asked.push(addresses);
    const [refused, address] = addresses;
    return JSON.stringify({
      ok: true,
      error: null,
      transport,
      address,
      tried: [{ address: refused, code: 'no-response', text: 'silent' }],
      ms: 30,
      roundTrips: 3,
      fastOpen: 'off',
      earlyData: null,
      steps: [
        { at: 20, step: 'query', text: '' },
        { at: 31, step: 'response', text: '' },
      ],
      tls: null,
      chain: [],
      response: null,
      clearPackets: 0,
    });
  };
  const told: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    service.on('catalogue.measured', (progress) => {
      told.push(...progress.items);
      if (progress.done) resolve();
    });
  });
  expect(
    await service.call('catalogue.measure', { resolvers: ['quad9'], queries: 3 }),
  ).toMatchObject({
    ok: true,
  });
  await done;

  const ipv4 = ['9.9.9.9:853', '149.112.112.112:853'];
  expect(told).toMatchObject([
    {
      resolver: 'quad9',
      ok: true,
      address: '149.112.112.112:853',
      tried: [{ address: '9.9.9.9:853' }],
      responseMs: 11,
      handshakeMs: 20,
    },
  ]);
  const each = [...ipv4, '[2620:fe::fe]:853', '[2620:fe::9]:853'];
  expect(asked).toEqual([each, each, each]);
  expect(await service.call('catalogue.measure', { resolvers: ['x'] })).toMatchObject({
    failure: { code: 'unknown-resolver' },
  });
});

test('upstreams are measured over their own connections, each told with the median', async () => {
  const service = await start();
  const waits = [9, 30, 12];
  const times = { cost: 'reused', connectMs: 40, roundTrips: 1 };
  stage.addon.onAskUpstream = async () => {
    const waitMs = waits.shift();
    return waitMs === undefined
      ? { ...times, transport: null, waitMs: 0, response: null, error: silent }
      : { ...times, transport: 'dot', waitMs, response: 'AAAA', error: null };
  };
  const silent = { code: 'timed-out', text: 'silent' };
  const measured: unknown[] = [];
  const measure = () =>
    followWork(
      service,
      'upstream.measured',
      () => service.call('upstream.measure', {}),
      (item) => measured.push(item),
    );
  expect(await measure()).toBeNull();
  expect(await measure()).toBeNull();
  expect(measured).toEqual([
    { upstream: 'quad9', responseMs: 12, error: null },
    { upstream: 'quad9', responseMs: null, error: silent },
  ]);
});

test('one query is put to each upstream, except where policy keeps it from them', async () => {
  const service = await start();
  const said = { name: 'a.example', type: 'A', rule: 'corp.example', reason: '', rcode: null };
  const rest = { group: '', clear: 'none', cached: null };
  stage.addon.onExplain = () => ({
    ...said,
    ...rest,
    verdict: 'bypass',
    servers: ['192.0.2.53:53'],
  });
  const query = { name: 'a.example', type: 'A' };
  expect(await service.call('query.askEach', query)).toMatchObject({
    failure: { code: 'bad-query', message: expect.stringContaining('corp.example') },
  });
  stage.addon.onExplain = () => ({ ...said, ...rest, verdict: 'forward', servers: ['a', 'b'] });
  const times = { cost: 'reused', connectMs: 0, waitMs: 9, roundTrips: 1 };
  stage.addon.onAskUpstream = async (id) =>
    id === 'a'
      ? { ...times, transport: 'dot', response: 'AAAA', error: null }
      : { ...times, transport: null, response: null, error: { code: 'timed-out', text: 'silent' } };
  const told: ResponseOfOne[] = [];
  const done = new Promise<void>((resolve) => {
    service.on('query.answered', (progress) => {
      told.push(...progress.items);
      if (progress.done) resolve();
    });
  });
  expect(await service.call('query.askEach', query)).toMatchObject({ ok: true });
  await done;
  expect(told.toSorted((one, other) => one.upstream.localeCompare(other.upstream))).toMatchObject([
    { upstream: 'a', response: { rcode: 'NOERROR' }, error: null, differs: [] },
    { upstream: 'b', response: null, error: { code: 'timed-out' } },
  ]);
  expect(told.map(({ comparison }) => comparison?.is ?? null)).toEqual([null, 'too-few']);
});

test('the service examines itself, and names what it can do about what it finds', async () => {
  stage.addon.probe = async (request) => {
    const { transport, addresses } = JSON.parse(request);
    const ok = transport === 'udp';
    const error = ok ? null : { code: 'no-response', message: 'silent' };
    const rest = { ms: 1, roundTrips: 1, steps: [], tls: null, chain: [], response: null };
    return JSON.stringify({
      ok,
      error,
      transport,
      address: addresses[0],
      fastOpen: 'off',
      earlyData: null,
      ...rest,
    });
  };
  stage.addon.onTest = async (id) => ({
    ok: false,
    error: { code: 'timed-out', message: `${id} is silent` },
    transport: 'dot',
    address: '192.0.2.1:853',
    ms: 1,
    roundTrips: 0,
    fastOpen: 'off',
    earlyData: null,
    steps: [],
    tls: null,
    chain: [],
    response: null,
    clearPackets: 0,
  });
  const service = await start({ systemResolvers: ['192.0.2.53'] });
  await service.call('protection.pause', { minutes: 5 });
  const found: Finding[] = [];
  const failure = await followWork(
    service,
    'doctor.found',
    () => service.call('doctor.run', {}),
    (finding) => found.push(finding),
  );
  expect(failure).toBeNull();
  const about = (check: string) => found.filter((finding) => finding.check === check);
  expect(about('protection')).toMatchObject([
    { verdict: 'warn', action: { method: 'protection.on', params: {} } },
  ]);
  expect(about('listening')).toMatchObject([
    { verdict: 'fail', text: expect.stringContaining('TCP: silent') },
    { verdict: 'fail' },
  ]);
  expect(about('upstream')).toMatchObject([
    {
      subject: 'quad9',
      verdict: 'fail',
      action: { method: 'upstream.test', params: { id: 'quad9' } },
    },
  ]);
  expect(about('path')).toEqual([]);
  expect(about('disk')).toMatchObject([{ verdict: 'ok', action: null }]);
  // A test must not take over this machine's DNS.
  for (const { action } of found)
    if (action !== null && action.method !== 'system.take')
      expect(await service.call(action.method as MethodName, action.params as never)).toMatchObject(
        {
          ok: true,
        },
      );
});

test('the report for others is composed of what is in force, without whose it is', async () => {
  const own = { id: 'hush', transport: 'dot', address: '192.0.2.77', name: 'hush.example' };
  const service = await start({ upstreams: [own] });
  const report = await service.call('report.compose', {});
  if (!report.ok) throw new Error(report.failure.message);
  expect(report.value.text).toContain('  own upstream 1: dot, idle');
  expect(report.value.text).toContain('  upstreams: 1 of them (user)');
  expect(report.value.text).not.toMatch(/hush|192\.0\.2\.77/);
});
