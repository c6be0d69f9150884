/** Runs sotto-helper as its unit does: when it ends, for whatever reason, it is started again. */
import { setTimeout as pause } from 'node:timers/promises';
import { helperSocket } from '../../../app/contract/system/helper-protocol.ts';
import { helper } from '../../../build/places.mjs';
import type { Machine } from '../../networks/machine.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Program } from '../../rig/process.ts';

/** as RestartSec= of sotto-helper.service */
const restartMs = 500;

export class HelperUnit {
  /** how many helpers have listened so far, one after the other */
  starts = 0;
  readonly #machine: Machine;
  readonly #words: string[];
  #program: Program | undefined;
  #ending = false;

  static async start(machine: Machine, words: string[]): Promise<HelperUnit> {
    const unit = new HelperUnit(machine, words);
    await unit.#start();
    return unit;
  }

  private constructor(machine: Machine, words: string[]) {
    this.#machine = machine;
    this.#words = words;
  }

  get pid(): number | null {
    return this.#program?.pid ?? null;
  }

  async started(starts: number): Promise<void> {
    await eventually(`start ${starts} of the helper`, () => this.starts >= starts);
  }

  async #start(): Promise<void> {
    const program = await this.#machine.start(helper, this.#words);
    const isThere = async () => (await this.#machine.run('test', ['-S', helperSocket])).code === 0;
    await program.ready(isThere);
    this.#program = program;
    this.starts++;
    void this.#startAgainAfter(program);
  }

  async #startAgainAfter(program: Program): Promise<void> {
    await program.exited;
    this.#program = undefined;
    await this.#machine.run('rm', ['-f', helperSocket]);
    await pause(restartMs);
    if (!this.#ending) await this.#start();
  }

  async stop(): Promise<void> {
    this.#ending = true;
    await this.#program?.stop();
  }
}
