/** A program the demo started: it ends when the demo ends. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const patience = 5_000;

export class Program {
  readonly name: string;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #complaints = '';

  /** It has a process group of its own, so that Ctrl-C reaches only the demo, which then stops everything in order. */
  constructor(name: string, command: string, args: string[], options: SpawnOptions = {}) {
    this.name = name;
    this.#child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      detached: true,
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints = (this.#complaints + text).slice(-4_000);
    });
    const kill = () => this.#child.kill('SIGKILL');
    process.once('exit', kill);
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#complaints += error.message;
        resolve();
      });
      this.#child.once('close', () => resolve());
    });
    this.ended.then(() => process.off('exit', kill));
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && !!this.#child.pid;
  }

  /** Whether its complaints hold these words; all of them are there once it has ended. */
  async complained(words: string): Promise<boolean> {
    await this.ended;
    return this.#complaints.includes(words);
  }

  /** The first line of its output that `read` understands; throws with its output if it ends before. */
  async line<Value>(read: (line: string) => Value | undefined): Promise<Value> {
    const { stdout } = this.#child;
    if (!stdout) throw new Error(`${this.name} has no output to read`);
    const lines = createInterface({ input: stdout });
    const found = new Promise<Value>((resolve) => {
      lines.on('line', (line) => {
        const value = read(line);
        if (value !== undefined) resolve(value);
      });
    });
    return Promise.race([found, this.failure()]);
  }

  /** Never resolves; throws when the program ends. */
  async failure(): Promise<never> {
    await this.ended;
    throw new Error(`${this.name} ended:\n${this.#complaints.trim() || 'it said nothing'}`);
  }

  async stop(): Promise<void> {
    if (!this.running) return;
    this.#child.kill('SIGTERM');
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), patience);
    await this.ended;
    clearTimeout(deadline);
  }
}
