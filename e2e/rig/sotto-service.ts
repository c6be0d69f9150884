/** The real service in a folder of its own, and its command line. */
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import type { MethodName, Params, ResultOf } from '../../app/contract/service-api.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { nodeFlags } from '../../build/places.mjs';
import { commandLine, locate } from './available.ts';
import { callService } from './call-service.ts';
import { eventually, patienceMs } from './eventually.ts';
import type { Lab } from './lab.ts';
import { encodeQuery, parse } from './message.ts';
import { freePort } from './ports.ts';
import { type Exit, type Finished, Program, run } from './process.ts';
import { askUdp, type Endpoint } from './raw-client.ts';

/** The content of settings.json; loosely typed on purpose, since some tests write nonsense. */
export type SettingsFile = Record<string, unknown>;

/** A start takes a second; while every processor is taken, more than a minute. */
const startMs = 2 * patienceMs;

/** Where and how it runs; by default beside the test, without a guardian. */
export interface Placement {
  /** a network namespace, for one; Unix sockets reach out of it, loopback does not */
  on?: Machine;
  guarded?: boolean;
  /** beside this process's own */
  env?: Record<string, string>;
}

interface Machine {
  /** the command line that runs a program there */
  inside(command: string, args: string[]): [string, string[]];
}

interface LogFilter {
  name?: string;
  outcome?: QueryEvent['outcome'];
  limit?: number;
}

/** The most that the contract allows. */
const rowsAPage = 1000;

export class SottoService {
  readonly home: string;
  readonly port: number;
  readonly #placement: Placement;
  #settings: SettingsFile;
  #program: Program;

  /** `listen` is filled in unless the settings have it: both loopback addresses. */
  static async start(
    lab: Lab,
    settings: SettingsFile,
    port?: number,
    placement: Placement = {},
  ): Promise<SottoService> {
    const listenPort = port ?? (await freePort());
    const home = await serviceHome(lab);
    const complete = withListen(settings, listenPort);
    await writeFile(join(home, 'settings.json'), JSON.stringify(complete, null, 2));
    const program = await launch(home, placement);
    const service = lab.adopt(new SottoService(home, listenPort, complete, program, placement));
    await service.#ready();
    return service;
  }

  /** Starts it where it is expected to give up, and waits for that. */
  static async startInVain(lab: Lab, settingsText: string): Promise<Finished> {
    const home = await serviceHome(lab);
    await writeFile(join(home, 'settings.json'), settingsText);
    const program = lab.adopt(await launch(home));
    const exit = await program.exited;
    return { code: exit.code ?? -1, stdout: program.stdout, stderr: program.stderr };
  }

  private constructor(
    home: string,
    port: number,
    settings: SettingsFile,
    program: Program,
    placement: Placement,
  ) {
    this.home = home;
    this.port = port;
    this.#settings = settings;
    this.#program = program;
    this.#placement = placement;
  }

  get v4(): Endpoint {
    return { address: '127.0.0.1', port: this.port };
  }

  get v6(): Endpoint {
    return { address: '::1', port: this.port };
  }

  /** The guardian's process id, where there is one. */
  get pid(): number {
    return this.#program.pid;
  }

  /** Everything that the service wrote to its terminal since its last start. */
  get output(): string {
    return this.#program.stdout + this.#program.stderr;
  }

  get controlSocket(): string {
    return join(this.home, 'control.sock');
  }

  get queryLogFile(): string {
    return join(this.home, 'query-log.sqlite');
  }

