import { expect, test } from 'vitest';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest } from '../../contract/settings/settings-shape.ts';
import { compileConfig } from './compile-config.ts';
import { loadEngineAddon } from './engine-addon.ts';
import { startEngine } from './engine-driver.ts';
import { fakeEngine } from './fake-engine.ts';

const quiet = { onEvents: () => {}, onChange: () => {} };
const config = compileConfig({
  identities: new Map(),
  onBattery: false,
  settings: nest(defaultSettings),
  certificates: new Map(),
  notInCleartext: new Set(),
  mode: 'private',
  network: 'any',
  networkChanges: 0,
  leases: [],
  rules: [],
  refuseFor: [],
  forwarders: [],
  groups: [],
  networkResolvers: [],
  portal: null,
});

test('configurations are applied in the order in which they were given', async () => {
  const addon = fakeEngine();
  const engine = startEngine(addon, quiet);
  await Promise.all(['a', 'b', 'c'].map((network) => engine.apply({ ...config, network })));
  expect(addon.applied.map(({ network }) => network)).toEqual(['a', 'b', 'c']);
});

test.each([
  [
    { code: 'listen-failed', path: 'listen[0]', message: 'in use', remedy: 'stop the other' },
    { code: 'listen-failed', subject: 'listen[0]', message: 'in use', remedy: 'stop the other' },
  ],
  [
    { code: 'ca-unusable', path: 'upstreams[0].ca', message: 'no', remedy: 'give one' },
    { code: 'engine-refused', subject: 'upstreams[0].ca' },
  ],
])(
  'the refusal %j is a value, and the next configuration is not held up',
  async (refusal, failure) => {
    const addon = fakeEngine();
    const engine = startEngine(addon, quiet);
    addon.onApply = () => {
      throw new Error(JSON.stringify(refusal));
    };
    expect(await engine.apply(config)).toMatchObject({ ok: false, failure });
    addon.onApply = () => {};
    expect(await engine.apply(config)).toEqual({ ok: true, value: null });
  },
);

test('whoever waits for the events has a mark of his own behind them', async () => {
  const addon = fakeEngine();
  const came: string[] = [];
  const engine = startEngine(addon, { ...quiet, onEvents: (batch) => came.push(`${batch}`) });
  addon.deliver(Buffer.from('a'));
  const first = engine.handOver().then(() => came.push('first'));
  const second = engine.handOver().then(() => came.push('second'));
  addon.deliver(Buffer.from('b'));
  await Promise.all([first, second]);
  expect(came).toEqual(['a', 'b', 'first', 'second']);
});

test('a malformed query is a value', async () => {
  const engine = startEngine(fakeEngine(), quiet);
  expect(await engine.ask('a..b', 'A')).toMatchObject({
    failure: { code: 'bad-query', message: 'a label is empty' },
  });
});

test('a name the cache can’t be asked about is a value, in the engine’s words', () => {
  const addon = fakeEngine();
  const engine = startEngine(addon, quiet);
  expect(engine.showCache('a..b')).toMatchObject({
    failure: { code: 'bad-query', message: 'a label is empty' },
  });
  addon.Engine.prototype.flushCache = () => {
    throw new Error(JSON.stringify({ code: 'filter-invalid', message: 'not a name' }));
  };
  expect(engine.flushCache({ name: 'a..b' })).toMatchObject({
    failure: { code: 'bad-query', message: 'not a name' },
  });
});

test('an addon that is not there names its remedy', () => {
  expect(loadEngineAddon('/nonexistent/sotto.node')).toMatchObject({
    failure: { code: 'engine-missing', remedy: expect.stringMatching(/npm start/) },
  });
});
