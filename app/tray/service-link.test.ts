import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { startFakeService } from '../cli/fixtures/fake-service.ts';
// biome-ignore lint/style/noRestrictedImports: the same.
import { someStatus } from '../cli/fixtures/made-up.ts';
import { fail, succeed } from '../contract/errors.ts';
import { servicePaths } from '../contract/service-paths.ts';
import { connectToService } from '../service-client/service-client.ts';
import { Link, type LinkParts, type ServiceLink } from './service-link.ts';

interface Watched {
  link: Link;
  seen: ServiceLink['is'][];
  /** the pauses so far, each with the function to call after it */
  pauses: [number, () => void][];
}

function watch(parts: Partial<LinkParts>): Watched {
  const seen: ServiceLink['is'][] = [];
  const pauses: [number, () => void][] = [];
  const link = new Link({
    connect: async () => fail('not-running', 'Sotto is not running', 'start it'),
    startService: async () => false,
    onChange: ({ is }) => seen.push(is),
    now: () => 0,
    after: (milliseconds, then) => {
      pauses.push([milliseconds, then]);
      return () => {};
    },
    ...parts,
  });
  onTestFinished(() => link.close());
  return { link, seen, pauses };
}

async function serve() {
  const service = await startFakeService({ 'status.follow': () => succeed(someStatus()) });
  onTestFinished(() => service.close());
  return service;
}

function to(home: string): LinkParts['connect'] {
  return () => connectToService(servicePaths({}, home).controlSocket, 'the tray');
}

test('connects and tells the status', async () => {
  const service = await serve();
  const { link, seen } = watch({ connect: to(service.home) });
  await link.connect();
  expect(link.current).toMatchObject({ is: 'connected', status: { pid: 4711 } });
  expect(seen).toEqual(['connecting', 'connected']);
});

test('what was known is dropped the moment the service ends', async () => {
  const service = await serve();
  const { link, seen, pauses } = watch({ connect: to(service.home) });
  await link.connect();
  await service.close();
  await expect.poll(() => link.current.is).toBe('lost');
  expect(seen).toEqual(['connecting', 'connected', 'connecting', 'lost']);
  expect(await link.call('status.get', {})).toMatchObject({ failure: { code: 'not-running' } });
  expect(pauses).toHaveLength(1);
});

test('a service that comes back is found by the next attempt', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sotto-tray-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  let at = home;
  const { link, pauses } = watch({ connect: () => to(at)() });
  await link.connect();
  expect(link.current).toMatchObject({ is: 'lost', failure: { code: 'not-running' } });
  at = (await serve()).home;
  pauses[0]?.[1]();
  await expect.poll(() => link.current.is).toBe('connected');
});

test('pauses grow to half a minute', async () => {
  const { link, pauses } = watch({});
  for (let attempt = 0; attempt < 8; attempt++) await link.connect();
  expect(pauses.map(([pause]) => pause)).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test('what does not run is started, once', async () => {
  const startService = vi.fn(async () => false);
  const { link } = watch({ startService });
  await link.connect();
  await link.connect();
  expect(startService).toHaveBeenCalledOnce();
});

test('what was just started is looked for each second, and after half a minute as ever', async () => {
  const { link, pauses } = watch({ startService: async () => true });
  for (let attempt = 0; attempt < 33; attempt++) await link.connect();
  const told = pauses.map(([pause]) => pause);
  expect(told.slice(0, 3)).toEqual([500, 1000, 1000]);
  expect(told.slice(28)).toEqual([1000, 1000, 1000, 2000, 4000]);
});

test('another version is told as what it is, and not started over', async () => {
  const startService = vi.fn(async () => true);
  const connect = async () => fail('version-mismatch', 'contract 2, not 1', 'restart the service');
  const { link } = watch({ connect, startService });
  await link.connect();
  expect(link.current).toMatchObject({ is: 'lost', failure: { code: 'version-mismatch' } });
  expect(startService).not.toHaveBeenCalled();
});
