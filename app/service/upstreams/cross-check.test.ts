/** When names are compared, what is told of it, and what is not sent. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import { fail, succeed } from '../../contract/errors.ts';
import type { CrossChecked } from '../../contract/probing/cross-check.ts';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest } from '../../contract/settings/settings-shape.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import type { NetworkChange } from '../network/current-network.ts';
import { type CrossCheckParts, openCrossCheck } from './cross-check.ts';

const soon = 5_000;
const minute = 60_000;
const hour = 60 * minute;

const bank = 'www.bank.example';
const own = 'own.example';
const corp = 'host.corp.example';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

type Engine = CrossCheckParts['engine'];

function response(rcode: string, address?: string): DnsMessage {
  const record = { name: bank, type: 'A', class: 'IN', ttl: 300, data: address ?? '' };
  const rest = { id: 1, flags: [], question: null, authority: [], additional: [], edns: null };
  return { rcode, answer: address === undefined ? [] : [record], ...rest };
}

/** Upstreams "a" and "b", which answer for every name, and "c" where a test adds it. */
function opened(...names: string[]) {
  const sent: string[] = [];
  const says = new Map<string, DnsMessage | null>();
  const ids = ['a', 'b'];
  const hooks = { asked() {} };
  const explained = { rule: 'corp.example', reason: '', rcode: null, group: '', cached: null };
  const explain = vi.fn((name: string, type: string) =>
    succeed(
      name === corp
        ? { ...explained, name, type, verdict: 'bypass', clear: 'none', servers: ['192.0.2.53'] }
        : { ...explained, name, type, verdict: 'forward', clear: 'none', servers: [...ids] },
    ),
  );
  const times = { connectMs: 0, waitMs: 1, roundTrips: 1 };
  const askUpstream: Engine['askUpstream'] = async (id, name, type) => {
    sent.push(`${id} ${name} ${type}`);
    hooks.asked();
    const said = says.get(id);
    if (said === null) return fail('engine-failed', 'silent', 'ask again');
    const of = said ?? response('NOERROR', '198.51.100.1');
    return succeed({ transport: 'dot', cost: 'reused', ...times, response: of, error: null });
  };
  const health = createHealthRegistry(Date.now, () => {});
  let moved = (_change: NetworkChange) => {};
  const settings = { ...nest(defaultSettings), crossCheck: { names } };
  const crossCheck = openCrossCheck(
    {
      engine: { explain: explain as unknown as Engine['explain'], askUpstream },
      network: {
        onChange(listener) {
          moved = listener;
          return () => {};
        },
      },
      health,
      labelOf: (id) => `Provider ${id.toUpperCase()}`,
      onBug(error) {
        throw error;
      },
      random: () => 0.5,
    },
    settings,
  );
  onTestFinished(() => crossCheck.end());

  async function queriesWithin(ms: number): Promise<string[]> {
    sent.length = 0;
    await vi.advanceTimersByTimeAsync(ms);
    return [...sent];
  }
  return {
    ...{ crossCheck, settings, says, ids, hooks, health, queriesWithin },
    move: () => moved({ moved: true, pathChanged: true } as NetworkChange),
    issues: () => health.list().map(({ code, text }) => `${code}: ${text}`),
    async checked(): Promise<CrossChecked[]> {
      const told: CrossChecked[] = [];
      await crossCheck.check((one) => told.push(one));
      return told;
    },
  };
}

const all = [`a ${bank} A`, `b ${bank} A`, `a ${bank} AAAA`, `b ${bank} AAAA`];

test('without names nothing is ever sent', async () => {
  const { queriesWithin, move, checked } = opened();
  expect(await queriesWithin(48 * hour)).toEqual([]);
  move();
  expect(await queriesWithin(48 * hour)).toEqual([]);
  expect(await checked()).toEqual([]);
});

test('every upstream is asked soon, once an hour, and soon on another network', async () => {
  const { queriesWithin, move } = opened(bank);
  expect(await queriesWithin(soon - 1)).toEqual([]);
  expect(await queriesWithin(1)).toEqual(all);
  expect(await queriesWithin(hour - 1)).toEqual([]);
  expect(await queriesWithin(1)).toEqual(all);
  expect(await queriesWithin(hour / 2)).toEqual([]);
  move();
  expect(await queriesWithin(soon)).toEqual(all);
  expect(await queriesWithin(hour - 1)).toEqual([]);
  expect(await queriesWithin(1)).toEqual(all);
});

test('two checks in a row, a minute apart, make an issue without a name, and one ends it', async () => {
  const { queriesWithin, issues, says } = opened(bank);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon);
  expect(issues()).toEqual([]);
  expect(await queriesWithin(minute - 1)).toEqual([]);
  expect(await queriesWithin(1)).toEqual(all);
  expect(issues()).toEqual([
    'upstreams-disagree: About a name that you have compared, one of them may not tell the truth. They disagree: Provider A gives an answer, and Provider B says that there is none.',
  ]);
  expect(issues().join()).not.toContain('example');
  expect(await queriesWithin(hour - 1)).toEqual([]);
  says.clear();
  expect(await queriesWithin(1)).toEqual(all);
  expect(issues()).toEqual([]);
});

test('what passes by itself is no issue', async () => {
  const { queriesWithin, issues, says } = opened(bank);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon);
  says.clear();
  await queriesWithin(minute);
  expect(issues()).toEqual([]);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(hour);
  expect(issues()).toEqual([]);
});

