/** The command line, the service and the engine together; what they answer themselves needs no upstream. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: two tests may not be given the same port.
import { freePort } from '../../e2e/rig/ports.ts';
import type { Finding } from '../contract/status/finding.ts';
import { connectToService } from '../service-client/service-client.ts';
import { finished, type Ran, runCommand, startCommand } from './fixtures/fake-service.ts';

const addon = fileURLToPath(new URL('../../target/addon/sotto.node', import.meta.url));
const mainFile = fileURLToPath(new URL('./main.ts', import.meta.url));
const unbuilt = existsSync(addon) ? null : 'the native engine is not built: run npm start once';

let home: string;
let port: number;
let ended: Promise<Ran> | undefined;
let stop: (signal?: NodeJS.Signals) => void = () => {};

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'sotto-run-'));
  port = await freePort();
  writeFileSync(
    join(home, 'settings.json'),
    JSON.stringify({
      listen: [`127.0.0.1:${port}`],
      // No server answers there, so what needs an upstream is refused.
      upstreams: [{ id: 'nobody', transport: 'dot', address: '127.0.0.1:1', name: 'dns.example' }],
    }),
  );
});

afterEach(async () => {
  stop('SIGKILL');
  await ended;
  ended = undefined;
  rmSync(home, { recursive: true, force: true });
});

async function run(): Promise<void> {
  const child = startCommand(home, 'run');
  stop = (signal) => child.kill(signal);
  ended = finished(child);
  const socket = join(home, 'control.sock');
  const outcome = await Promise.race([
    ended,
    vi.waitUntil(() => isServed(socket), { timeout: 60_000, interval: 20 }),
  ]);
  if (typeof outcome === 'object') throw new Error(`the service ended: ${outcome.errors}`);
}

async function isServed(socket: string): Promise<boolean> {
  const connected = await connectToService(socket, 'test');
  if (connected.ok) connected.value.close();
  return connected.ok;
}

test('run, ask, look at the log, stop', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  await run();
  const status = JSON.parse((await runCommand(home, 'status', '--json')).out);
  expect(status.listening).toEqual([`127.0.0.1:${port}`]);

  const asked = await runCommand(home, 'query', 'localhost', 'A', '--json');
  expect(asked.code).toBe(0);
  expect(JSON.parse(asked.out)).toMatchObject({
    name: 'localhost',
    type: 'A',
    outcome: 'local',
    cost: 'none',
  });

  const straight = await runCommand(
    home,
    'query',
    'localhost',
    'A',
    '--at',
    `udp://127.0.0.1:${port}`,
  );
  expect(straight.out).toMatch(
    /^udp is cleartext: everyone on the way can read this query \(ledger entry 1\)\./,
  );
  expect(straight.out).toMatch(/ms {2}query /);
  expect(straight.out).toContain('127.0.0.1');
  expect(straight.code).toBe(0);

  const refused = await runCommand(home, 'query', 'www.example.com', '--json');
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.out).response.rcode).toBe('SERVFAIL');

  const stats = JSON.parse((await runCommand(home, 'stats', '--json')).out);
  expect(stats).toMatchObject({ queries: 3, outcomes: { local: 2, refused: 1 } });
  const cache = JSON.parse((await runCommand(home, 'cache', 'stats', '--json')).out);
  expect(cache).toMatchObject({ entries: 0, octets: 0 });
  expect(cache.capacity).toBeGreaterThan(1_000_000);
  expect((await runCommand(home, 'cache', 'show', 'www.example.com')).errors).toBe(
    'Nothing is kept of www.example.com.\n',
  );
  expect((await runCommand(home, 'cache', 'flush', '--suffix', 'example.com')).out).toBe(
    '0 responses forgotten.\n',
  );
  const wrong = await runCommand(home, 'cache', 'flush', '--name', 'a..b');
  expect(wrong.code).toBe(2);
  expect(wrong.errors).not.toContain('{');

  await vi.waitUntil(async () => (await logged()).length >= 3, { timeout: 60_000, interval: 50 });
  expect((await logged()).map(({ name }) => name)).toEqual([
    'localhost',
    'localhost',
    'www.example.com',
  ]);

  const second = await runCommand(home, 'run');
  expect(second.code).toBe(1);
  expect(second.errors).toMatch(/already running, pid \d+ – a second service was not started/);

  expect(await runCommand(home, 'stop')).toMatchObject({ code: 0, out: 'Sotto has stopped.\n' });
  const { code, errors } = (await ended) ?? { code: null, errors: '' };
  expect(code).toBe(0);
  expect(errors).not.toContain('example.com');
  expect((await runCommand(home, 'status')).code).toBe(3);
});

async function findings(): Promise<{ code: number | null; found: Finding[] }> {
  const { code, out } = await runCommand(home, 'doctor', '--json');
  const lines = out.split('\n').filter(Boolean);
  return { code, found: lines.map((text) => JSON.parse(text)) };
}

test('doctor asks the addresses, tests the upstreams, and says what to do', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  await run();
  let found: Finding[] = [];
  const of = (check: string) => found.find((finding) => finding.check === check);
  const fine = ['node', 'engine', 'settings', 'ledger', 'ledger-file', 'loops', 'clock', 'disk'];
  // A check has three seconds, which may be too short where the machine stands still.
  await expect
    .poll(async () => {
      const ran = await findings();
      expect(ran.code).toBe(1);
      found = ran.found;
      return [...fine, 'listening'].map((check) => [check, of(check)?.verdict]);
    })
    .toEqual([...fine, 'listening'].map((check) => [check, 'ok']));
  expect(of('service')).toMatchObject({ verdict: 'ok' });
  expect(of('listening')).toMatchObject({
    subject: `127.0.0.1:${port}`,
    verdict: 'ok',
    text: expect.stringMatching(/answers over UDP in .* ms, TCP in .* ms\.$/),
  });
  expect(of('upstream')).toMatchObject({
    subject: 'nobody',
    verdict: 'fail',
    text: expect.stringContaining('127.0.0.1:1: can'),
    remedy: expect.stringContaining('check the network'),
  });
  expect(of('path')).toMatchObject({ verdict: 'fail' });
  expect(of('query-log')).toMatchObject({ verdict: 'ok' });
  expect(of('guardian')).toMatchObject({
    verdict: 'warn',
    remedy: expect.stringMatching(/--guarded/),
  });
  expect(of('policy-in-force')).toMatchObject({
    text: expect.stringMatching(/"refuse", by the def/),
  });
  expect(of('network')).toMatchObject({ text: expect.stringMatching(/^The network is /) });
  const said = await runCommand(home, 'doctor');
  expect(said.out).toMatch(/\nfail {2}upstream .*\n {21,}→ check the network/);
  expect(said.out).toMatch(/\n\d+ fine, \d+ to look at, [23] failed\.\n$/);
});

test('doctor without a service tests what can be tested', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const { code, found } = await findings();
  await new Promise((resolve) => other.close(resolve));
  expect(code).toBe(1);
  expect(found.filter(({ verdict }) => verdict === 'fail')).toMatchObject([
    { check: 'service', remedy: 'start it with: sotto run' },
    { check: 'listening', text: `127.0.0.1:${port} is taken by another program.` },
    { check: 'upstream', subject: 'nobody' },
  ]);
  const free = await findings();
  expect(free.found).toContainEqual(
    expect.objectContaining({ check: 'listening', verdict: 'ok', subject: `127.0.0.1:${port}` }),
  );
});

test('doctor names errors in the settings and goes on', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  writeFileSync(join(home, 'settings.json'), '{\n"cahce": {} }');
  const { code, found } = await findings();
  expect(code).toBe(1);
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'settings',
      verdict: 'fail',
      text: expect.stringMatching(/settings\.json:2: cahce: unknown field/),
    }),
  );
  expect(found.map(({ check }) => check)).toContain('disk');
});

/** Provides a terminal; a program of util-linux. */
const lender = 'script';

