import { expect, test } from 'vitest';
import { succeed } from '../../../contract/errors.ts';
import { findWaysHere, type WayParts } from './lead-here.ts';

/** Every query arrives, unless its path is named here. */
function ways(closed: string[], changes: Partial<WayParts> = {}): WayParts {
  const arrived = new Set<string>();
  let next = 0;
  const ask = (way: string, name: string) => {
    if (!closed.includes(way)) arrived.add(name);
  };
  return {
    engine: {
      expectProbe: () => `sotto-probe-${next++}.test.`,
      probeArrived: (name) => arrived.has(name),
      probe: async ({ name }, { addresses: [address = ''] }) => {
        ask(address, name);
        return succeed({} as never);
      },
    },
    lookUp: async (name) => ask('programs', name),
    bus: async ({ body }) => ask(`link ${body?.[0]}`, `${body?.[1]}`),
    resolvedLinks: [
      { index: 2, name: 'eth0' },
      { index: 3, name: 'wlan0' },
    ],
    nameservers: ['127.0.0.53', '::1'],
    ...changes,
  };
}

const told = async (parts: WayParts) =>
  (await findWaysHere(parts)).map(({ subject, verdict }) => `${subject} ${verdict}`);

test('every way is tried, each with a name of its own', async () => {
  expect(await told(ways([]))).toEqual([
    'programs ok',
    '127.0.0.53 ok',
    '::1 ok',
    'eth0 ok',
    'wlan0 ok',
  ]);
});

test('a way that does not lead here is named', async () => {
  expect(await told(ways(['programs', '[::1]:53', 'link 3']))).toEqual([
    'programs fail',
    '127.0.0.53 ok',
    '::1 warn',
    'eth0 ok',
    'wlan0 warn',
  ]);
});

test('another machine is not asked, and does not lead here', async () => {
  const asked: string[] = [];
  const parts = ways([], { nameservers: ['2001:db8::1'], resolvedLinks: [] });
  const { probe } = parts.engine;
  parts.engine.probe = async (query, server) => {
    asked.push(...server.addresses);
    return await probe(query, server);
  };
  expect(await told(parts)).toEqual(['programs ok', '2001:db8::1 warn']);
  expect(asked).toEqual([]);
});

test('a lookup that fails tells nothing by itself: what counts is what arrived', async () => {
  const parts = ways([], { nameservers: [], resolvedLinks: [] });
  const { lookUp } = parts;
  parts.lookUp = async (name) => {
    await lookUp(name);
    throw new Error('ENOTFOUND');
  };
  expect(await told(parts)).toEqual(['programs ok']);
});
