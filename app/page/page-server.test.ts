/** What the page's server lets in, tried over real sockets: most of it must not be. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fail, succeed } from '../contract/errors.ts';
import type { NotificationName } from '../contract/service-api.ts';
import type { ConnectedService } from '../service-client/service-client.ts';
import { type PageServer, servePage } from './page-server.ts';

let folder = '';
let page: PageServer;
let service: FakeService;
let running = true;
const authority = { ask: async () => succeed(null) };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-page-test-'));
  mkdirSync(join(folder, 'page', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'page', 'index.html'), '<title>Sotto</title>');
  writeFileSync(join(folder, 'page', 'assets', 'index-1.js'), 'code');
  writeFileSync(join(folder, 'secret.html'), 'secret');
  service = fakeService();
  running = true;
  page = await servePage({
    connect: async () => (running ? succeed(service) : fail('not-running', 'no', 'start it')),
    authority,
    files: join(folder, 'page'),
  });
});
afterEach(async () => {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
});

const here = () => page.address.slice(0, -1);
const code = () => page.handover.url.split('#code=')[1] ?? '';

describe('what comes from elsewhere', () => {
  test.each(['localhost', 'sotto.example', '127.0.0.1', '127.0.0.1:1', '[::1]'])(
    'a Host of %s is turned away, whatever it asks (DNS rebinding)',
    async (host) => {
      expect((await send('GET', '/', { host })).status).toBe(403);
      expect((await send('POST', '/session', { host, body: { code: code() } })).status).toBe(403);
    },
  );

  test.each(['https://sotto.example', 'http://localhost', 'null', 'http://127.0.0.1:1'])(
    'an Origin of %s is turned away',
    async (origin) => {
      expect((await send('POST', '/session', { origin, body: { code: code() } })).status).toBe(403);
      expect((await send('GET', '/', { origin })).status).toBe(403);
    },
  );

  test('what acts must say its origin', async () => {
    const answer = await send('POST', '/session', { origin: null, body: { code: code() } });
    expect(answer.status).toBe(403);
  });

  test('neither was a use of the code', async () => {
    await send('POST', '/session', { origin: 'https://sotto.example', body: { code: code() } });
    expect(await letIn()).toMatch(/^[\w-]{43}$/);
  });
});

describe('the code', () => {
  test('is exchanged once', async () => {
    await letIn();
    expect((await send('POST', '/session', { body: { code: code() } })).status).toBe(401);
  });

  test.each([{}, { code: '' }, { code: 'guess' }, { code: 7 }, null])('is not %j', async (body) => {
    expect((await send('POST', '/session', { body })).status).toBe(401);
    expect(await letIn()).toBeTruthy();
  });

  test('is short: nobody without it is read for longer', async () => {
    const long = JSON.stringify({ code: 'x'.repeat(10_000) });
    expect((await send('POST', '/session', { raw: long })).status).toBe(413);
    expect((await send('POST', '/session', { raw: long, chunked: true })).status).toBe(413);
    expect(await letIn()).toBeTruthy();
  });

  test('lies in a file of its owner alone, which goes as soon as it was used', async () => {
    const { file, fileUrl } = page.handover;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(fileUrl).not.toContain(code());
    await letIn();
    await expect.poll(() => existsSync(dirname(file))).toBe(false);
  });

  test('goes with the server', async () => {
    await page.close();
    expect(existsSync(page.handover.file)).toBe(false);
  });
});

describe('without a token', () => {
  test.each(['/connections', '/connections/any/status.get', '/anything'])(
    '%s is closed',
    async (path) => {
      expect((await send('POST', path, { body: {} })).status).toBe(401);
      expect((await send('POST', path, { body: {}, token: 'guess' })).status).toBe(401);
      expect(service.calls).toEqual([]);
    },
  );
});

describe('files', () => {
  test('the page, which may load nothing from elsewhere and nothing inline', async () => {
    const { status, headers, text } = await send('GET', '/');
    expect(status).toBe(200);
    expect(text).toBe('<title>Sotto</title>');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'[ ;]/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('its parts, by their names', async () => {
    const { status, headers } = await send('GET', '/assets/index-1.js');
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
  });

  test.each([
    '/../secret.html',
    '/assets/../../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '//secret.html',
    '/assets',
    '/index.html',
    '/?x',
  ])('%s is no page', async (path) => {
    expect((await send('GET', path)).status).toBe(404);
  });
});

describe('calls', () => {
  test('reach the service on the connection they belong to', async () => {
    const token = await letIn();
    const stream = await openConnection(token);
    const { connection, hello } = await stream.line();
    expect(hello).toEqual({ ok: true, value: service.hello });
    const path = `/connections/${connection}/upstream.test`;
    const { text } = await send('POST', path, { token, body: { id: 'far' } });
    expect(JSON.parse(text)).toEqual({ ok: true, value: { echo: { id: 'far' } } });
    expect(service.calls).toEqual([['upstream.test', { id: 'far' }]]);

    service.tell('ledger.changed', { id: 1 });
    expect(await stream.line()).toEqual({ name: 'ledger.changed', payload: { id: 1 } });
    stream.end();
    await expect.poll(() => service.closed).toBe(true);
    expect(JSON.parse((await send('POST', path, { token, body: {} })).text)).toMatchObject({
      failure: { code: 'connection-lost' },
    });
  });

  test.each(['hello', 'constructor', '__proto__', 'toString', 'status.destroy'])(
    '%s is no method',
    async (method) => {
      const token = await letIn();
      const stream = await openConnection(token);
      const { connection } = await stream.line();
      const answer = await send('POST', `/connections/${connection}/${method}`, {
        token,
        body: {},
      });
      expect(answer.status).toBe(404);
      expect(service.calls).toEqual([]);
      stream.end();
    },
  );

  test('a body that is too large is not read to its end', async () => {
    const token = await letIn();
    const raw = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect((await send('POST', '/connections/x/query.ask', { token, raw })).status).toBe(413);
    const chunked = { token, raw, chunked: true };
    expect((await send('POST', '/connections/x/query.ask', chunked)).status).toBe(413);
  });

  test('a body that is no JSON, or does not say so', async () => {
    const token = await letIn();
    expect((await send('POST', '/connections', { token, raw: '{' })).status).toBe(400);
    const type = 'text/plain';
    expect((await send('POST', '/connections', { token, raw: '{}', type })).status).toBe(415);
  });

  test('the end of the service ends the connection; the next says why there is none', async () => {
    const token = await letIn();
    const stream = await openConnection(token);
    await stream.line();
    running = false;
    service.end();
    expect(await stream.line()).toBeNull();
    const next = await openConnection(token);
    expect(await next.line()).toMatchObject({ hello: { failure: { code: 'not-running' } } });
  });

  test('a page that reads nothing is let go', async () => {
    const token = await letIn();
    const stream = await openConnection(token);
    await stream.line();
    stream.stall();
    const payload = { text: 'x'.repeat(1024 * 1024) };
    for (let sent = 0; sent < 64 && !service.closed; sent += 1) {
      service.tell('status.changed', payload);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => service.closed).toBe(true);
  });
});

test('whoever has neither code nor token keeps nobody waiting for more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const connect = async () => succeed(service);
  const idle = { connect, authority, files: join(folder, 'page'), idleMs: 1000 };
  const [used, unused] = [await servePage(idle), await servePage(idle)];
  const ended: string[] = [];
  void used.ended.then(() => ended.push('used'));
  void unused.ended.then(() => ended.push('unused'));
  const first = page;
  onTestFinished(() => Promise.all([first.close(), used.close(), unused.close()]).then(() => {}));
  page = used;
  const token = await letIn();
  for (let each = 0; each < 3; each++) {
    vi.advanceTimersByTime(600);
    page = used;
    await send('POST', '/connections/any/status.get', { body: {}, token });
    page = unused;
    await send('GET', '/').catch(() => {});
    await send('POST', '/session', { body: { code: 'guess' } }).catch(() => {});
    await send('POST', '/connections', { body: {}, token }).catch(() => {});
  }
  await expect.poll(() => ended).toEqual(['unused']);
});

test('it ends when nobody was there for a while', async () => {
  const short = await servePage({
    connect: async () => succeed(service),
    authority,
    files: join(folder, 'page'),
    idleMs: 20,
  });
  await short.ended;
  expect(existsSync(short.handover.file)).toBe(false);
});

async function letIn(): Promise<string> {
  const { text } = await send('POST', '/session', { body: { code: code() } });
  return (JSON.parse(text) as { token: string }).token;
}

interface Sent {
  host?: string;
  origin?: string | null;
  token?: string;
  body?: unknown;
  raw?: string;
  type?: string;
  chunked?: boolean;
}

function headersOf(method: string, { host, origin, token, type }: Sent): Record<string, string> {
  return {
    host: host ?? here().slice('http://'.length),
    ...(origin === null || (origin === undefined && method === 'GET')
      ? {}
      : { origin: origin ?? here() }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(method === 'POST' ? { 'content-type': type ?? 'application/json' } : {}),
  };
}

/** As the path stands: `fetch` would tidy it up, and sets Host itself. */
function send(method: string, path: string, sent: Sent = {}) {
  return new Promise<{
    status: number;
    headers: Record<string, string | string[] | undefined>;
    text: string;
  }>((resolve, reject) => {
    const { port } = new URL(page.address);
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers: headersOf(method, sent), agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    request.on('error', reject);
    const body = sent.raw ?? (sent.body === undefined ? '' : JSON.stringify(sent.body));
    if (sent.chunked) request.write(body.slice(0, 1));
    request.end(sent.chunked ? body.slice(1) : body);
  });
}

