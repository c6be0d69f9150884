import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { leaseAt } from './helper-lease.ts';

async function helperOn(path: string): Promise<{ server: Server; held(): Promise<Socket> }> {
  const server = createServer();
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return {
    server,
    async held() {
      const [socket] = (await once(server, 'connection')) as [Socket];
      socket.on('error', () => {});
      const [octets] = (await once(socket, 'data')) as [Buffer];
      expect(octets.toString()).toBe('{"verb":"hold"}\n');
      return socket;
    },
  };
}

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-lease-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'helper.sock');
}

test('it is held while it is wanted, again where the helper was another, and let go', async () => {
  const path = socketPath();
  const first = await helperOn(path);
  const lease = leaseAt(path);
  const holding = first.held();
  lease.keep(true);
  lease.keep(true);
  const socket = await holding;
  const again = first.held();
  socket.destroy();
  const ended = once(await again, 'close');
  lease.keep(false);
  await ended;
});

test('a helper that comes later is held as well', async () => {
  const path = socketPath();
  const lease = leaseAt(path);
  lease.keep(true);
  const late = await helperOn(path);
  const socket = await late.held();
  lease.keep(false);
  await once(socket, 'close');
});