test('on a terminal run says in one line where and how to ask', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  if (spawnSync(lender, ['--version']).status !== 0)
    skip(`${lender} (util-linux) is not installed`);
  const child = spawn(
    lender,
    ['-qefc', `"${process.execPath}" "${mainFile}" run --home "${home}" 2>/dev/null`, '/dev/null'],
    { env: { ...process.env, NO_COLOR: '1' } },
  );
  stop = (signal) => child.kill(signal);
  ended = finished(child);
  let said = '';
  child.stdout.on('data', (part) => {
    said += part;
  });
  // A terminal may hand over the end of a line by itself.
  await expect.poll(() => said).toContain('\n');
  expect(said).toBe(
    `Sotto listens on 127.0.0.1:${port}. Ask it: dig @127.0.0.1 -p ${port} example.com. Stop it with Ctrl-C.\r\n`,
  );
  child.stdin.write('\u0003');
  await ended;
  expect(existsSync(join(home, 'control.sock'))).toBe(false);
});

test('a server that can’t be reached: each step told, exit code 1', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  const { code, out } = await runCommand(
    home,
    'query',
    'a.example',
    'A',
    '--at',
    'dot://127.0.0.1:1#dns.example',
  );
  expect(code).toBe(1);
  expect(out).toMatch(/ms {2}failed {4}/);
  expect(out).toMatch(/\nno response: .*127\.0\.0\.1:1/);
});

test('settings with an error: run names each by line and path', async ({ skip }) => {
  if (unbuilt !== null) skip(unbuilt);
  writeFileSync(join(home, 'settings.json'), '{\n"listen": [],\n"colour": 1 }');
  const { code, errors } = await runCommand(home, 'run');
  expect(code).toBe(2);
  expect(errors).toMatch(/listen/);
  expect(errors).toMatch(/colour: unknown field.* – it would not be used – correct the settings/);
});

async function logged(): Promise<{ name: string }[]> {
  const { out } = await runCommand(home, 'log', '--json');
  return out
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));
}
