/**
 * This machine as a new account finds it: a clone of the last commit, and nothing in the folders of npm, cargo and the account. What
 * README says is served at fixed ports, so root runs that in a network of its own, from which nothing can be reached.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyHome } from '../../build/empty-home.ts';
import { root } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import { Program, succeed } from '../rig/process.ts';

/** Longer than a first build takes on a busy machine; all tests take longest. */
const patienceMs = 7_200_000;

export class NewMachine {
  readonly clone: string;
  /** Whether what takes longest is run to its end. */
  readonly isWhole: boolean;
  readonly #place: string;
  readonly #environment: string[];
  readonly #apart: Program;
  readonly #programs: Program[] = [];

  static async make(isWhole: boolean): Promise<NewMachine> {
    const place = mkdtempSync(join(tmpdir(), 'sotto-machine-'));
    await succeed('git', ['clone', '--quiet', '--no-hardlinks', root, join(place, 'sotto')]);
    const script = 'ip link set lo up && exec sleep infinity';
    const own = process.getuid?.() === 0 ? ['unshare', '--net'] : ['env'];
    const [command = '', ...words] = [
      ...own,
      'sh',
      '-c',
      own[0] === 'env' ? 'exec sleep infinity' : script,
    ];
    return new NewMachine(place, isWhole, await Program.start(command, words));
  }

  private constructor(place: string, isWhole: boolean, apart: Program) {
    this.#place = place;
    this.clone = join(place, 'sotto');
    this.isWhole = isWhole;
    this.#apart = apart;
    mkdirSync(join(place, 'home'));
    const environment = Object.entries(emptyHome(join(place, 'home')));
    this.#environment = environment.map(([name, value]) => `${name}=${value}`);
  }

  /** Word for word, in a shell. `apart`: in the network of its own. */
  async start(command: string, where: 'here' | 'apart' = 'here'): Promise<Program> {
    const enter = ['nsenter', '--target', `${this.#apart.pid}`, '--net'];
    const isApart = where === 'apart' && process.getuid?.() === 0;
    const words = [...this.#environment, ...(isApart ? enter : []), 'bash', '-c', command];
    const program = await Program.start('env', ['-i', ...words], { cwd: this.clone });
    this.#programs.push(program);
    return program;
  }

  /** Waits until it prints this; a program that ends without is told whole. */
  async line(program: Program, pattern: RegExp): Promise<RegExpExecArray> {
    const found = await eventually(
      `${program.name} prints ${pattern}`,
      () => pattern.exec(program.stdout) ?? pattern.exec(program.stderr) ?? program.exit,
      patienceMs,
    );
    if ('index' in found) return found;
    throw new Error(`it ended and did not print ${pattern}\n${program.transcript()}`);
  }

  async ends(program: Program): Promise<void> {
    const { code } = await program.exited;
    if (code !== 0) throw new Error(`it ended with ${code}\n${program.transcript()}`);
  }

  /** As Ctrl-C does, which npm passes on as its own end. */
  async interrupt(program: Program): Promise<void> {
    program.signal('SIGINT');
    const { code, signal } = await program.exited;
    if (code !== 0 && signal !== 'SIGINT' && code !== 130)
      throw new Error(`Ctrl-C ended it with ${code ?? signal}\n${program.transcript()}`);
  }

  async close(): Promise<void> {
    for (const program of this.#programs.toReversed()) await program.stop('SIGINT');
    await this.#apart.stop();
    rmSync(this.#place, { recursive: true, force: true });
  }
}
