import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, succeed } from '../contract/errors.ts';
import { runCommand, serve } from './fixtures/fake-service.ts';
import {
  someEvent,
  someMessage,
  someReport,
  someStatus,
  someUpstream,
} from './fixtures/made-up.ts';

test('on, off and pause ask for what they say and tell the sentence that holds now', async () => {
  const asked: unknown[] = [];
  const paused = someStatus({
    protection: { state: 'paused', until: null },
    sentence: 'Paused \u202e.',
  });
  const home = await serve({
    'protection.on': () => succeed(someStatus()),
    'protection.off': () =>
      succeed(someStatus({ protection: { state: 'off', since: 1 }, sentence: 'Off.' })),
    'protection.pause': (params) => {
      asked.push(params);
      return succeed(paused);
    },
  });
  expect((await runCommand(home, 'on')).out).toBe(
    "Protected. quad9 answers this computer's queries, encrypted.\n",
  );
  expect((await runCommand(home, 'off')).out).toBe('Off.\n');
  expect((await runCommand(home, 'pause', '1h30m')).out).toBe('Paused \\u202e.\n');
  expect(JSON.parse((await runCommand(home, 'pause', 'restart', '--json')).out)).toEqual({
    verdict: paused.verdict,
    protection: paused.protection,
    sentence: paused.sentence,
  });
  expect(asked).toEqual([{ minutes: 90 }, { untilRestart: true }]);
});

test('upstream list and test', async () => {
  const home = await serve({
    'upstream.list': () => succeed({ upstreams: [someUpstream(), someUpstream({ id: 'broken' })] }),
    'upstream.test': ({ id }) => {
      const impostor = {
        address: '192.0.2.2:853',
        code: 'certificate-name',
        text: 'not\u202e him',
      };
      if (id === 'quad9') return succeed(someReport({ tried: [impostor] }));
      if (id !== 'broken')
        return fail('unknown-upstream', `no upstream "${id}"`, 'see: sotto upstream list', id);
      const steps = [
        { at: 3, step: 'failed' as const, text: 'certificate is for evil\u202e.example' },
      ];
      return succeed(
        someReport({
          ok: false,
          error: { code: 'certificate', message: 'wrong name' },
          steps,
          tls: null,
          chain: [],
        }),
      );
    },
  });
  const list = await runCommand(home, 'upstream', 'list');
  expect(list.out).toMatch(
    /^upstream +by +address +state +tls +latency +answered +failed +kept warm +cost +last error\nquad9 .* 3 of 60 an hour, told 10 s/,
  );
  expect(
    JSON.parse((await runCommand(home, 'upstream', 'list', '--json')).out).upstreams,
  ).toHaveLength(2);

  const one = await runCommand(home, 'upstream', 'test', 'quad9');
  expect(one.code).toBe(0);
  expect(one.out).toContain('   10.10 ms  connect   TCP connection to 192.0.2.1:853');
  expect(one.out).toContain(
    'TLS 1.3, TLS13_AES_256_GCM_SHA384, X25519MLKEM768, resumed, name dns.example.net checked',
  );
  expect(one.out).toContain('pin AAAA=');

  const all = await runCommand(home, 'upstream', 'test');
  expect(all.code).toBe(1);
  expect(all.out).toContain('certificate is for evil\\u202e.example');
  expect(all.out).toContain('broken failed: wrong name');

  expect(all.out).toContain('  tried in vain: 192.0.2.2:853: not\\u202e him\n');

  const json = await runCommand(home, 'upstream', 'test', '--json');
  expect(
    json.out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).id),
  ).toEqual(['quad9', 'broken']);

  const unknown = await runCommand(home, 'upstream', 'test', 'nobody');
  expect(unknown.code).toBe(2);
  expect(unknown.errors).toBe(
    'sotto: no upstream "nobody" – nothing was tried – see: sotto upstream list\n',
  );
});

