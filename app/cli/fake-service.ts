/** A service for the command line's tests: the real control server on a real socket, and the commands that are run against it. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: bundled where that is current, which starts in a third of the time.
import { commandLine } from '../../build/places.mjs';
import type { ServiceHandlers } from '../contract/service-api.ts';
import { servicePaths } from '../contract/service-paths.ts';
// biome-ignore lint/style/noRestrictedImports: the command line is tested against the server it will meet.
import { createControlServer } from '../service/control/control-server.ts';
// biome-ignore lint/style/noRestrictedImports: the same.
import { listenOnSocket } from '../service/control/control-socket.ts';
// biome-ignore lint/style/noRestrictedImports: the same.
import { createJournal } from '../service/logging/journal.ts';

export const program = commandLine();

export interface FakeService {
  home: string;
  close(): Promise<void>;
}

/** A fake service until the end of the test; resolves to its folder. Handlers that are left out would fail as "internal". */
export async function serve(handlers: Partial<ServiceHandlers>): Promise<string> {
  const service = await startFakeService(handlers);
  onTestFinished(() => service.close());
  return service.home;
}

export async function startFakeService(handlers: Partial<ServiceHandlers>): Promise<FakeService> {
  const home = mkdtempSync(join(tmpdir(), 'sotto-cli-'));
  const control = createControlServer({
    handlers: handlers as ServiceHandlers,
    version: '1.2.3',
    journal: createJournal({ write: () => {} }),
    roleOf: () => 'administer',
  });
  const listening = await listenOnSocket(control.server, servicePaths({}, home).controlSocket);
  if (!listening.ok) throw new Error(listening.failure.message);
  return {
    home,
    close: async () => {
      await control.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export interface Ran {
  code: number | null;
  out: string;
  errors: string;
}

export function startCommand(home: string, ...words: string[]): ChildProcessWithoutNullStreams {
  const env = { ...process.env, SOTTO_HOME: home, TZ: 'UTC', NO_COLOR: '' };
  return spawn(process.execPath, [program, ...words], { env });
}

/** Its output goes into the file that is open as `output`. */
export function startCommandInto(output: number, home: string, ...words: string[]): ChildProcess {
  const env = { ...process.env, SOTTO_HOME: home, TZ: 'UTC', NO_COLOR: '' };
  return spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', output, 'pipe'] });
}

export function runCommand(home: string, ...words: string[]): Promise<Ran> {
  return finished(startCommand(home, ...words));
}

export function finished(child: ChildProcess): Promise<Ran> {
  let out = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, errors }));
  });
}
