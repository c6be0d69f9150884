/** A real dbus-daemon on an address of its own, for tests; what stands behind the names is theirs to make up. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type MessageBus } from 'dbus-native';

const daemonFile = ['/usr/bin/dbus-daemon', '/bin/dbus-daemon'].find((file) => existsSync(file));

/** Null where the tests can run. */
export const whyNoBus =
  daemonFile === undefined ? 'no dbus-daemon: apt-get install dbus-daemon' : null;

export class TestBus {
  readonly folder = mkdtempSync(join(tmpdir(), 'sotto-bus-'));
  readonly address = `unix:path=${join(this.folder, 'bus')}`;
  readonly #services: MessageBus[] = [];
  #daemon: ChildProcess | null = null;

  async start(): Promise<void> {
    const configuration = join(this.folder, 'bus.conf');
    writeFileSync(
      configuration,
      `<busconfig><listen>${this.address}</listen><auth>EXTERNAL</auth><policy context="default">
       <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
       </policy></busconfig>`,
    );
    const child = spawn(
      daemonFile ?? '',
      ['--nofork', '--nopidfile', '--print-address=1', `--config-file=${configuration}`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    this.#daemon = child;
    await new Promise((resolve) => child.stdout.once('data', resolve));
  }

  /** For a service of a test's own. */
  connect(): MessageBus {
    const bus = createClient({ busAddress: this.address });
    bus.connection.on('error', () => {});
    this.#services.push(bus);
    return bus;
  }

  async endServices(): Promise<void> {
    for (const service of this.#services.splice(0)) await service.close();
  }

  async stop(): Promise<void> {
    const child = this.#daemon;
    this.#daemon = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }

  async remove(): Promise<void> {
    await this.endServices();
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
