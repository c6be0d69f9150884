import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test, vi } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import { partHead } from '../../contract/query-log/poured-text.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import {
  finished,
  runCommand,
  serve,
  startCommand,
  startCommandInto,
  startFakeService,
} from '../fixtures/fake-service.ts';
import { someEvent } from '../fixtures/made-up.ts';

const asker = (known: Partial<QueryEvent['asker']>): QueryEvent['asker'] => ({
  ...someEvent().asker,
  attribution: 'known',
  ...known,
});

test('log shows the newest last in aligned columns, and why something failed', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'log.search': (params) => {
      asked.push(params);
      return page([
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
          asker: asker({ program: 'systemd-resolved', forwards: true }),
        }),
        someEvent({
          id: 1,
          type: 'HTTPS',
          asker: asker({ attribution: 'seems', program: 'firefox' }),
        }),
      ]);
    },
  });
  const { code, out } = await runCommand(
    home,
    'log',
    'slower:1ms',
    '--name',
    '*.example',
    '--outcome',
    'failed',
    '-n',
    '3',
  );
  expect(code).toBe(0);
  expect(asked).toEqual([{ filter: 'slower:1ms name:*.example outcome:failed', limit: 3 }]);
  expect(out.split('\n')).toEqual([
    '2026-01-31 14:58:03.412  HTTPS  cdn.example.com           forwarded  quad9        dot   reused     12.0 ms  seems firefox',
    '2026-01-31 14:58:03.412  A      db.corp.example           bypassed   10.0.0.1:53  udp   –          12.0 ms  systemd-resolved, for somebody  in cleartext (bypass)',
    '2026-01-31 14:58:03.412  A      cdn.example.com           failed     –            –     –          12.0 ms  –                               no private path\\x1b[2J, extended error 22',
    '',
  ]);
});

test('an empty query log says so, to people only', async () => {
  const home = await serve({ 'log.search': () => page([]) });
  const said = await runCommand(home, 'log');
  expect(said).toEqual({ code: 0, out: '', errors: 'No query in the query log fits.\n' });
  expect(await runCommand(home, 'log', '--json')).toEqual({ code: 0, out: '', errors: '' });
});

test('log --json prints one event a line', async () => {
  const events = [someEvent({ id: 2 }), someEvent({ id: 1, name: 'first.example' })];
  const home = await serve({ 'log.search': () => page(events) });
  const { out } = await runCommand(home, 'log', '--json');
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text)),
  ).toEqual([...events].reverse());
});

function page(events: QueryEvent[], next: number | null = null) {
  return succeed({ events, next });
}

test('more than a page is asked for page by page', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'log.search': ({ limit, before }) => {
      asked.push([limit, before]);
      const first = before ?? 2001;
      const events = Array.from({ length: limit }, (_, index) =>
        someEvent({ id: first - 1 - index }),
      );
      return page(events, events.at(-1)?.id ?? null);
    },
  });
  const { out } = await runCommand(home, 'log', '-n', '1500', '--json');
  expect(asked).toEqual([
    [1000, undefined],
    [500, 1001],
  ]);
  const ids = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text).id);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([1500, 501, 2000]);
});

test('how many more fit is counted, and told to people only', async () => {
  const counted: unknown[] = [];
  const home = await serve({
    'log.search': () => page([someEvent({ id: 9 })], 9),
    'log.count': (params) => {
      counted.push(params);
      return succeed({ rows: 1081, of: 22_055 });
    },
  });
  const { errors } = await runCommand(home, 'log', 'slower:60ms', '-n', '1');
  expect(errors).toBe('These are the newest 1 of 1081 that fit; "-n" shows more.\n');
  expect((await runCommand(home, 'log', '-n', '1', '--json')).errors).toBe('');
  expect(counted).toEqual([{ filter: 'slower:60ms' }]);
});

test('a filter that can not be read is told by its word, and nothing is searched', async () => {
  const home = await serve({
    'log.search': () => fail('filter-invalid', 'there is no field "tpye"', 'use type:', 'tpye:A'),
  });
  const { code, errors } = await runCommand(home, 'log', 'tpye:A');
  expect(code).toBe(2);
  expect(errors).toBe('sotto: there is no field "tpye" – nothing was searched – use type:\n');
});

test('words that begin with a minus come after two of them', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'log.search': (params) => {
      asked.push(params.filter);
      return page([]);
    },
  });
  await runCommand(home, 'log', '-n', '1', '--', '-clear:none', '*.example.com');
  expect(asked).toEqual(['-clear:none *.example.com']);
});

/** An export's text in parts, and its end. */
function pourable(parts: readonly Uint8Array[], asked: unknown[] = []): Partial<ServiceHandlers> {
  return {
    'log.pour': (params, session) => {
      asked.push(params);
      session.handOver((connection) => (connection as Socket).end(Buffer.concat(parts)));
      return succeed({});
    },
  };
}

