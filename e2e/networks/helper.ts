/**
 * sotto-helper on a machine, with a journal of that machine's own. Tests send it requests over its socket, as the service does.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  type HelperReply,
  helperReply,
  helperSocket,
} from '../../app/contract/system/helper-protocol.ts';
import { helper } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Finished, Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';
import { inShared, shareRepository } from './shared-repository.ts';

export const journalFile = '/var/lib/sotto-helper/journal.json';
/** The user "nobody", as whom the service runs here. */
export const serviceUser = 65_534;

const standsStill = /timed out|took too long|goes on/;

type Done = Extract<HelperReply, { ok: unknown }>['ok'];

export class Helper {
  readonly machine: Machine;
  readonly #words: string[];
  #program: Program | undefined;

  static async start(lab: Lab, machine: Machine, ...words: string[]): Promise<Helper> {
    await machine.shell(
      `mkdir /run/state /run/state-work
       mount -t overlay overlay -o lowerdir=/var/lib,upperdir=/run/state,workdir=/run/state-work /var/lib`,
    );
    await shareRepository(machine);
    const started = lab.adopt(new Helper(machine, words));
    await started.start();
    return started;
  }

  private constructor(machine: Machine, words: string[]) {
    this.machine = machine;
    this.#words = words;
  }

  async start(): Promise<void> {
    const program = await this.machine.start(helper, ['--for', `${serviceUser}`, ...this.#words]);
    this.#program = program;
    await program.ready(async () => {
      const socket = await this.#connect();
      socket.destroy();
      return true;
    });
  }

  get pid(): number {
    return this.#program?.pid ?? 0;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#program?.stop(signal);
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** The helper's reply; a refusal is an error here. It waits for other programs only shortly, so it is asked again where one stood still. */
  async ask(request: object): Promise<Done> {
    const reply = await eventually('no other program keeps the helper waiting', async () => {
      const said = await this.reply(request);
      if ('failed' in said && standsStill.test(said.failed.message))
        throw new Error(said.failed.message);
      return said;
    });
    if ('failed' in reply) throw new Error(`${reply.failed.code}: ${reply.failed.message}`);
    return reply.ok;
  }

  async reply(request: object): Promise<HelperReply> {
    const line = await this.exchange(`${JSON.stringify(request)}\n`);
    return helperReply.parse(JSON.parse(line));
  }

  /** Holds what is taken until the function returned is called. */
  async hold(): Promise<() => Promise<void>> {
    const socket = await this.#connect();
    socket.on('error', () => {});
    socket.write('{"verb":"hold"}\n');
    await once(socket, 'data');
    return async () => {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    };
  }

  /** Everything that the helper sends until it closes the connection, or its first line. */
  async exchange(octets: string | Buffer): Promise<string> {
    const socket = await this.#connect();
    socket.setEncoding('utf8');
    let heard = '';
    socket.on('data', (text: string) => {
      heard += text;
      if (heard.includes('\n')) socket.destroy();
    });
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write(octets);
    await closed;
    return heard;
  }

  /** The one-shot command, as root or as another user. */
  async command(user: number, ...words: string[]): Promise<Finished> {
    const as = ['--reuid', `${user}`, '--clear-groups', '--', inShared(helper), ...words];
    return await this.machine.run('setpriv', as);
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  /** It sees the machine's /run, which is reached through /proc/PID/root. */
  async #connect(): Promise<Socket> {
    const socket = connect(join(`/proc/${this.#program?.pid}/root`, helperSocket));
    await once(socket, 'connect');
    return socket;
  }
}
