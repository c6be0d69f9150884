import { join } from 'node:path';
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest';
import type { Role, ServiceHandlers } from '../../contract/service-api.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { createJournal } from '../logging/journal.ts';
import { type ControlServer, createControlServer } from './control-server.ts';
import { listenOnSocket } from './control-socket.ts';

export let folder: TestFolder;
export let path: string;
export const running: ControlServer[] = [];

beforeEach(() => {
  folder = testFolder();
  path = join(folder.path, 'run', 'control.sock');
});
afterEach(async () => {
  for (const control of running.splice(0)) await control.close();
  folder.remove();
});

/** A connection that is turned away has a second to say hello, which may be short where the machine is busy. */
export function giveStrangersTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Has only the methods that a test uses; the others fail as "internal". */
export async function serve(
  handlers: Partial<ServiceHandlers>,
  role: Role | null | (() => Role) = 'administer',
  personOf: () => (() => string) | null = () => null,
  accountOf: () => number | null = () => null,
) {
  const lines: string[] = [];
  const refused: string[] = [];
  const control = createControlServer({
    handlers: handlers as ServiceHandlers,
    version: '1.2.3',
    journal: createJournal({ write: (line) => lines.push(line) }),
    roleOf: () => (typeof role === 'function' ? role() : role),
    personOf,
    accountOf,
    howToGet: (needed) => `how to get ${needed}`,
    onRefused: (method) => refused.push(method),
  });
  const listening = await listenOnSocket(control.server, path);
  if (listening.ok) running.push(control);
  return { control, listening, lines, refused };
}

export async function client() {
  const connected = await connectToService(path, 'test');
  if (!connected.ok) throw new Error(connected.failure.message);
  return connected.value;
}
