import { afterEach, expect, test, vi } from 'vitest';
import { Listeners } from './base/listeners.ts';
import { followChanges } from './follow-changes.ts';
import { createHealthRegistry } from './health/health-registry.ts';
import { createFakeNetworkWatch } from './network/fake-network-watch.ts';

let end = () => {};
afterEach(() => end());

function scene(unavailable: string | null = null) {
  const rest = { atRest: false, ticks: 0 };
  const watch = createFakeNetworkWatch();
  const health = createHealthRegistry(
    () => 1,
    () => {},
  );
  const nothing = async () => {};
  end = followChanges({
    changed: new Listeners(),
    engineChanged: new Listeners(),
    unsettled: new Listeners(),
    surroundings: {
      network: { onChange: () => () => {} } as never,
      watch,
      unavailable,
    },
    health,
    forwarders: { tick() {} },
    battery: { onChange: () => () => {} },
    protection: {
      settle: nothing,
      reconnect: nothing,
      isAtRest: () => rest.atRest,
      tick: async () => {
        rest.ticks += 1;
      },
    },
    portal: { observe: () => {} },
    systemDns: { begin: nothing, tick: () => {} },
    coverage: { tick: () => {} },
    onBug: (error) => expect.unreachable(String(error)),
  });
  return { rest, watch, told: () => health.list().map(({ code, text }) => `${code}: ${text}`) };
}

test('a network watch that breaks down is told with its reason, until it sees again', () => {
  const { watch, told } = scene();
  expect(told()).toEqual([]);
  watch.goBlind('Input/output error');
  expect(told()).toEqual([expect.stringMatching(/^network-unseen: .*Input\/output error/)]);
  watch.goBlind('Too many open files');
  expect(told()).toEqual([expect.stringMatching(/^network-unseen: .*Too many open files/)]);
  watch.goBlind(null);
  expect(told()).toEqual([]);
});

test('where no watch could be made, that is told from the start', () => {
  const { told } = scene('this build of the engine watches no network');
  expect(told()).toEqual([
    expect.stringMatching(/^network-unwatched: Nobody notices .*this build of the engine/),
  ]);
});

test('each second counts while something may leave in cleartext, and every fifth at rest', () => {
  vi.useFakeTimers();
  const { rest } = scene();
  vi.advanceTimersByTime(20_000);
  expect(rest.ticks).toBe(20);
  rest.atRest = true;
  vi.advanceTimersByTime(20_000);
  expect(rest.ticks).toBe(24);
  vi.useRealTimers();
});
