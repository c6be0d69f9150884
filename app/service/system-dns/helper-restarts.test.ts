import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { helperAt } from './helper.ts';

const status = { verb: 'status' } as const;
const held = '{"ok":{"held":[]}}\n';
let folder = '';
let servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-helper-'));
  // The time that a helper has to come back does not run out while the machine is busy.
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true });
});

it('a helper that dies while it is asked is asked again once it is back', async () => {
  const socket = join(folder, 'socket');
  const helper = helperAt(socket);
  await serve(socket, answering(held));
  expect(await helper.ask(status)).toEqual({ ok: true, value: { held: [] } });
  let deaths = 0;
  await serve(socket, (peer) => {
    if (deaths++ > 1) answering(held)(peer);
    else peer.destroy();
  });
  expect(await helper.ask(status)).toEqual({ ok: true, value: { held: [] } });
  expect(deaths).toBe(3);
});

it('one that never was there is missing at once', async () => {
  const helper = helperAt(join(folder, 'nobody'));
  expect(await helper.ask(status)).toMatchObject({
    ok: false,
    failure: { code: 'helper-missing' },
  });
});

it('one that does not talk to us is not asked twice', async () => {
  const socket = join(folder, 'socket');
  let asked = 0;
  await serve(socket, (peer) => {
    asked++;
    peer.destroy();
  });
  const said = await helperAt(socket).ask(status);
  expect(said).toMatchObject({ ok: false, failure: { code: 'helper-refused' } });
  expect(asked).toBe(1);
});

it.each(['no json\n', '{"ok":{}}\n', '{"failed":{"code":"new"}}\n'])(
  'an answer that is none is not understood: %s',
  async (line) => {
    const socket = join(folder, 'socket');
    await serve(socket, answering(line));
    const said = await helperAt(socket).ask(status);
    expect(said).toMatchObject({ ok: false, failure: { code: 'helper-refused' } });
  },
);

function answering(line: string): (peer: Socket) => void {
  return (peer) => peer.once('data', () => peer.write(line));
}

/** Replaces the server that listened there before. */
async function serve(path: string, heard: (peer: Socket) => void): Promise<void> {
  await Promise.all(
    servers.splice(0).map((server) => new Promise((closed) => server.close(closed))),
  );
  const server = createServer(heard);
  servers = [server];
  await new Promise<void>((listening) => server.listen(path, listening));
}
