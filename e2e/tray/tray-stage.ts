/** A desktop on which the real tray runs: a screen, a bus with a tray host, the tray in Electron, a service that it starts. */
import { chmod, chown, cp, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { packagedNode } from '../../build/packaged-node.mjs';
import { addon, inRoot, rendererOutput, trayFolder } from '../../build/places.mjs';
import { eventually, patienceMs } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { encodeQuery } from '../rig/message.ts';
import { freePort } from '../rig/ports.ts';
import { Program } from '../rig/process.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SettingsFile } from '../rig/sotto-service.ts';
import { electronRuntime } from './electron-runtime.ts';
import { NotifierHost } from './notifier-host.ts';
import { person } from './person.ts';

/** Electron takes a minute to start on a busy machine, and to end. */
const electronMs = 2 * patienceMs;

export class TrayStage {
  readonly home: string;
  readonly port: number;
  readonly host: NotifierHost;
  readonly application: ElectronApplication;
  /** the person's folder of settings, XDG_CONFIG_HOME */
  readonly configuration: string;
  readonly #settings: SettingsFile;
  readonly #tray: Desktop['tray'];

  /** `settings`: of the service that the tray starts, unless one answers in this folder already. */
  static async open(
    lab: Lab,
    settings: SettingsFile,
    before: (home: string, configuration: string) => Promise<void> = async () => {},
    words: readonly string[] = [],
  ): Promise<TrayStage> {
    const desktop = await openDesktop(lab, settings);
    const { home, configuration } = desktop;
    await before(home, configuration);
    return new TrayStage({ ...desktop, settings, application: await launch(lab, desktop, words) });
  }

  private constructor(parts: TrayParts) {
    this.home = parts.home;
    this.port = parts.port;
    this.host = parts.host;
    this.application = parts.application;
    this.configuration = parts.configuration;
    this.#settings = parts.settings;
    this.#tray = parts.tray;
  }

  async window(): Promise<Page> {
    return await this.application.firstWindow();
  }

  /** Settings are in force as soon as the service has read them. */
  async writeSettings(settings: SettingsFile): Promise<void> {
    await writeSettings(this.home, this.port, settings);
  }

  /** The settings with which it was opened. */
  async restoreSettings(): Promise<void> {
    await this.writeSettings(this.#settings);
  }

  /** Sends a query as a program would; the test checks the result. */
  async ask(name: string): Promise<void> {
    await askUdp({ address: '127.0.0.1', port: this.port }, encodeQuery(name, 'A'), 2000).catch(
      () => null,
    );
  }

  async status(): Promise<ServiceStatus> {
    const { stdout, stderr } = await this.cli('status', '--json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as ServiceStatus;
  }

  /** Starts the program once more, as a desktop does for a link; it hands its words over and ends. */
  async startAgain(...words: string[]): Promise<void> {
    const { command, words: own, env } = this.#tray;
    const program = await Program.start(command, [...own, ...words], { env });
    await program.exited;
  }

  /** Runs a command of Sotto's as the person whose service it is. */
  async cli(...args: string[]): Promise<Program> {
    const [command, words] = person.inside(node(), [inRoot('build', 'sotto.mjs'), ...args]);
    const program = await Program.start(command, words, { env: { SOTTO_HOME: this.home } });
    await program.exited;
    return program;
  }
}

interface TrayParts {
  home: string;
  port: number;
  host: NotifierHost;
  application: ElectronApplication;
  configuration: string;
  settings: SettingsFile;
  tray: Desktop['tray'];
}

async function writeSettings(home: string, port: number, settings: SettingsFile): Promise<void> {
  const file = join(home, 'settings.json');
  const listen = [`127.0.0.1:${port}`];
  await writeFile(`${file}.new`, JSON.stringify({ listen, systemResolvers: [], ...settings }));
  await chown(`${file}.new`, person.uid, person.uid);
  await rename(`${file}.new`, file);
}

interface Desktop {
  home: string;
  port: number;
  host: NotifierHost;
  configuration: string;
  /** the command that starts the tray, as the person would */
  tray: { command: string; words: string[]; env: Record<string, string> };
}

/** `settings`: of the service that the tray will start there. */
export async function openDesktop(lab: Lab, settings: SettingsFile): Promise<Desktop> {
  await chmod(lab.directory, 0o711);
  const home = await person.folder(lab, 'home');
  const port = await freePort();
  await writeSettings(home, port, settings);
  const configuration = await person.folder(lab, 'config');
  const host = await NotifierHost.open(lab, person);
  const folder = join(lab.directory, 'tray');
  await cp(trayFolder, folder, { recursive: true });
  await cp(rendererOutput, join(folder, 'renderer'), { recursive: true });
  await mkdir(join(lab.directory, 'addon'));
  await symlink(addon, join(lab.directory, 'addon', 'sotto.node'));
  const runtime = await electronRuntime();
  const starter = join(lab.directory, 'electron');
  const [command, asPerson] = person.inside(runtime, []);
  await writeFile(starter, `#!/bin/sh\nexec ${[command, ...asPerson].join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  const words = [folder, `--user-data-dir=${join(configuration, 'electron')}`];
  const env = {
    PATH: process.env['PATH'] ?? '',
    LANG: 'en_GB.UTF-8',
    HOME: configuration,
    XDG_CONFIG_HOME: configuration,
    XDG_CURRENT_DESKTOP: 'KDE',
    DISPLAY: await openScreen(lab),
    DBUS_SESSION_BUS_ADDRESS: host.address,
    SOTTO_HOME: home,
    SOTTO_NODE: node(),
    SOTTO_PROGRAM: inRoot('build', 'sotto.mjs'),
  };
  return { home, port, host, configuration, tray: { command: starter, words, env } };
}

async function launch(
  lab: Lab,
  { host, tray }: Desktop,
  words: readonly string[],
): Promise<ElectronApplication> {
  const application = await _electron.launch({
    executablePath: tray.command,
    chromiumSandbox: true,
    args: [...tray.words, ...words],
    env: tray.env,
    timeout: electronMs,
  });
  application.context().setDefaultTimeout(patienceMs);
  let said = '';
  let state = 'running';
  application.process().on('exit', (code, signal) => {
    state = `ended with ${code ?? signal}`;
  });
  for (const stream of [application.process().stdout, application.process().stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  // ended as a person ends it; the service that it started ends with it, and then the last pipe closes
  const stop = async () => {
    const closed = application.waitForEvent('close', { timeout: electronMs });
    await Promise.all([closed, host.click(/^Quit/)]);
  };
  lab.adopt({ stop, transcript: () => `the tray (${state})\n${said}` });
  return application;
}

/** Starts an X server, which chooses its display. */
export async function openScreen(lab: Lab): Promise<string> {
  const size = ['-screen', '0', '1280x900x24', '-nolisten', 'tcp', '-ac'];
  const xvfb = lab.adopt(
    await Program.start('/bin/sh', ['-c', `exec Xvfb -displayfd 1 ${size.join(' ')}`]),
  );
  const number = await eventually('a display', async () => /^\d+$/m.exec(xvfb.stdout)?.[0]);
  return `:${number}`;
}

function node(): string {
  return packagedNode() ?? process.execPath;
}