  async cli(...args: string[]): Promise<Finished> {
    const command = placed(this.#placement, process.execPath, [commandLine, ...args]);
    return await run(...command, { env: { SOTTO_HOME: this.home } });
  }

  /** The one object that a command prints with --json, also where its exit code reports a failure. */
  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.cli(...args, '--json');
    if (stdout === '') throw new Error(`sotto ${args.join(' ')} ended with ${code}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** One call by the contract, for a test that is not about the command line. */
  async call<Name extends MethodName>(name: Name, params: Params<Name>): Promise<ResultOf<Name>> {
    return await callService(this.controlSocket, name, params);
  }

  async status(): Promise<ServiceStatus> {
    return await this.call('status.get', {});
  }

  /** The newest last, and all queries that have been answered among them. */
  async log({ limit = 50, ...filter }: LogFilter = {}): Promise<QueryEvent[]> {
    const events: QueryEvent[] = [];
    let page: QueryEvent[];
    do {
      const asked = { ...filter, limit: Math.min(rowsAPage, limit - events.length) };
      const older = events.length > 0 ? { beforeId: events.at(-1)?.id } : {};
      page = (await this.call('log.query', { ...asked, ...older })).events;
      events.push(...page);
    } while (page.length === rowsAPage && events.length < limit);
    return events.reverse();
  }

  /** The log's newest entry for a name, once it is written. */
  async logged(name: string): Promise<QueryEvent> {
    return await eventually(
      `${name} in the log`,
      async () => (await this.log({ name, limit: 1 }))[0],
    );
  }

  /** The outcomes of a name's queries, oldest first, once this many are in the log. */
  async outcomes(name: string, count: number): Promise<QueryEvent['outcome'][]> {
    const events = await eventually(`${count} times ${name} in the log`, async () => {
      const found = await this.log({ name });
      return found.length >= count && found;
    });
    return events.map(({ outcome }) => outcome);
  }

  async follow(lab: Lab, ...options: string[]): Promise<Program> {
    const args = [commandLine, 'log', '--follow', '--json', ...options];
    const command = placed(this.#placement, process.execPath, args);
    return lab.adopt(await Program.start(...command, { env: { SOTTO_HOME: this.home } }));
  }

  /** Writes the settings as an editor does: a new file, then renamed into place. */
  async writeSettings(text: string): Promise<void> {
    const file = join(this.home, 'settings.json');
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  /** Changes settings live and waits until they are in force. */
  async apply(settings: SettingsFile): Promise<void> {
    this.#settings = withListen(settings, this.port);
    await this.writeSettings(JSON.stringify(this.#settings));
    await eventually('the settings are in force', async () => {
      const inForce = await this.call('settings.effective', {});
      return inForce.settings
        .filter(({ key }) => key in this.#settings)
        .every(({ key, value }) => isDeepStrictEqual(value, this.#settings[key]));
    });
  }

  async restart(): Promise<void> {
    this.#program = await launch(this.home, this.#placement);
    await this.#ready();
  }

  signal(signal: NodeJS.Signals): void {
    this.#program.signal(signal);
  }

  get exited(): Promise<Exit> {
    return this.#program.exited;
  }

  /** Ends it as a person does who wants it to end, and DNS as it was. */
  async quit(): Promise<Exit> {
    await this.call('service.stop', {});
    return await this.exited;
  }

  /** Ends it by SIGTERM, which is no request to stop: the system's DNS stays as it is. */
  async stop(): Promise<Exit> {
    return await this.#program.stop();
  }

  async kill(): Promise<Exit> {
    return await this.#program.stop('SIGKILL');
  }

  transcript(): string {
    return `${this.#program.transcript()}\nsettings: ${JSON.stringify(this.#settings)}`;
  }

  async #ready(): Promise<void> {
    // each look from a namespace takes a program, so the socket is asked first
    const probe = async () => (await this.status()) && (await this.#answers());
    await this.#program.ready(probe, startMs);
  }

  async #answers(): Promise<boolean> {
    const { address, port } = this.v4;
    if (this.#placement.on === undefined)
      return parse(await askUdp(this.v4, encodeQuery('localhost', 'A'), 500)).answers.length === 1;
    const asking = [`@${address}`, '-p', `${port}`, 'localhost', '+short', '+tries=1', '+time=5'];
    const { stdout } = await run(...placed(this.#placement, locate('dig'), asking));
    return stdout.trim() === '127.0.0.1';
  }
}

async function serviceHome(lab: Lab): Promise<string> {
  return await mkdtemp(join(lab.directory, 'home-'));
}

function launch(home: string, placement: Placement = {}): Promise<Program> {
  const args = [...nodeFlags, commandLine, 'run', ...(placement.guarded ? ['--guarded'] : [])];
  const env = { ...placement.env, SOTTO_HOME: home };
  return Program.start(...placed(placement, process.execPath, args), { env });
}

function placed({ on }: Placement, command: string, args: string[]): [string, string[]] {
  return on?.inside(command, args) ?? [command, args];
}

function withListen(settings: SettingsFile, port: number): SettingsFile {
  return { listen: [`127.0.0.1:${port}`, `[::1]:${port}`], systemResolvers: [], ...settings };
}