test('a disagreement that is another one each time is no issue, and is not asked for each minute', async () => {
  const { queriesWithin, issues, says } = opened(bank);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon);
  says.set('b', response('NOERROR', '0.0.0.0'));
  expect(await queriesWithin(minute)).toEqual(all);
  expect(issues()).toEqual([]);
  says.set('b', response('NXDOMAIN'));
  expect(await queriesWithin(hour - 1)).toEqual([]);
  expect(await queriesWithin(1)).toEqual(all);
  expect(issues()).toEqual([]);
});

test('an issue changes only to a disagreement that was found twice', async () => {
  const { queriesWithin, issues, says } = opened(bank);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon + minute);
  const [first] = issues();
  says.set('b', response('NOERROR', '0.0.0.0'));
  await queriesWithin(hour);
  expect(issues()).toEqual([first]);
  await queriesWithin(minute);
  expect(issues()).toEqual([expect.stringContaining('addresses that block')]);
});

test('an upstream that does not respond neither makes nor ends an issue', async () => {
  const { queriesWithin, issues, says } = opened(bank);
  says.set('b', null);
  await queriesWithin(soon + minute);
  expect(issues()).toEqual([]);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(hour + minute);
  expect(issues()).toHaveLength(1);
  says.set('b', null);
  await queriesWithin(hour);
  expect(issues()).toHaveLength(1);
});

test('where the others agree, the one that disagreed has to agree, too, before an issue ends', async () => {
  const { queriesWithin, issues, says, ids } = opened(bank);
  ids.push('c');
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon + minute);
  says.set('b', null);
  await queriesWithin(hour);
  expect(issues()).toEqual([expect.stringContaining('Provider B is alone')]);
  says.clear();
  await queriesWithin(hour);
  expect(issues()).toEqual([]);
});

test('the same disagreement about two names is told once', async () => {
  const { queriesWithin, issues, says } = opened(bank, own);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon + minute);
  expect(issues()).toEqual([expect.stringMatching(/^[^:]+: [^:]+: [^:]+$/)]);
});

test('the issue ends with the name that it is about, which is not asked for any more', async () => {
  const { crossCheck, settings, queriesWithin, issues, says } = opened(bank, own);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon + minute);
  crossCheck.configure({ ...settings, crossCheck: { names: [own] } });
  expect(issues()).toHaveLength(1);
  crossCheck.configure({ ...settings, crossCheck: { names: [] } });
  expect(issues()).toEqual([]);
  expect(await queriesWithin(48 * hour)).toEqual([]);
});

test('with other upstreams it begins anew; with the same settings it goes on', async () => {
  const { crossCheck, settings, queriesWithin, issues, says } = opened(bank);
  says.set('b', response('NXDOMAIN'));
  await queriesWithin(soon + minute);
  crossCheck.configure({ ...settings });
  expect(issues()).toHaveLength(1);
  expect(await queriesWithin(minute)).toEqual([]);
  const upstream = { id: 'a', transport: 'dot', address: '192.0.2.1' } as const;
  crossCheck.configure({ ...settings, upstreams: [upstream] });
  expect(issues()).toEqual([]);
  expect(await queriesWithin(soon)).toEqual(all);
});

test('a name that is removed while others are asked for is not sent', async () => {
  const { crossCheck, settings, queriesWithin, hooks } = opened(bank, own);
  hooks.asked = () => crossCheck.configure({ ...settings, crossCheck: { names: [bank] } });
  expect(await queriesWithin(soon)).toEqual(all.slice(0, 2));
  expect(await queriesWithin(soon)).toEqual(all);
});

test('a name that policy keeps from the upstreams is not sent, which the check says', async () => {
  const { checked, queriesWithin } = opened(corp);
  expect(await queriesWithin(2 * hour)).toEqual([]);
  expect(await checked()).toMatchObject([
    {
      name: corp,
      type: 'A',
      comparison: null,
      skipped: { code: 'bad-query', message: expect.stringContaining('bypass rule') },
    },
    { name: corp, type: 'AAAA', comparison: null },
  ]);
});

test('where there is one upstream, it learns nothing', async () => {
  const { checked, ids, queriesWithin } = opened(bank);
  ids.pop();
  expect(await queriesWithin(2 * hour)).toEqual([]);
  expect(await checked()).toMatchObject([
    { comparison: { is: 'too-few' }, skipped: null },
    { comparison: { is: 'too-few' }, skipped: null },
  ]);
});

test('with three upstreams, the one that is alone is named', async () => {
  const { checked, ids, says, issues } = opened(bank);
  ids.push('c');
  says.set('b', response('NOERROR', '127.0.0.1'));
  expect(await checked()).toMatchObject([
    { type: 'A', comparison: { is: 'blocking-address', alone: 'b', sides: [['a', 'c'], ['b']] } },
    { type: 'AAAA' },
  ]);
  expect(issues()).toEqual([]);
  await checked();
  expect(issues()).toEqual([
    expect.stringContaining('Provider B is alone: Provider A, Provider C'),
  ]);
});

test('once it has ended, nothing is sent', async () => {
  const { crossCheck, queriesWithin, checked } = opened(bank);
  crossCheck.end();
  expect(await queriesWithin(48 * hour)).toEqual([]);
  expect(await checked()).toEqual([]);
});
