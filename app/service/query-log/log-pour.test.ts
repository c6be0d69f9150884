/** An export over a connection of its own: the real log, its reader's process, the control server and a client. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Role, ServiceHandlers } from '../../contract/service-api.ts';
import { beginPouring, type PouredPart, readPoured } from '../../service-client/pour-log.ts';
import { type ConnectedService, connectToService } from '../../service-client/service-client.ts';
import { type ControlServer, createControlServer } from '../control/control-server.ts';
import { listenOnSocket } from '../control/control-socket.ts';
import { createJournal } from '../logging/journal.ts';
import { record } from './event-record-fixture.ts';
import { createLogHandlers } from './log-handlers.ts';
import { LogStore } from './log-store.ts';
import { openQueryLog, type QueryLog } from './query-log.ts';

const rows = 9000;
/** These rows are longer than what a socket holds. */
const long = 'why '.repeat(60);

let directory: string;
let log: QueryLog;
let control: ControlServer;
let role: Role;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-pour-'));
  const file = join(directory, 'queries.sqlite');
  const store = new LogStore(file);
  store.append(
    Array.from({ length: rows }, (_, index) =>
      record({ id: index + 1, name: `=n${index % 900}.\u202eexample`, reason: `${long}${index}` }),
    ),
  );
  store.close();
  log = await openQueryLog({
    file,
    settings: { mode: 'full', programs: true, keepDays: 3650, maxMegabytes: 64 },
    onHealth: () => {},
  });
  role = 'administer';
  control = createControlServer({
    handlers: createLogHandlers({
      queryLog: log,
      now: Date.now,
      accountName: () => null,
      programsNamed: () => [],
      upstreams: () => [],
      onErased: () => {},
    }) as ServiceHandlers,
    version: '1.2.3',
    journal: createJournal({ write: () => {} }),
    roleOf: () => role,
  });
  expect(await listenOnSocket(control.server, socketPath())).toMatchObject({ ok: true });
});

afterEach(async () => {
  await log.close();
  await control.close();
  rmSync(directory, { recursive: true });
});

const socketPath = () => join(directory, 'control.sock');

async function client(): Promise<ConnectedService> {
  const connected = await connectToService(socketPath(), 'test');
  if (!connected.ok) throw new Error(connected.failure.message);
  return connected.value;
}

async function begin(format: 'csv' | 'ndjson' = 'csv') {
  const begun = await beginPouring(await client(), { filter: '', format });
  if (!begun.ok) throw new Error(begun.failure.message);
  return begun.value;
}

async function readAll(poured: AsyncIterable<PouredPart>) {
  let text = '';
  let count = 0;
  let last: PouredPart | undefined;
  const decoder = new TextDecoder();
  for await (last of poured) {
    if (last.kind === 'text') text += decoder.decode(last.octets, { stream: true });
    if (last.kind === 'rows') count += last.rows;
  }
  return { text, count, last };
}

test('all of it as ndjson is what a search finds, and has its end', async () => {
  const { text, count, last } = await readAll(readPoured(await begin('ndjson')));
  expect(last).toEqual({ kind: 'end' });
  expect(count).toBe(rows);
  const found: unknown[] = [];
  const service = await client();
  for (let before: number | null | undefined; before !== null; ) {
    const page = await service.call('log.search', { filter: '', limit: 1000, before });
    if (!page.ok) throw new Error(page.failure.message);
    found.push(...page.value.events);
    before = page.value.next;
  }
  service.close();
  const lines = text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(found);
  expect(text).not.toContain('\u202e');
});

test('all of it as csv has a header, each row once, and its end', async () => {
  const { text, count, last } = await readAll(readPoured(await begin()));
  expect(last).toEqual({ kind: 'end' });
  expect(count).toBe(rows);
  const [header, ...lines] = text.trimEnd().split('\r\n');
  expect(header).toMatch(/^id,time,name,/);
  const ids = lines.map((line) => Number(line.slice(0, line.indexOf(','))));
  expect(ids).toEqual(Array.from({ length: rows }, (_, index) => rows - index));
  expect(text).not.toContain('\u202e');
});

test('a client that goes away in the middle leaves the reader to others', async () => {
  for await (const part of readPoured(await begin())) if (part.kind === 'text') break;
  const { count, last } = await readAll(readPoured(await begin()));
  expect([count, last]).toEqual([rows, { kind: 'end' }]);
});

test('a client that reads nothing holds up nobody', async () => {
  const stuck = await begin();
  const service = await client();
  expect(await service.call('log.count', { filter: '' })).toEqual({
    ok: true,
    value: { rows, of: rows },
  });
  service.close();
  const { count } = await readAll(readPoured(stuck));
  expect(count).toBe(rows);
});

test('a text that the service did not finish is not taken for whole', async () => {
  const poured = readPoured(await begin());
  await poured.next();
  await log.close();
  expect((await readAll(poured)).last).toMatchObject({
    kind: 'failure',
    failure: { code: 'connection-lost' },
  });
});

test('the service ends while somebody exports', async () => {
  const socket = await begin();
  const closed = control.close();
  await log.close();
  await closed;
  expect((await readAll(readPoured(socket))).last).toMatchObject({ kind: 'failure' });
});

test('who may only observe gets none of it, and goes on in messages', async () => {
  role = 'observe';
  const service = await client();
  expect(await beginPouring(service, { filter: '', format: 'csv' })).toMatchObject({
    ok: false,
    failure: { code: 'forbidden' },
  });
  expect(await service.call('log.search', { filter: '', limit: 1 })).toMatchObject({
    failure: { code: 'forbidden' },
  });
  service.close();
});

test('a filter that can not be read is refused, and the connection goes on in messages', async () => {
  const service = await client();
  expect(await beginPouring(service, { filter: 'tpye:A', format: 'csv' })).toMatchObject({
    ok: false,
    failure: { code: 'filter-invalid', subject: 'tpye:A' },
  });
  expect(await service.call('log.search', { filter: '', limit: 1 })).toMatchObject({ ok: true });
  service.close();
});
