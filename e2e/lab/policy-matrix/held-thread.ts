/** Stops the main thread of a process while its other threads go on, as when the control plane hangs and the engine works. */
import { join } from 'node:path';
import type { Lab } from '../../rig/lab.ts';
import { Program, succeed } from '../../rig/process.ts';

const source = join(import.meta.dirname, 'hold-thread.c');

export class HeldThread {
  readonly #program: Program;

  static async hold(lab: Lab, pid: number): Promise<HeldThread> {
    const holder = join(lab.directory, 'hold-thread');
    await succeed('cc', ['-O1', '-o', holder, source]);
    const program = await Program.start(holder, [String(pid)]);
    const held = lab.adopt(new HeldThread(program));
    await program.ready(async () => program.stdout.includes('held'));
    return held;
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  async letGo(): Promise<void> {
    await this.#program.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.letGo();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}
