/**
 * A program on a machine that looks a new name up every 50 ms as programs do, by the C library and /etc/resolv.conf, as
 * somebody else than Sotto. `heard` at the network's resolver says which of them went past Sotto.
 */
import { eventually } from '../system/eventually.ts';
import type { Lab } from '../system/lab.ts';
import type { Program } from '../system/process.ts';
import type { Machine } from './machine.ts';

/** As Debian numbers nobody. */
const nobody = '65534';

const ask = `
count=0
while :; do
  count=$((count + 1))
  echo "$count $(date +%s%3N)"
  timeout 2 getent ahostsv4 "$0$count.far.example" >/dev/null 2>&1 &
  sleep 0.05
done`;

export class AskingProgram {
  readonly word: string;
  readonly #program: Program;

  static async start(lab: Lab, machine: Machine, word: string): Promise<AskingProgram> {
    const as = ['--reuid', nobody, '--regid', nobody, '--clear-groups', '--'];
    const program = await machine.start('setpriv', [...as, '/bin/bash', '-c', ask, word]);
    return lab.adopt(new AskingProgram(word, program));
  }

  private constructor(word: string, program: Program) {
    this.word = word;
    this.#program = program;
  }

  /** How many names it has asked for. */
  get asked(): number {
    return this.#lines().length;
  }

  async more(count: number): Promise<void> {
    const enough = this.asked + count;
    await eventually(`${count} more names`, () => this.asked >= enough, 60_000);
  }

  /** When the names were asked for that this resolver heard, in unix milliseconds. */
  leaked(heard: readonly string[]): number[] {
    const names = new Set(heard);
    return this.#lines()
      .filter(([count]) => names.has(`${this.word}${count}.far.example`))
      .map(([, at]) => Number(at));
  }

  #lines(): string[][] {
    return this.#program.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' '));
  }

  async stop(): Promise<void> {
    await this.#program.stop('SIGKILL');
  }
}
