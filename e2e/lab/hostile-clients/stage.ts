/** A service of the machine, whose control socket every account may open, with entries in its ledger and its query log. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openLedger } from '../../../app/service/protection/ledger.ts';
import { connectToService } from '../../../app/service-client/service-client.ts';
import { nodeFlags } from '../../../build/places.mjs';
import { commandLine } from '../../rig/available.ts';
import type { Lab } from '../../rig/lab.ts';
import { encodeQuery } from '../../rig/message.ts';
import { freePort } from '../../rig/ports.ts';
import { Program, run } from '../../rig/process.ts';
import { askUdp } from '../../rig/raw-client.ts';
import { settingsFor } from '../../system/guardian.ts';
import type { Manner } from './hostile-program.ts';

const setpriv = '/usr/bin/setpriv';
/** Numbers suffice, because the kernel needs no account for them. */
const stranger = [
  ...['--reuid', '54001', '--regid', '54001', '--clear-groups'],
  // changing the user resets what was set before
  ...['--pdeathsig', 'KILL', '--'],
];
const hostile = fileURLToPath(new URL('./hostile-program.ts', import.meta.url));
const entries = 10_000;
/** A client without a status by then counts as getting none; how soon it came is judged apart. */
const patienceMs = 60_000;

export type Who = 'another account' | 'the same account';

/** The reason why it can't be tried here; null: it can. */
export function whyNoStrangers(): string | null {
  if (process.getuid?.() !== 0) return 'only root can become another user';
  if (!existsSync(setpriv)) return 'no setpriv: apt-get install util-linux';
  const version = [process.execPath, commandLine, '--version'];
  return spawnSync(setpriv, [...stranger, ...version]).status === 0
    ? null
    : 'other users may not read this folder';
}

export class Stage {
  readonly #environment: Record<string, string>;
  readonly #socket: string;
  readonly #port: number;
  readonly #program: Program;

  static async open(lab: Lab): Promise<Stage> {
    const place = (name: string) => join(lab.directory, name);
    chmodSync(lab.directory, 0o755);
    for (const folder of ['run', 'config', 'state']) mkdirSync(place(folder), { mode: 0o755 });
    const port = await freePort();
    writeFileSync(place('config/settings.json'), settingsFor([port]));
    fillLedger(place('state/ledger.sqlite'));
    const environment = {
      SOTTO_MODE: 'system',
      CONFIGURATION_DIRECTORY: place('config'),
      STATE_DIRECTORY: place('state'),
      RUNTIME_DIRECTORY: place('run/sotto'),
    };
    const service = [...nodeFlags, commandLine, 'run'];
    const program = lab.adopt(await Program.start(process.execPath, service, { env: environment }));
    await program.ready(async () => program.stderr.includes('"listening"'));
    return new Stage(environment, place('run/sotto/control.sock'), port, program);
  }

  private constructor(
    environment: Record<string, string>,
    socket: string,
    port: number,
    program: Program,
  ) {
    this.#environment = environment;
    this.#socket = socket;
    this.#port = port;
    this.#program = program;
  }

  async attack(manner: Manner, who: Who, connections: number): Promise<Program> {
    const command = [process.execPath, hostile, this.#socket, manner, `${connections}`];
    const [program = '', ...words] =
      who === 'another account' ? [setpriv, ...stranger, ...command] : command;
    const started = await Program.start(program, words);
    await started.ready(async () => started.stdout.includes('at it'));
    return started;
  }

  /** Memory of the service's process, in octets. */
  memory(): number {
    const text = readFileSync(`/proc/${this.#program.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024;
  }

  /** A new connection of an administrator's: hello, and the status. Milliseconds; null: none came. */
  async status(): Promise<number | null> {
    const begun = performance.now();
    const service = await connectToService(this.#socket, 'a person');
    if (!service.ok) return complain(service.failure.message);
    const patience = setTimeout(() => service.value.close(), patienceMs);
    const status = await service.value.call('status.get', {});
    clearTimeout(patience);
    service.value.close();
    return status.ok ? performance.now() - begun : complain(status.failure.message);
  }

  /** `sotto status`, the whole command. Milliseconds; null: it failed. */
  async command(): Promise<number | null> {
    const begun = performance.now();
    const words = [commandLine, 'status', '--json'];
    const { code, stderr } = await run(process.execPath, words, { env: this.#environment });
    // 1: a verdict other than protected, which is a valid result, too
    return code === 0 || (code === 1 && stderr === '')
      ? performance.now() - begun
      : complain(stderr);
  }

  /**
   * Sends a query to which this machine itself responds, and of which subscribers are notified. Milliseconds; null: no response
   * came.
   */
  async query(): Promise<number | null> {
    const begun = performance.now();
    const to = { address: '127.0.0.1', port: this.#port };
    return askUdp(to, encodeQuery('localhost', 'A'), 2000).then(
      () => performance.now() - begun,
      () => null,
    );
  }
}

/** Nothing came; the reason is printed for a person who watches. */
function complain(why: string): null {
  console.error(why);
  return null;
}

function fillLedger(file: string): void {
  openLedger(file, Date.now).release();
  const database = new Database(file);
  const insert = database.prepare(
    `INSERT INTO entries (class, network, networkLabel, "group", rule, reason, who, since, until, count, closed)
     VALUES ('policy', 'someplace', 'Hotel', '', '', ?, 'policy', ?, ?, 5, 'a private path works again')`,
  );
  const reason = 'no private path answered here, and the policy is fallback';
  database.transaction(() => {
    for (let count = 0; count < entries; count++) insert.run(reason, count, count + 1);
  })();
  database.close();
}
