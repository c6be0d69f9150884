/**
 * A program on a machine that looks a new name up every 50 ms as programs do, by the C library and /etc/resolv.conf, as
 * somebody else than Sotto. `heard` at the network's resolver says which of them went past Sotto.
 */
import { join } from 'node:path';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

/** As Debian numbers nobody. */
const nobody = '65534';
const program = join(import.meta.dirname, 'asking.ts');
const env = { UV_THREADPOOL_SIZE: '128', RES_OPTIONS: 'timeout:1 attempts:2' };
const patienceMs = 60_000;

export class AskingProgram {
  readonly #word: string;
  readonly #program: Program;
  /** when each name was asked for, in unix milliseconds */
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

  /** How many names it has asked for. */
  get asked(): number {
    this.#readOn();
    return this.#askedAt.length;
  }

  /** So many more names are asked. */
  async more(count: number): Promise<void> {
    const enough = this.asked + count;
    await eventually(`${count} more names`, () => this.asked >= enough, patienceMs);
  }

  /** So many names that were asked from now on are answered. */
  async answered(count: number): Promise<void> {
    const from = this.asked;
    const isEnough = () => {
      this.#readOn();
      return this.#answered.filter((number) => number > from).length >= count;
    };
    await eventually(`${count} names are answered`, isEnough, patienceMs);
  }

  /** Which of its names this is, from 1; 0: none. Programs that search have a domain of the network's behind it. */
  numberOf(name: string): number {
    if (!name.startsWith(this.#word)) return 0;
    const [, number = '0'] =
      /^(\d+)\.far\.example(?:\.|$)/.exec(name.slice(this.#word.length)) ?? [];
    return Number(number);
  }

  /** When the names were asked for that this resolver heard, in unix milliseconds, the earliest first. */
  leaked(heard: readonly string[]): number[] {
    this.#readOn();
    const numbers = new Set(heard.map((name) => this.numberOf(name)));
    return this.#askedAt.filter((_at, index) => numbers.has(index + 1));
  }

  /** It asks no more, and each of its names was answered or failed. */
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