test('upstream forget says how many tickets there were', async () => {
  const tickets = new Map([['quad9', 4]]);
  const home = await serve({
    'upstream.forget': ({ id = 'quad9' }) => {
      if (id !== 'quad9')
        return fail('unknown-upstream', `no upstream "${id}"`, 'see the list', id);
      const dropped = tickets.get(id) ?? 0;
      tickets.delete(id);
      return succeed({ tickets: dropped, evidence: dropped > 0 });
    },
  });
  const first = await runCommand(home, 'upstream', 'forget', 'quad9');
  expect(first).toMatchObject({
    code: 0,
    out: "4 tickets dropped; the next connection is a stranger's\n",
  });
  const again = await runCommand(home, 'upstream', 'forget');
  expect(again.out).toBe(
    "no ticket was kept; the next connection is a stranger's\nwhat its servers have proved is still known, because only an administrator may make Sotto forget it\n",
  );
  const json = await runCommand(home, 'upstream', 'forget', '--json');
  expect(JSON.parse(json.out)).toEqual({ tickets: 0, evidence: false });
  expect((await runCommand(home, 'upstream', 'forget', 'nobody')).code).toBe(2);
});

test('query shows the answer, its price and where the time went', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'query.ask': (params) => {
      asked.push(params);
      return succeed({
        event: someEvent({ cost: 'cold', roundTrips: 3, handshakeMs: 38 }),
        response: someMessage(),
      });
    },
  });
  const { code, out } = await runCommand(home, 'query', 'cdn.example.com', 'aaaa');
  expect(code).toBe(0);
  expect(asked).toEqual([{ name: 'cdn.example.com', type: 'AAAA' }]);
  expect(out.split('\n')).toEqual([
    'cdn.example.com  A  NOERROR  (qr rd ra)',
    'answer:',
    '  cdn.example.com  300 s  A  192.0.2.7',
    '',
    'forwarded by quad9 over dot (cold, 3 round trips, handshake 38.0 ms, 130 → 470 octets) in 12.0 ms',
    '  policy 0.01 ms   cache 0.02 ms   connect 0.00 ms   wait 11.9 ms   response 0.05 ms',
    '',
  ]);
  await runCommand(home, 'query', 'bücher.example');
  expect(asked[1]).toEqual({ name: 'xn--bcher-kva.example', type: 'A' });
  const json = JSON.parse((await runCommand(home, 'query', 'cdn.example.com', '--json')).out);
  expect(json).toEqual({
    ...someEvent({ cost: 'cold', roundTrips: 3, handshakeMs: 38 }),
    response: someMessage(),
  });
});

test.each([
  ['NXDOMAIN', 0],
  ['SERVFAIL', 1],
  ['REFUSED', 1],
])('query ends with %s: exit code %i', async (rcode, expected) => {
  const response = someMessage({
    rcode,
    answer: [],
    edns: {
      udpSize: 1232,
      version: 0,
      dnssecOk: false,
      extendedErrors: [{ code: 22, text: 'no path \u009b' }],
      keepaliveMs: null,
      padded: true,
    },
  });
  const home = await serve({
    'query.ask': () => succeed({ event: someEvent({ rcode }), response }),
  });
  const { code, out } = await runCommand(home, 'query', 'x.example');
  expect(code).toBe(expected);
  expect(out).toContain('extended error 22: no path \\x9b');
});

test('config show tells value, source, lock and reason', async () => {
  const setting = {
    key: 'queryLog.keepDays',
    value: 30,
    label: 'Keep queries for',
    help: '',
    unit: 'days',
    source: { layer: 'policy' as const, file: '/etc/sotto/policy.d/a.json' },
    locked: true,
    hidden: false,
    lockedBy: 'ACME',
    reason: 'retention rule 7',
  };
  const upstreams = {
    ...setting,
    key: 'upstreams',
    value: [
      { id: 'a', address: '192.0.2.1' },
      { id: 'b\u202e', address: '192.0.2.2' },
    ],
    unit: null,
    source: { layer: 'default' as const, file: null },
    locked: false,
    hidden: false,
    lockedBy: null,
    reason: null,
  };
  const settings = [setting, upstreams];
  const home = await serve({
    'settings.effective': () => succeed({ settings, revision: 'r1' }),
  });
  const { out } = await runCommand(home, 'config', 'show');
  expect(out).toMatch(
    /queryLog\.keepDays +30 days +policy \(.*a\.json\) +locked by ACME: retention rule 7/,
  );
  expect(out).toMatch(
    /^upstreams +2 below +default\n {4}id "a", address "192\.0\.2\.1"\n {4}id "b\\u202e"/m,
  );
  expect(JSON.parse((await runCommand(home, 'config', 'show', '--json')).out)).toEqual({
    settings,
    revision: 'r1',
  });
});