async function openConnection(token: string) {
  const ending = new AbortController();
  const response = await fetch(`${here()}/connections`, {
    method: 'POST',
    headers: { ...headersOf('POST', { token }), origin: here() },
    body: '{}',
    signal: ending.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    /** null at the end */
    // biome-ignore lint/suspicious/noExplicitAny: whatever the line holds
    async line(): Promise<any> {
      while (!text.includes('\n')) {
        const part = await reader?.read();
        if (part === undefined || part.done) return null;
        text += part.value;
      }
      const [first = '', ...rest] = text.split('\n');
      text = rest.join('\n');
      return JSON.parse(first);
    },
    /** reads no further */
    stall: () => {},
    end: () => ending.abort(),
  };
}

describe('an export', () => {
  const asked = { filter: '', format: 'csv' };
  const pour = (connection: string, token: string) =>
    send('POST', `/connections/${connection}/log.pour`, { token, body: asked });

  async function opened() {
    const token = await letIn();
    const connection = await openConnection(token);
    const { connection: id } = await connection.line();
    return { token, connection, id };
  }

  test('comes octet by octet as the service pours it', async () => {
    const { token, connection, id } = await opened();
    const { status, headers, text } = await pour(id, token);
    expect([status, headers['content-type'], text]).toEqual([
      200,
      'application/octet-stream',
      'poured',
    ]);
    expect(service.calls).toEqual([['log.pour', asked]]);
    connection.end();
  });

  test('of a stranger, or of a connection that ended, is refused before the service is asked', async () => {
    const { token, connection, id } = await opened();
    expect((await pour(id, 'wrong')).status).toBe(401);
    expect(JSON.parse((await pour('other', token)).text)).toMatchObject({
      failure: { code: 'connection-lost' },
    });
    expect(service.calls).toEqual([]);
    connection.end();
  });
});

type FakeService = ReturnType<typeof fakeService>;

function fakeService() {
  const listeners = new Map<string, (payload: never) => void>();
  let onClose = () => {};
  const fake = {
    hello: { contract: 1, version: '0', pid: 1, role: 'administer' as const },
    calls: [] as [string, unknown][],
    closed: false,
    call: async (name: string, params: unknown) => {
      fake.calls.push([name, params]);
      return succeed({ echo: params });
    },
    on(name: NotificationName, listener: (payload: never) => void) {
      listeners.set(name, listener);
      return () => listeners.delete(name);
    },
    onClose: (listener: () => void) => (onClose = listener),
    close: () => (fake.closed = true),
    takeOver: () => Object.assign(Readable.from([Buffer.from('poured')]), { write: () => true }),
    tell: (name: NotificationName, payload: unknown) => listeners.get(name)?.(payload as never),
    end: () => onClose(),
  };
  return fake as unknown as ConnectedService & typeof fake;
}
