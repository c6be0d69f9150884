/** When metrics are sent, and how. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../base/test-folder.ts';
import { trusting } from '../base/trusted-authorities.ts';
import { startPush } from './metrics-push.ts';
import { sendMetrics } from './send-metrics.ts';

const minute = 60_000;

describe('the time of sending', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** `why` each attempt gives. In the middle of what chance may make of the time. */
  function pushing(why: () => string | null) {
    const told: (string | null)[] = [];
    const send = vi.fn(async (_signal: AbortSignal) => why());
    const end = startPush({
      send,
      onTrouble: (trouble) => told.push(trouble),
      onBug(error) {
        throw error;
      },
      random: () => 0.5,
    });
    onTestFinished(() => end());
    const sends = async (afterMs: number) => {
      send.mockClear();
      await vi.advanceTimersByTimeAsync(afterMs - 1);
      expect(send).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(send).toHaveBeenCalledOnce();
    };
    return { sends, told, send, end };
  }

  test('is soon after the start, and each minute from then on', async () => {
    const { sends, told } = pushing(() => null);
    await sends(5_000);
    await sends(minute);
    await sends(minute);
    expect(told).toEqual([null, null, null]);
  });

  test('comes later after each failure, up to half an hour, and trouble is told at the third', async () => {
    let why: string | null = 'refused';
    const { sends, told } = pushing(() => why);
    await sends(5_000);
    await sends(minute);
    expect(told).toEqual([]);
    for (const minutes of [2, 4, 8, 16, 30, 30]) await sends(minutes * minute);
    expect(told).toContain('refused');
    why = null;
    await sends(30 * minute);
    await sends(minute);
    expect(told.at(-1)).toBeNull();
  });

  test('never overlaps: one that takes long delays the next', async () => {
    const under = Promise.withResolvers<null>();
    const send = vi.fn(() => under.promise);
    const end = startPush({ send, onTrouble() {}, onBug() {}, random: () => 0.5 });
    onTestFinished(() => end());
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(send).toHaveBeenCalledOnce();
  });

  test('ends with the request that is under way', async () => {
    const { sends, send, end } = pushing(() => null);
    await sends(5_000);
    const [signal] = send.mock.lastCall ?? [];
    end();
    expect(signal?.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(send).toHaveBeenCalledOnce();
  });
});

describe('one request', () => {
  const local = async () => ['127.0.0.1'];

  async function opened(server: Server): Promise<number> {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }

  function sending(url: string, changes: object = {}) {
    const { signal } = new AbortController();
    const what = { url: new URL(url), resolve: local, body: '{"a":1}', signal };
    return sendMetrics({ ...what, postQuantum: 'prefer', ...changes });
  }

  test('carries the body as JSON, to the path, under the name of the host', async () => {
    const folder = testFolder();
    onTestFinished(() => folder.remove());
    const [key, cert] = [`${folder.path}/key.pem`, `${folder.path}/cert.pem`];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const facts = ['-subj', '/CN=otel.example', '-addext', 'subjectAltName=DNS:otel.example'];
    const files = ['-nodes', '-keyout', key, '-out', cert];
    execFileSync('openssl', [...made, ...files, ...facts], { stdio: 'ignore' });
    const got: object[] = [];
    const pem = readFileSync(cert);
    const listener: RequestListener = async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const { method, url, headers } = request;
      got.push({ method, url, body, host: headers.host, type: headers['content-type'] });
      response.end();
    };
    const server = createServer({ key: readFileSync(key), cert: pem }, listener);
    const port = await opened(server);
    const trusted = trusting(() => [`${pem}`]);
    expect(await sending(`https://otel.example:${port}/v1/metrics`, { trusted })).toBeNull();
    expect(got).toEqual([
      {
        method: 'POST',
        url: '/v1/metrics',
        body: '{"a":1}',
        host: `otel.example:${port}`,
        type: 'application/json',
      },
    ]);
    expect(await sending(`https://other.example:${port}/`, { trusted })).toContain('other.example');
    expect(await sending(`https://otel.example:${port}/`)).toContain('certificate');
    expect(got).toHaveLength(1);
  });

  test.each<[string, RequestListener, RegExp]>([
    ['refuses', (_, response) => response.writeHead(503).end(), /it responded with 503/],
    ['leads elsewhere', (_, r) => r.writeHead(307, { location: 'http://x/' }).end(), /with 307/],
    ['closes', (request) => void request.socket.destroy(), /127\.0\.0\.1/],
  ])('a collector that %s is told', async (_how, listener, why) => {
    const port = await opened(createPlainServer(listener));
    expect(await sending(`http://127.0.0.1:${port}/`)).toMatch(why);
  });

  test('a name without an address is told', async () => {
    const resolve = async () => [];
    expect(await sending('https://otel.example/', { resolve })).toBe(
      'otel.example: its name has no address',
    );
  });
});
