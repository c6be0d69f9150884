/** A real dbus-daemon on an address of its own, for tests, which make up the owners of the names. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BusAddon } from '../../bus-connection.ts';
import { built } from '../../installation.ts';
import { BusPeer, lab } from './bus-peer-fixture.ts';

const daemonFile = ['/usr/bin/dbus-daemon', '/bin/dbus-daemon'].find((file) => existsSync(file));
const addonFile = built('addon/sotto.node');

/** Null where the tests can run. */
export const whyNoBus = whyNot();

function whyNot(): string | null {
  if (daemonFile === undefined) return 'no dbus-daemon: apt-get install dbus-daemon';
  const missing = [lab, addonFile].find((file) => !existsSync(file));
  return missing === undefined ? null : `${missing} is not built: npm start`;
}

export function busAddon(): BusAddon {
  return createRequire(import.meta.url)(addonFile) as BusAddon;
}

export class TestBus {
  readonly folder = mkdtempSync(join(tmpdir(), 'sotto-bus-'));
  readonly address = `unix:path=${join(this.folder, 'bus')}`;
  readonly #services: BusPeer[] = [];
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

  /** Connects a service that a test makes up. */
  async connect(): Promise<BusPeer> {
    const peer = await BusPeer.join(this.address);
    this.#services.push(peer);
    return peer;
  }

  async endServices(): Promise<void> {
    for (const service of this.#services.splice(0)) await service.close();
  }

  /** It goes on existing and does nothing until `wake`. */
  hang(): void {
    this.#daemon?.kill('SIGSTOP');
  }

  wake(): void {
    this.#daemon?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const child = this.#daemon;
    this.#daemon = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // A process that hangs receives no other signal.
    child.kill('SIGCONT');
    child.kill();
    await ended;
  }

  async remove(): Promise<void> {
    await this.endServices();
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
