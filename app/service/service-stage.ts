/** The whole service for tests, in a folder of its own: everything is real but the engine. */
import { join } from 'node:path';
import { type ConnectedService, connectToService } from '../service-client/service-client.ts';
import { type TestFolder, testFolder } from './base/test-folder.ts';
import { type FakeEngine, fakeEngine } from './engine/fake-engine.ts';
import { createJournal } from './logging/journal.ts';
import { type RunningService, startService } from './main.ts';

export const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };

export const failing = {
  state: 'resting',
  lastError: { code: 'timeout', text: 'timed out' },
} as const;

export class ServiceStage {
  readonly folder: TestFolder = testFolder();
  readonly addon: FakeEngine = fakeEngine();
  /** of the journal */
  readonly lines: string[] = [];
  running: RunningService | undefined;

  /** A file of the service's. */
  file(name: string): string {
    return join(this.folder.path, name);
  }

  attempt(addon = this.addon): ReturnType<typeof startService> {
    const journal = createJournal({ write: (line) => this.lines.push(line) });
    return startService({ home: this.folder.path, addon, journal, environment: {} });
  }

  async start(): Promise<RunningService> {
    const started = await this.attempt();
    if (!started.ok) throw new Error(started.failure.message);
    this.running = started.value;
    return started.value;
  }

  async client(): Promise<ConnectedService> {
    const connected = await connectToService(this.file('control.sock'), 'test');
    if (!connected.ok) throw new Error(connected.failure.message);
    return connected.value;
  }

  async stop(): Promise<void> {
    await this.running?.stop({ giveBack: true });
    this.running = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    this.folder.remove();
  }
}
