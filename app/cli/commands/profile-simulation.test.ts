/** `sotto profile simulate`: what is asked of the service, and how its reply reads. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Params, ResultOf } from '../../contract/service-api.ts';
import type { SimulatedDecision, Simulation } from '../../contract/settings/simulation.ts';
import { finished, type Ran, runCommand, serve, startCommand } from '../fixtures/fake-service.ts';

const facts = { id: 'example-corp', serial: 8, issuer: 'Example Corp', name: 'Laptops' };
let folder = '';
let home = '';
let wanted: Params<'profile.simulate'>[] = [];
let reply: ResultOf<'profile.simulate'>;

const decision = (more: Partial<SimulatedDecision>): SimulatedDecision => ({
  ...{ verdict: 'forward', fate: 'private', rule: '', servers: ['far'] },
  ...{ at: 'dot://192.0.2.1:853#dns.example', group: '', below: 'refuse' },
  ...more,
});
const nothing: Simulation = {
  ...{ cannot: null, protection: 'on', queries: 1200, since: 0, unresolved: 0, changed: 0 },
  ...{ totals: [], changes: [], untried: [] },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-simulation-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  wanted = [];
  const judged = { profile: facts, refusal: null, problems: [], waiting: [], kept: [] };
  reply = { ...judged, simulation: nothing };
  home = await serve({
    'profile.simulate': (params) => {
      wanted.push(params);
      return { ok: true, value: reply };
    },
  });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const simulate = (...words: string[]): Promise<Ran> =>
  runCommand(home, 'profile', 'simulate', ...words);

test('a version is handed over with what was said of it', async () => {
  const octets = JSON.stringify(facts);
  const file = write('corp.json', octets);
  const { code, out } = await simulate(file, '--approved', '--allow', 'bypass,log', '--last', '50');
  expect(code).toBe(0);
  expect(wanted).toEqual([
    {
      profile: Buffer.from(octets).toString('base64'),
      approved: true,
      grants: ['bypass', 'log'],
      last: 50,
    },
  ]);
  expect(
    out,
  ).toBe(`"Laptops" of Example Corp (example-corp, serial 8), simulated: nothing came into force.
Nothing would change for the 1200 queries since 1970-01-01 00:00.
`);
  await simulate();
  expect(wanted[1]).toEqual({});
});

test('changes are told with what was, what would be, and names', async () => {
  const gone = { at: null, group: null, below: null };
  const cleartext = decision({
    ...gone,
    verdict: 'bypass',
    fate: 'clear',
    rule: 'list:4711:3f2a9c81d0e4b7a6',
  });
  reply = {
    ...reply,
    refusal: {
      code: 'profile-refused',
      message: 'it is over',
      remedy: 'get another',
      subject: null,
    },
    problems: ['corp.json:3 downgade: no such setting'],
    waiting: [
      { key: 'rungs', grant: 'rungs' },
      { key: 'listen', grant: null },
    ],
    kept: ['cache.entries'],
    simulation: {
      ...nothing,
      changed: 30,
      unresolved: 2,
      protection: 'paused',
      totals: [
        { kind: 'elsewhere', queries: 10 },
        { kind: 'upstream', queries: 20 },
      ],
      changes: [
        {
          ...{ kind: 'elsewhere', queries: 10, names: ['a.corp.example', 'b\u001b[2J.example'] },
          ...{ before: decision({}), after: { ...cleartext, servers: ['192.0.2.53:53'] } },
        },
        {
          ...{ kind: 'upstream', queries: 15, names: ['x.example'] },
          ...{
            before: decision({}),
            after: decision({ servers: ['work'], group: 'work', at: 'dot://192.0.2.9:853' }),
          },
        },
      ],
      untried: ['work'],
    },
  };
  const { out, code } = await simulate();
  expect(code).toBe(0);
  expect(
    out,
  ).toBe(`"Laptops" of Example Corp (example-corp, serial 8), simulated: nothing came into force.
! This machine would not take it now: it is over; get another.
! corp.json:3 downgade: no such setting
! rungs would wait ("rungs"), and is not in this; --approved puts it in
! listen would never hold: no profile may do this
! cache.entries: not readable in it, so what holds now would go on
! Protection is paused, so most queries are decided by that, and not by settings.
Something would change for 30 of 1200 queries since 1970-01-01 00:00:
  2 of them are resolved by no settings: zone transfers, other classes than IN, no names
! 10 would leave unencrypted by a bypass rule, or to other resolvers than now
    10: encrypted to far at dot://192.0.2.1:853#dns.example, else refuse → unencrypted to 192.0.2.53:53 (one of 4711 rules)
      a.corp.example, b\\x1b[2J.example …
  20 would go to another upstream
    15: encrypted to far at dot://192.0.2.1:853#dns.example, else refuse → encrypted to work at dot://192.0.2.9:853 of the group work, else refuse
      x.example …
    and 5 more
! work was never reached from here: whether it can be, nobody knows; try it: sotto query example.com --at dot://192.0.2.9:853
`);
});

test('queries of one’s own come from dnsperf’s files and from the log, alike ones together', async () => {
  const file = write(
    'names.txt',
    '# of a day\na.example\na.example A 2\n\nb.example AAAA\r\n{"name":"b.example","type":"AAAA","outcome":"cached"}\n',
  );
  await simulate('--queries', file);
  const running = startCommand(home, 'profile', 'simulate', '--queries', '-', '--json');
  running.stdin.end('c.example https\n');
  const piped = await finished(running);
  expect(JSON.parse(piped.out)).toEqual(reply);
  expect(wanted.map(({ queries }) => queries)).toEqual([
    [
      { name: 'a.example', type: 'A', times: 3 },
      { name: 'b.example', type: 'AAAA', times: 2 },
    ],
    [{ name: 'c.example', type: 'HTTPS', times: 1 }],
  ]);
});

test('more than one request has room for go in several, and are one result', async () => {
  const lines = Array.from({ length: 12_000 }, (_, index) => `n${index}.example`);
  const { out } = await simulate('--queries', write('names.txt', lines.join('\n')));
  expect(wanted.map(({ queries }) => queries?.length)).toEqual([5000, 5000, 2000]);
  expect(out).toContain('the 3600 queries');
});

test.each([
  ['log-off', 'The query log is off'],
  ['log-counts', 'keeps counts and no names'],
  ['log-domains', 'keeps registrable domains'],
] as const)('%s: it says that it cannot', async (cannot, said) => {
  reply = { ...reply, simulation: { ...nothing, cannot, queries: 0, since: null } };
  const { out } = await simulate();
  expect(out).toContain(said);
  expect(out).toContain('--queries FILE');
  expect(out).not.toContain('would change');
});

test.each([
  [['--last', '0'], /not a number of queries/],
  [['--last', '1000001'], /from 1 to 1000000/],
  [['--allow', 'everything'], /nothing that can be allowed/],
  [['--queries', 'missing'], /no such file/],
  [['--queries', 'empty'], /there are no queries in it/],
  [['--queries', 'wrong'], /line 2 of .*wrong is no query.*NAME \[TYPE/],
  [['--queries', 'broken'], /line 1 of .*broken is no query/],
  [['missing.json'], /no such file/],
])('%j fails with a remedy', async (words, reason) => {
  write('empty', '# nothing\n');
  write('wrong', 'a.example\na.example A 0\n');
  write('broken', '{"name": 7}\n');
  const there = words.map((word) =>
    /^[a-z.]+$/.test(word) && word !== 'everything' ? join(folder, word) : word,
  );
  const { code, errors } = await simulate(...there);
  expect([code, errors]).toEqual([2, expect.stringMatching(reason)]);
  expect(wanted).toEqual([]);
});

test('who may not read the log is told both ways on', async () => {
  const refusing = await serve({
    'profile.simulate': () => ({
      ok: false,
      failure: { code: 'forbidden', message: 'only an administrator', remedy: 'x', subject: null },
    }),
  });
  const { code, errors } = await runCommand(refusing, 'profile', 'simulate');
  expect(code).not.toBe(0);
  expect(errors).toContain('sudo');
  expect(errors).toContain('--queries FILE');
});
