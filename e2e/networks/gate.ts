/** The gate on a machine: it rejects what goes past Sotto, and lets pass what the service's user sends. */
import { helper } from '../../build/places.mjs';
import type { Lab } from '../system/lab.ts';
import type { Program } from '../system/process.ts';
import type { Machine } from './machine.ts';

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

  /** The installed service runs as root in these networks. */
  async start(): Promise<void> {
    const program = await this.#machine.start(helper, ['gate', '--for', '0']);
    this.#program = program;
    await program.ready(
      async () => (await this.#machine.run('test', ['-S', '/run/sotto-gate/gate.sock'])).code === 0,
    );
  }

  /** What the kernel has of ours. */
  async isClosed(): Promise<boolean> {
    return (await this.#machine.run('nft', ['list', 'table', 'inet', 'sotto'])).code === 0;
  }

  async kill(): Promise<void> {
    await this.#program?.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }
}
