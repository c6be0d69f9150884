/**
 * A program on a machine that looks up a new name every 50 ms as programs do, by the C library and /etc/resolv.conf, under
 * another user than Sotto's. `heard` of the network's resolver shows which names went past Sotto.
 */
import { join } from 'node:path';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

/** Debian's number of the user nobody. */
const nobody = '65534';
const program = join(import.meta.dirname, 'asking.ts');
const env = { UV_THREADPOOL_SIZE: '128', RES_OPTIONS: 'timeout:1 attempts:2' };
const patienceMs = 60_000;

export class AskingProgram {
  readonly #word: string;
  readonly #program: Program;
  /** when each name was queried, in unix milliseconds */
  readonly #askedAt: number[] = [];
  readonly #answered: number[] = [];
  #read = 0;

  /** Its names are `word1.far.example`, `word2.far.example`, … */
  static async start(lab: Lab, machine: Machine, word: string): Promise<AskingProgram> {
    const started = await machine.start(process.execPath, [program, word, nobody], { env });
    return lab.adopt(new AskingProgram(word, started));
  }

  private constructor(word: string, program: Program) {
    this.#word = word;
    this.#program = program;
  }

  /** How many names it has queried. */
  get asked(): number {
    this.#readOn();
    return this.#askedAt.length;
  }

  /** Waits until so many more names were queried. */
  async more(count: number): Promise<void> {
    const enough = this.asked + count;
    await eventually(`${count} more names`, () => this.asked >= enough, patienceMs);
  }

  /** Waits until so many names that are queried from now on have responses. */
  async answered(count: number): Promise<void> {
    const from = this.asked;
    const isEnough = () => {
      this.#readOn();
      return this.#answered.filter((number) => number > from).length >= count;
    };
    await eventually(`${count} names are answered`, isEnough, patienceMs);
  }

  /**
   * The number of this name among its names, from 1; 0: it is none of them. With a search list, a domain of the network stands
   * behind the name.
   */
  numberOf(name: string): number {
    if (!name.startsWith(this.#word)) return 0;
    const [, number = '0'] =
      /^(\d+)\.far\.example(?:\.|$)/.exec(name.slice(this.#word.length)) ?? [];
    return Number(number);
  }

  /** When the names were queried that this resolver received, in unix milliseconds, the earliest first. */
  leaked(heard: readonly string[]): number[] {
    this.#readOn();
    const numbers = new Set(heard.map((name) => this.numberOf(name)));
    return this.#askedAt.filter((_at, index) => numbers.has(index + 1));
  }

  /** Ends it; resolves when each of its names has a response or has failed. */
  async end(): Promise<void> {
    await this.#program.stop('SIGTERM');
  }

  async stop(): Promise<void> {
    await this.#program.stop('SIGKILL');
  }

  #readOn(): void {
    const { stdout } = this.#program;
    const end = stdout.lastIndexOf('\n') + 1;
    for (const line of stdout.slice(this.#read, end).split('\n')) {
      const [what, number, at] = line.split(' ');
      if (what === 'asked') this.#askedAt.push(Number(at));
      if (what === 'answered') this.#answered.push(Number(number));
    }
    this.#read = end;
  }
}
