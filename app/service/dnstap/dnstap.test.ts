/** The sender with readers that come late, go, read nothing, or speak something else. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import type { TapListener } from '../query-log/query-log.ts';
import { startDnstap } from './dnstap.ts';
import { contentType, control } from './frame-stream.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  folder.remove();
});

const path = () => join(folder.path, 'dnstap.sock');
const [accept, start, stop, ready, finish] = [1, 2, 3, 4, 5];

/** Answers what a test wants to each connection. */
async function reader(onConnection: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await once(server.listen(path()), 'listening');
  const close = () => new Promise((resolve) => server.close(resolve));
  onTestFinished(() => void server.close());
  return { close };
}

/** One that follows the protocol; what it got after its ACCEPT. */
async function goodReader() {
  const got: Buffer[] = [];
  await reader((socket) => {
    socket.once('data', (hello) => {
      expect(hello).toEqual(control(ready as number, contentType));
      socket.write(control(accept as number, contentType));
      socket.on('data', (octets) => {
        got.push(octets);
        if (octets.subarray(-12).equals(control(stop as number)))
          socket.end(control(finish as number));
      });
    });
  });
  return () => Buffer.concat(got);
}

function sender(changes: Partial<Parameters<typeof startDnstap>[0]> = {}) {
  let tapped: TapListener | null = null;
  const told: (string | null)[] = [];
  const counts = { sent: 0, dropped: 0 };
  const end = startDnstap({
    path: path(),
    whyNot: () => null,
    tap(listener) {
      tapped = listener;
      return () => {
        tapped = null;
      };
    },
    counts,
    onTrouble: (why) => told.push(why),
    ...changes,
  });
  onTestFinished(() => void end());
  const send = (text: string, leftOut = 0) => tapped?.(Buffer.from(text), 1, leftOut);
  return { send, told, counts, end, isTapped: () => tapped !== null };
}

test('frames follow the handshake, and the end is told and waited for', async () => {
  const got = await goodReader();
  const { send, told, counts, end, isTapped } = sender();
  await expect.poll(() => told).toEqual([null]);
  send('one');
  send('two', 3);
  await end();
  const all = [
    control(start as number, contentType),
    Buffer.from('onetwo'),
    control(stop as number),
  ];
  expect(got()).toEqual(Buffer.concat(all));
  expect(counts).toEqual({ sent: 2, dropped: 3 });
  expect(isTapped()).toBe(false);
});

test('what comes before a reader is there is dropped and counted', async () => {
  const { send, counts } = sender();
  send('one');
  expect(counts).toEqual({ sent: 0, dropped: 1 });
});

test('a reader that reads nothing costs a megabyte, and its word is not waited for without end', async () => {
  await reader((socket) => {
    socket.once('data', () => {
      socket.write(control(accept as number, contentType));
      socket.pause();
    });
  });
  const { send, told, counts, end } = sender();
  await expect.poll(() => told).toEqual([null]);
  const text = 'a'.repeat(10_000);
  for (let at = 0; at < 1000; at += 1) send(text);
  expect(counts.sent + counts.dropped).toBe(1000);
  expect(counts.sent).toBeLessThan(250);
  expect(counts.sent).toBeGreaterThan(90);
  const ended = end();
  vi.advanceTimersByTime(1_000);
  await ended;
});

describe('a reader that does not speak dnstap', () => {
  test.each([
    ['says nothing that can be read', Buffer.from('HTTP/1.1 400 Bad Request'), /Frame Streams/],
    ['accepts something else', control(accept as number, 'protobuf:other'), /not take dnstap/],
    ['finishes first', control(finish as number), /out of turn/],
    ['announces a gigabyte', Buffer.from('000000003fffffff', 'hex'), /Frame Streams/],
    [
      'sends a field that is cut off',
      Buffer.from('000000000000000800000001000000ff', 'hex'),
      /Frame Streams/,
    ],
  ])('%s: it is left, tried again, and told', async (_how, octets, why) => {
    let connections = 0;
    await reader((socket) => {
      connections += 1;
      socket.write(octets);
    });
    const { told } = sender();
    for (const tried of [1, 2, 3]) {
      await expect.poll(() => connections).toBe(tried);
      // The time until the next attempt begins when this one has ended.
      await expect.poll(() => vi.getTimerCount()).toBe(1);
      if (tried < 3) vi.advanceTimersByTime(4_000);
    }
    expect(told).toEqual([expect.stringMatching(why)]);
  });
});

test('a reader that may not read names gets nothing', async () => {
  const got: Buffer[] = [];
  await reader((socket) => socket.on('data', (octets) => got.push(octets)));
  const ended = Promise.withResolvers<void>();
  const { told } = sender({
    whyNot(socket) {
      socket.once('close', () => ended.resolve());
      return 'it may not';
    },
  });
  await ended.promise;
  expect(got).toEqual([]);
  expect(told, 'once may be a restart').toEqual([]);
});
