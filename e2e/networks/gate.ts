/** The gate on a machine: it rejects what goes past Sotto, and lets through what the service's user sends. */
import { gateReply, gateSocket } from '../../app/contract/system/gate-protocol.ts';
import { helper } from '../../build/places.mjs';
import { locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

/** The installed service runs as root in these networks. */
const serviceUser = '0';

export class Gate {
  readonly #machine: Machine;
  #program: Program | undefined;

  static async start(lab: Lab, machine: Machine): Promise<Gate> {
    const gate = lab.adopt(new Gate(machine));
    await gate.start();
    return gate;
  }

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  async start(): Promise<void> {
    const program = await this.#machine.start(helper, ['gate', '--for', serviceUser]);
    this.#program = program;
    await program.ready(
      async () => (await this.#exchange(serviceUser, '{"verb":"status"}')) !== '',
    );
  }

  get pid(): number {
    return this.#program?.pid ?? 0;
  }

  async asks(request: object): Promise<ReturnType<typeof gateReply.parse>> {
    const line = await eventually('the gate replies', () =>
      this.#exchange(serviceUser, JSON.stringify(request)),
    );
    return gateReply.parse(JSON.parse(line));
  }

  /** The reply to another user; empty: none. */
  async asksAs(user: string, request: object): Promise<string> {
    return await this.#exchange(user, JSON.stringify(request));
  }

  /** Our rules in the kernel. */
  async isClosed(): Promise<boolean> {
    return (await this.#machine.run('nft', ['list', 'table', 'inet', 'sotto'])).code === 0;
  }

  /** Runs the command as root does by hand. */
  async giveBack(): Promise<void> {
    await this.#machine.succeed(helper, 'give-back');
  }

  async kill(): Promise<void> {
    await this.#program?.stop('SIGKILL');
  }

  async #exchange(user: string, line: string): Promise<string> {
    const ask = `echo "$0" | ${locate('socat')} -t 60 - UNIX-CONNECT:${gateSocket}`;
    const as = ['--reuid', user, '--clear-groups', '--', '/bin/sh', '-c', ask, line];
    return (await this.#machine.run('setpriv', as)).stdout.trim();
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }
}
