/** An export through the window's preload. */
import { expect, test } from 'vitest';
import { openPreloadDoor } from './over-preload.ts';

const hello = { contract: 1, version: '1.2.3', pid: 1, role: 'administer' };
const request = { filter: '', format: 'csv' } as const;

/** A window whose export has these chunks; `stopped` counts how often the page ended it. */
async function windowWith(...chunks: Uint8Array[]) {
  const seen = { stopped: 0 };
  const connected = await openPreloadDoor({
    connect: async () => ({ ok: true, value: hello }),
    call: async () => null,
    disconnect: () => {},
    askAuthority: async () => null,
    stopAsking: () => {},
    startService: async () => null,
    startsAtLogin: async () => null,
    setStartsAtLogin: async () => null,
    showsNotices: async () => null,
    setShowsNotices: async () => null,
    pour: async () => ({ ok: true, value: {} }),
    poured: async () => chunks.shift() ?? null,
    stopPouring: () => {
      seen.stopped += 1;
      chunks.length = 0;
    },
  }).connect();
  if (!connected.ok) throw new Error(connected.failure.message);
  return { connection: connected.value, seen };
}

const one = Uint8Array.of(1);
const two = Uint8Array.of(2);

async function octetsOf(
  { connection }: Awaited<ReturnType<typeof windowWith>>,
  signal: AbortSignal,
) {
  const poured = await connection.pour(request, signal);
  if (!poured.ok) throw new Error(poured.failure.message);
  return poured.value;
}

test('the chunks come one after the other', async () => {
  const window = await windowWith(one, two);
  const octets = await octetsOf(window, new AbortController().signal);
  const taken = [];
  for await (const chunk of octets) taken.push(chunk);
  expect(taken).toEqual([one, two]);
});

test('leaving the loop ends the export', async () => {
  const window = await windowWith(one, two);
  for await (const chunk of await octetsOf(window, new AbortController().signal)) {
    expect(chunk).toEqual(one);
    break;
  }
  expect(window.seen.stopped).toBe(1);
});

test('the signal ends it, too', async () => {
  const stop = new AbortController();
  const window = await windowWith(one, two);
  const octets = await octetsOf(window, stop.signal);
  const taken = [];
  for await (const chunk of octets) {
    taken.push(chunk);
    stop.abort();
  }
  expect(taken).toEqual([one]);
  expect(window.seen.stopped).toBeGreaterThan(0);
});
