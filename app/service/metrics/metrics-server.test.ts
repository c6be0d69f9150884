/** The server of metrics, with clients that ask as they should not. */
import { once } from 'node:events';
import { lstatSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: two tests may not be given the same port.
import { freePort } from '../../../e2e/rig/ports.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { type ServerParts, serveMetrics, startServing } from './metrics-server.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const place = () => `unix:${join(folder.path, 'metrics.sock')}`;

function parts(changes: Partial<ServerParts> = {}): ServerParts {
  return {
    place: place(),
    isShared: false,
    write: async (format) => `${format}\n`,
    onBug(error) {
      throw error;
    },
    ...changes,
  };
}

async function serve(changes: Partial<ServerParts> = {}): Promise<void> {
  const serving = await serveMetrics(parts(changes));
  if (!serving.ok) throw new Error(serving.failure.message);
  onTestFinished(() => serving.value.close());
}

async function ask(at: object, headers: object = {}, method = 'GET', path = '/metrics') {
  const sent = request({ ...at, path, method, headers: { ...headers }, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const piece of response) text += piece;
  return { status: response.statusCode as number, type: response.headers['content-type'], text };
}

const onSocket = () => ({ socketPath: join(folder.path, 'metrics.sock') });

test('who asks for OpenMetrics gets it, and everybody else the older format', async () => {
  await serve();
  const accept = 'application/openmetrics-text; version=1.0.0; charset=utf-8,text/plain;q=0.5';
  expect(await ask(onSocket(), { accept })).toEqual({
    status: 200,
    type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    text: 'openmetrics\n',
  });
  expect(await ask(onSocket())).toMatchObject({ status: 200, text: 'prometheus\n' });
  expect(await ask(onSocket(), {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
});

describe('refused is', () => {
  test.each([
    ['another path', {}, 'GET', '/', 404],
    ['another method', {}, 'POST', '/metrics', 405],
    ['a body', { 'content-length': '5' }, 'GET', '/metrics', 413],
    ['a page of a site', { origin: 'https://evil.example' }, 'GET', '/metrics', 403],
    ['what a browser loads', { 'sec-fetch-site': 'cross-site' }, 'GET', '/metrics', 403],
  ] as const)('%s', async (_what, headers, method, path, status) => {
    const write = vi.fn(async () => '');
    await serve({ write });
    expect(await ask(onSocket(), headers, method, path)).toMatchObject({ status, text: '' });
    expect(write).not.toHaveBeenCalled();
  });

  test('a name that only leads here (DNS rebinding)', async () => {
    const port = await freePort();
    await serve({ place: `127.0.0.1:${port}` });
    const at = { host: '127.0.0.1', port };
    const statusFor = async (host: string) => (await ask(at, { host })).status;
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(`LOCALHOST:${port}`)).toBe(200);
    expect(await statusFor(`evil.example:${port}`)).toBe(403);
    expect(await statusFor('127.0.0.1')).toBe(403);
  });

  test('a request with too long a header', async () => {
    await serve({ limits: { headerOctets: 1024 } });
    expect(await ask(onSocket(), { cookie: 'a'.repeat(2000) })).toMatchObject({ status: 431 });
  });
});

async function raw(text: string) {
  const socket = connect(onSocket().socketPath);
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

/** Unlike `once`, also where it ends with an error. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

test('who is slow to ask is cut off', async () => {
  await serve({ limits: { milliseconds: 200 } });
  const asking = await raw('GET /metrics HT');
  asking.resume();
  await closed(asking);
});

test('who is slow to read is cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await serve({ limits: { milliseconds: 200 }, write: async () => 'a'.repeat(32 * 1024 * 1024) });
  const reading = await raw('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(reading, 'readable');
  vi.advanceTimersByTime(200);
  // Of a connection that is not read, the end is not seen either.
  reading.resume();
  await closed(reading);
  expect(reading.bytesRead).toBeLessThan(32 * 1024 * 1024);
});

test('more connections than there is room for are closed at once', async () => {
  await serve({ limits: { connections: 2 } });
  const held = [await raw(''), await raw('')];
  const third = await raw('');
  third.resume();
  await closed(third);
  held[0]?.destroy();
  await expect.poll(() => ask(onSocket()).catch(() => null)).toMatchObject({ status: 200 });
  held[1]?.destroy();
});

describe('a Unix socket', () => {
  const path = () => onSocket().socketPath;

  test.each([
    [false, 0o600],
    [true, 0o666],
  ])('is open to other accounts: %s', async (isShared, mode) => {
    await serve({ isShared });
    expect(lstatSync(path()).mode & 0o777).toBe(mode);
  });

  test('takes the place of one that nobody serves any more', async () => {
    const left = createServer();
    await once(left.listen(path()), 'listening');
    // As a killed process leaves it: bound once, with no process behind it.
    const { renameSync } = await import('node:fs');
    renameSync(path(), `${path()}.kept`);
    await new Promise((resolve) => left.close(resolve));
    renameSync(`${path()}.kept`, path());
    await serve();
    expect(await ask(onSocket())).toMatchObject({ status: 200 });
  });

  test('takes the place of neither a file nor a socket that is served', async () => {
    writeFileSync(path(), 'a file');
    expect(await serveMetrics(parts())).toMatchObject({
      failure: { code: 'listen-failed', message: expect.stringContaining('something else') },
    });
    const other = `unix:${join(folder.path, 'other.sock')}`;
    await serve({ place: other });
    expect(await serveMetrics(parts({ place: other }))).toMatchObject({
      failure: { message: expect.stringContaining('another program listens there') },
    });
  });
});

test('a place that is taken is told, and had as soon as it is free', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const port = await freePort();
  const other = createServer();
  await once(other.listen(port, '127.0.0.1'), 'listening');
  const told: (string | null)[] = [];
  const taken = `127.0.0.1:${port}`;
  const end = startServing({ ...parts({ place: taken }), onTrouble: (why) => told.push(why) });
  onTestFinished(() => end());
  await expect.poll(() => told.length).toBe(1);
  expect(told[0]).toMatch(/^127\.0\.0\.1:\d+: .*in use/);
  await new Promise((resolve) => other.close(resolve));
  vi.advanceTimersByTime(30_000);
  await expect.poll(() => told).toEqual([expect.any(String), null]);
});
