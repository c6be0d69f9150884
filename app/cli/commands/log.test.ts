import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test, vi } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import {
  finished,
  runCommand,
  serve,
  someEvent,
  startCommand,
  startFakeService,
} from '../fake-service.ts';

test('log shows the newest last in aligned columns, and why something failed', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'log.query': (params) => {
      asked.push(params);
      return succeed({
        events: [
          someEvent({
            id: 3,
            outcome: 'failed',
            upstream: '',
            transport: 'none',
            cost: 'none',
            rcode: 'SERVFAIL',
            extendedError: 22,
            reason: 'no private path\u001b[2J',
          }),
          someEvent({
            id: 2,
            outcome: 'bypassed',
            clear: 'bypass',
            transport: 'udp',
            cost: 'none',
            upstream: '10.0.0.1:53',
            name: 'db.corp.example',
          }),
          someEvent({ id: 1, type: 'HTTPS' }),
        ],
      });
    },
  });
  const { code, out } = await runCommand(
    home,
    'log',
    '--name',
    '*.example',
    '--outcome',
    'failed',
    '-n',
    '3',
  );
  expect(code).toBe(0);
  expect(asked).toEqual([{ name: '*.example', outcome: 'failed', limit: 3 }]);
  expect(out.split('\n')).toEqual([
    '14:58:03.412  HTTPS  cdn.example.com           forwarded  quad9        dot   reused     12.0 ms',
    '14:58:03.412  A      db.corp.example           bypassed   10.0.0.1:53  udp   –          12.0 ms  in clear (bypass)',
    '14:58:03.412  A      cdn.example.com           failed     –            –     –          12.0 ms  no private path\\x1b[2J, extended error 22',
    '',
  ]);
});

test('an empty history says so, to people only', async () => {
  const home = await serve({ 'log.query': () => succeed({ events: [] }) });
  const said = await runCommand(home, 'log');
  expect(said).toEqual({ code: 0, out: '', errors: 'No question in the history fits.\n' });
  expect(await runCommand(home, 'log', '--json')).toEqual({ code: 0, out: '', errors: '' });
});

test('log --json prints one event a line', async () => {
  const events = [someEvent({ id: 2 }), someEvent({ id: 1, name: 'first.example' })];
  const home = await serve({ 'log.query': () => succeed({ events }) });
  const { out } = await runCommand(home, 'log', '--json');
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text)),
  ).toEqual([...events].reverse());
});

/** A log whose followers get what `tell` is given. */
function followable() {
  let session: ServiceSession | undefined;
  const followers: unknown[] = [];
  const handlers: Partial<ServiceHandlers> = {
    'log.query': () => succeed({ events: [someEvent({ id: 2, name: 'past.example' })] }),
    'log.follow': (params, from) => {
      followers.push(params);
      session = from;
      // Recorded before the past is asked for, and part of it: must be shown once.
      from.notify('log.events', {
        subscription: 1,
        events: [someEvent({ id: 2, name: 'past.example' })],
        leftOut: 0,
      });
      return succeed({ subscription: 1 });
    },
  };
  const tell = (id: number) =>
    session?.notify('log.events', {
      subscription: 1,
      events: [someEvent({ id, name: `live${id}.example` })],
      leftOut: 0,
    });
  return { handlers, followers, tell };
}

test('log --follow goes on from the past without a gap or a repetition, and Ctrl-C ends it with 0', async () => {
  const { handlers, followers, tell } = followable();
  const home = await serve(handlers);
  const child = startCommand(home, 'log', '--follow', '--json', '--outcome', 'forwarded');
  const names: string[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => names.push(JSON.parse(text).name));
  const ended = finished(child);
  await until(() => names.length === 1);
  tell(3);
  tell(4);
  await until(() => names.length === 3);
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
  expect(names).toEqual(['past.example', 'live3.example', 'live4.example']);
  expect(followers).toEqual([{ outcome: 'forwarded' }]);
});

test('log --follow says so when the service ends', async () => {
  const { handlers } = followable();
  const service = await startFakeService(handlers);
  const child = startCommand(service.home, 'log', '--follow');
  const ended = finished(child);
  await once(child.stdout, 'data');
  await service.close();
  const { code, errors } = await ended;
  expect(code).toBe(3);
  expect(errors).toMatch(/^sotto: the service ended – .* – start it again with: sotto run\n$/);
});

test('a reader that goes away ends log --follow quietly', async () => {
  const { handlers, tell } = followable();
  const home = await serve(handlers);
  const child = startCommand(home, 'log', '--follow');
  const ended = finished(child);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  let id = 10;
  const writing = setInterval(() => tell(id++), 5);
  const { code, errors } = await ended;
  clearInterval(writing);
  expect([code, errors]).toEqual([0, '']);
});

function until(condition: () => boolean): Promise<boolean> {
  return vi.waitUntil(condition, { timeout: 15_000, interval: 5 });
}
