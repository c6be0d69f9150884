import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { fetchPage } from './fetch-page.ts';

const connectMs = 1_000;
const longerThanNobodyMs = connectMs + 200;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

async function fetchFrom(answer: RequestListener, answerMs: number) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://192.0.2.1:${port}/`);
  const patience = { connectMs, answerMs };
  const { signal } = new AbortController();
  return await fetchPage({
    url,
    ip: '127.0.0.1',
    localAddress: null,
    accept: '*/*',
    ...patience,
    signal,
    postQuantum: 'prefer',
  });
}

test('who has taken the connection may be slower than who is nobody', async () => {
  const slow: RequestListener = (_request, response) => {
    vi.advanceTimersByTime(longerThanNobodyMs);
    response.writeHead(302, { location: 'http://portal.example/' }).end();
  };
  expect(await fetchFrom(slow, 10_000)).toMatchObject({ leadsTo: 'http://portal.example/' });
});

test('but has to answer', async () => {
  expect(await fetchFrom(() => void vi.advanceTimersByTime(50), 50)).toBeNull();
});