test('without a service every command that needs one ends with 3 and says how to start it', async () => {
  const home = join(await serve({}), 'nobody-here');
  const needing = [
    ['status'],
    ['on'],
    ['log'],
    ['log', '--follow'],
    ['stats'],
    ['stats', '--follow'],
    ['cache', 'flush'],
    ['upstream', 'list'],
    ['query', 'a.example'],
    ['config', 'show'],
  ];
  const ran = await Promise.all(needing.map((words) => runCommand(home, ...words)));
  for (const { code, errors } of ran) {
    expect([code, errors]).toEqual([
      3,
      'sotto: Sotto is not running – nothing answers queries on its addresses – start it with: sotto run\n',
    ]);
  }
  const { out, errors } = await runCommand(home, 'status', '--json');
  expect(out).toBe('');
  expect(JSON.parse(errors)).toEqual({
    error: {
      code: 'not-running',
      message: 'Sotto is not running',
      remedy: 'start it with: sotto run',
    },
  });
});

test.concurrent.each([
  [['nonsense'], /unknown command 'nonsense'/],
  [['log', '--outcome', 'lost'], /argument 'lost' is invalid/],
  [['log', '--limit', '-3'], /"-3" is not a number of rows/],
  [['log', 'export', '--format', 'xml'], /csv, ndjson/],
  [['pause'], /the duration is missing/],
  [['pause', '8d'], /longer than a pause may last/],
  [['query'], /missing required argument 'name'/],
  [['query', 'a', 'A', '--pin', 'x'], /--pin needs --at/],
  [['query', 'a', 'A', '--at', 'doh://192.0.2.1#a.example'], /transport "doh" is not available/],
  [['query', 'a', 'A', '--at', 'dot://dns.example'], /"dns\.example" is not an IP address/],
  [['query', 'a', 'A', '--at', 'dot://192.0.2.1'], /can't tell the server from an impostor/],
  [['query', 'a', 'A', '--at', 'udp://192.0.2.1#dns.example'], /would protect nothing/],
  [['query', 'a', 'A', '--at', 'dot://192.0.2.1', '--pin', 'short'], /"short" is not a pin/],
  [['query', 'a', 'A', '--at', 'dot://192.0.2.1#a', '--starttls', 'draft'], /belongs to tdns/],
  [['query', 'a', 'A', '--at', 'tdns://192.0.2.1#a', '--ca', '/nowhere'], /can't read \/nowhere/],
  [['query', 'a', 'A', '--at', 'udp://192.0.2.1', '--timeout', 'soon'], /"soon" is not a duration/],
])('wrong usage %j: exit code 2 and a remedy', async (words, message) => {
  const { code, out, errors } = await runCommand('/nonexistent', ...words);
  expect([code, out]).toEqual([2, '']);
  expect(errors).toMatch(message);
  expect(errors).toMatch(/^sotto: .* – .* – .*\n$/);
});

test.concurrent.each([
  'run',
  'status',
  'on',
  'off',
  'pause',
  'log',
  'upstream',
  'cache',
  'stats',
  'doctor',
  'query',
  'config',
  'completion',
])('help of %s teaches by example and names the exit codes', async (command) => {
  const { code, out } = await runCommand('/nonexistent', command, '--help');
  expect(code).toBe(0);
  expect(out).toContain(`\nExamples:\n  sotto ${command}`);
  expect(out).toContain('3  the service is not running');
  expect((await runCommand('/nonexistent', 'help', command)).out).toBe(out);
});
