/** One program outside this process: started, watched, and reliably ended. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { eventually, patienceMs } from './eventually.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface StartOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** The kernel can end a program together with its parent here, so that even a killed test run leaves none behind. */
const setpriv = '/usr/bin/setpriv';
const endsWithUs = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];

const running = new Set<Program>();
process.once('exit', () => {
  for (const program of running) program.signal('SIGKILL');
});

/** A start costs more processor time than anything that a program does later. */
const startWithinMs = 2 * patienceMs;

export class Program {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stdout = '';
  stderr = '';
  #exit: Exit | undefined;

  /** The program leads its own process group, so that its children go with it. */
  static async start(
    command: string,
    args: string[],
    options: StartOptions = {},
  ): Promise<Program> {
    const [file = command, ...rest] = [...endsWithUs, command, ...args];
    const child = spawn(file, rest, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    await new Promise<void>((started, failed) => {
      child.once('spawn', started);
      child.once('error', failed);
    });
    return new Program(`${command} ${args.join(' ')}`, child);
  }

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.pid = child.pid as number;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((done) => {
      child.once('close', (code, signal) => {
        this.#exit = { code, signal };
        running.delete(this);
        done(this.#exit);
      });
    });
    running.add(this);
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Waits for `probe`, and stops waiting as soon as the program has ended. */
  async ready<T>(
    probe: () => Promise<T | null | undefined | false>,
    deadlineMs = startWithinMs,
  ): Promise<T> {
    try {
      const orEnded = async () => (this.#exit === undefined ? await probe() : ended);
      // The end is the first of the two, so that it is the result where the program has ended already.
      const found = await Promise.race([
        this.#endedTooEarly(),
        eventually(`${this.name} is ready`, orEnded, deadlineMs),
      ]);
      return found as T;
    } catch (error) {
      await this.stop('SIGKILL');
      throw new Error(`${(error as Error).message}\n${this.transcript()}`);
    }
  }

  async line(pattern: RegExp, deadlineMs = patienceMs): Promise<RegExpExecArray> {
    return await eventually(
      `a line like ${pattern} from ${this.name}`,
      () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr),
      deadlineMs,
    );
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#exit !== undefined) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.signal(signal);
    const timer = setTimeout(() => this.signal('SIGKILL'), patienceMs);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  transcript(): string {
    return `--- ${this.name} (pid ${this.pid}, ${describeExit(this.#exit)})\n${this.stdout}${this.stderr}`;
  }

  async #endedTooEarly(): Promise<never> {
    const exit = await this.exited;
    throw new Error(`${this.name} ${describeExit(exit)} before it was ready`);
  }
}

/** Ends the waiting for a program that is gone; what is told is how it ended. */
const ended = Symbol('ended');

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** bash reads a person's .bashrc where its input is a socket, as it is here, and it takes itself for the first shell. */
const notTheFirstShell = { SHLVL: '2' };

interface RunOptions extends StartOptions {
  timeoutMs?: number;
  /** what it reads from its standard input */
  input?: string;
}

/** Runs a program to its end; a failing exit code is a value, a program that cannot start is an error. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((done, failed) => {
    const settings = {
      cwd: options.cwd,
      env: { ...process.env, ...notTheFirstShell, ...options.env },
      timeout: options.timeoutMs ?? patienceMs,
      maxBuffer: 64 << 20,
    };
    const child = execFile(command, args, settings, (error, stdout, stderr) => {
      if (error === null) done({ code: 0, stdout, stderr });
      else if (typeof error.code === 'number') done({ code: error.code, stdout, stderr });
      else failed(new Error(`${command} ${args.join(' ')}: ${error.message}\n${stdout}${stderr}`));
    });
    if (options.input !== undefined) child.stdin?.end(options.input);
  });
}

/** The same where any exit code but 0 is an error. */
export async function succeed(
  command: string,
  args: string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  return stdout;
}

function describeExit(exit: Exit | undefined): string {
  if (exit === undefined) return 'running';
  return exit.signal === null ? `ended with ${exit.code}` : `killed by ${exit.signal}`;
}

/** Server programs live in directories that a user's PATH often lacks. */
const directories = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
];

export function findProgram(program: string): string | undefined {
  return directories.map((directory) => join(directory, program)).find((path) => existsSync(path));
}
