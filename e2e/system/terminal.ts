/** Runs the guardian in a terminal of its own (script(1)), and presses keys there. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { guardian } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { prepare, type Wishes } from './guardian.ts';

export const ctrlC = '\x03';

export class Terminal {
  readonly home: string;
  /** resolves with the guardian's exit status */
  readonly ended: Promise<number | null>;
  shown = '';
  readonly #program: ChildProcessByStdio<Writable, Readable, null>;

  static async open(lab: Lab, wishes: Wishes = {}): Promise<Terminal> {
    const { home, args, env } = await prepare(lab, wishes);
    const line = [guardian, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    const program = spawn('script', ['-qec', `exec ${line.join(' ')}`, '/dev/null'], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return lab.adopt(new Terminal(home, program));
  }

  private constructor(home: string, program: ChildProcessByStdio<Writable, Readable, null>) {
    this.home = home;
    this.#program = program;
    program.stdin.on('error', () => {});
    program.stdout.setEncoding('utf8').on('data', (text: string) => (this.shown += text));
    this.ended = once(program, 'close').then(([code]) => code);
  }

  async shows(pattern: RegExp): Promise<void> {
    await eventually(`${pattern} in the terminal`, () => pattern.test(this.shown));
  }

  press(key: string): void {
    this.#program.stdin.write(key);
  }

  /** Closes the terminal. */
  async stop(): Promise<void> {
    this.#program.kill('SIGKILL');
    await this.ended;
  }

  transcript(): string {
    return this.shown;
  }
}
