import { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { RequestReader } from './request-reader.ts';

afterEach(() => void vi.useRealTimers());

test('a request that takes long to come is held by no timer', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const socket = new Socket();
  const reader = new RequestReader(socket, { mayBring: () => true }, async () => {});
  reader.listen(() => {});
  socket.emit('data', Buffer.from('Content-Length: 100\r\n\r\n{"jsonrpc"'));
  expect(vi.getTimerCount()).toBe(0);
});