const textPart = (text: string) =>
  Buffer.concat([partHead('text', text.length, 1), Buffer.from(text)]);

test('export writes the parts one after the other, and nothing else', async () => {
  const asked: unknown[] = [];
  const parts = [textPart('id\r\n2\r\n'), textPart('1\r\n'), partHead('end', 0)];
  const home = await serve(pourable(parts, asked));
  const ran = await runCommand(home, 'log', 'export', 'example', 'type:A');
  expect(ran).toEqual({ code: 0, out: 'id\r\n2\r\n1\r\n', errors: '' });
  expect(asked).toEqual([{ filter: 'example type:A', format: 'csv' }]);
});

test('an export without its end is told as incomplete', async () => {
  const home = await serve(pourable([textPart('id\r\n'), partHead('text', 4, 1)]));
  const { code, out, errors } = await runCommand(home, 'log', 'export');
  expect([code, out]).toEqual([3, 'id\r\n']);
  expect(errors).toMatch(/^sotto: the export ended early: what was written is not all of it – /);
});

test('what the reader could not read is told', async () => {
  const failure = { code: 'log-unavailable', message: 'no', remedy: 'wait', subject: null };
  const said = Buffer.from(JSON.stringify(failure));
  const home = await serve(pourable([partHead('failure', said.length), said]));
  const { code, errors } = await runCommand(home, 'log', 'export');
  expect([code, errors]).toEqual([1, 'sotto: no – DNS goes on without it – wait\n']);
});

test('a full disk ends an export with words', async () => {
  const home = await serve(pourable([textPart('id\r\n'), partHead('end', 0)]));
  const full = openSync('/dev/full', 'w');
  const { code, errors } = await finished(startCommandInto(full, home, 'log', 'export'));
  closeSync(full);
  expect(code).toBe(1);
  expect(errors).toMatch(/^sotto: what was asked for could not be written: ENOSPC/);
});

test('--home says whose query log is exported', async () => {
  const home = await serve(pourable([textPart('1\r\n'), partHead('end', 0)]));
  const ran = await runCommand('/nowhere', 'log', 'export', '--home', home);
  expect(ran).toEqual({ code: 0, out: '1\r\n', errors: '' });
});

/** A log whose followers receive what `tell` is given. */
function followable() {
  let session: ServiceSession | undefined;
  const followers: unknown[] = [];
  const handlers: Partial<ServiceHandlers> = {
    'log.search': () => page([someEvent({ id: 2, name: 'past.example' })]),
    'log.follow': (params, from) => {
      followers.push(params);
      session = from;
      // Recorded before the past is read, and part of it: it must be shown once.
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
  expect(followers).toEqual([{ filter: 'outcome:forwarded' }]);
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
  expect(errors).toMatch(
    /^sotto: the service ended – .* – "sotto status" says how to start it again\n$/,
  );
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
  return vi.waitUntil(condition, { timeout: 60_000, interval: 5 });
}

test('erase wants to hear that it is meant', async () => {
  let erased = 0;
  const home = await serve({
    'log.clear': () => {
      erased += 1;
      return succeed({});
    },
  });
  const asked = await runCommand(home, 'log', 'erase');
  expect([asked.code, erased]).toEqual([2, 0]);
  expect(asked.errors).toContain('sotto log erase --yes');
  const meant = await runCommand(home, 'log', 'erase', '--yes');
  expect(meant).toEqual({ code: 0, out: 'The query log is erased.\n', errors: '' });
  expect(erased).toBe(1);
});

test('log top ranks what was asked, and says where counts may be too low', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'log.top': (wanted) => {
      asked.push(wanted);
      const rows = [
        { value: 'example.com', count: 75, icon: null },
        { value: 'evil\u001b[2J.example', count: 5, icon: null },
      ];
      return succeed({ rows, queries: 100, isExact: wanted.by === 'domain' });
    },
  });
  const { code, out } = await runCommand(home, 'log', 'top', '--last', '2h', '--lines', '2');
  expect([code, ...out.split('\n')]).toEqual([
    0,
    'queries  of all  domain',
    '     75   75.0%  example.com',
    '      5    5.0%  evil\\x1b[2J.example',
    '',
  ]);
  expect((await runCommand(home, 'log', 'top', '--by', 'programs')).out).toContain('≈');
  expect(asked).toMatchObject([
    { by: 'domain', limit: 2, filter: 'since:2h' },
    { by: 'program', limit: 10, filter: 'since:24h' },
  ]);
  await runCommand(home, 'log', 'top', 'outcome:refused', 'since:3d');
  expect(asked[2]).toMatchObject({ filter: 'outcome:refused since:3d' });
  expect((await runCommand(home, 'log', 'top', '--last', 'long')).code).toBe(2);
});
