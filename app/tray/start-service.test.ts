import { expect, test, vi } from 'vitest';
import { servicePaths } from '../contract/service-paths.ts';
import { startService } from './start-service.ts';

const { controlSocket } = servicePaths({ SOTTO_MODE: 'system' });

test("a person's own service is started where none is installed, and a failure names the command", async () => {
  const start = vi.fn(async () => true);
  const run = vi.fn(async () => null);
  const parts = { controlSocket: () => controlSocket, run, isThere: () => false };
  expect(await startService({ ...parts, portable: { start } })).toEqual({ ok: true, value: null });
  expect(run).not.toHaveBeenCalled();
  expect(await startService({ ...parts, portable: { start: async () => false } })).toMatchObject({
    failure: { code: 'not-running', remedy: 'start it with: sotto run' },
  });
});

test('an installed one is started by systemd, whose refusal is told', async () => {
  const start = vi.fn(async () => true);
  const parts = { portable: { start }, controlSocket: () => controlSocket, isThere: () => true };
  expect(await startService({ ...parts, run: async () => null })).toMatchObject({ ok: true });
  expect(await startService({ ...parts, run: async () => 'Access denied' })).toMatchObject({
    failure: {
      message: 'systemd did not start it: Access denied',
      remedy: 'start it with: sudo systemctl start sotto',
    },
  });
  expect(start).not.toHaveBeenCalled();
});
