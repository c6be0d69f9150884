/** Polkit's own agent for terminals, in a terminal of its own (script(1)): it shows the prompt, and a person types there. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { InstallTarget } from './install-target.ts';

const registered = 'agent-is-registered';
/** The agent closes descriptor 3 once polkit knows it. */
const begin = `told=$(mktemp -u); mkfifo "$told"; { cat "$told"; rm "$told"; echo ${registered}; } &
  exec pkttyagent --process "$1" --notify-fd 3 3>"$told"`;

export class PasswordAgent {
  shown = '';
  readonly #program: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;
  #seen = 0;
  #typed = '';

  /** For prompts of this process alone. */
  static async open(
    lab: Lab,
    machine: InstallTarget,
    who: string,
    pid: string,
  ): Promise<PasswordAgent> {
    const words = ['script', '-qec', `sh -c '${begin}' sh ${pid}`, '/dev/null'];
    const [command, args] = machine.inside(words, who);
    const opened = lab.adopt(
      new PasswordAgent(
        spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true }),
      ),
    );
    await opened.#shows(new RegExp(registered));
    return opened;
  }

  private constructor(program: ChildProcessByStdio<Writable, Readable, null>) {
    this.#program = program;
    program.stdin.on('error', () => {});
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.shown += text;
      this.#typeAgain();
    });
    this.#ended = once(program, 'close');
  }

  /** Waits for the next prompt; its text. */
  async prompt(): Promise<string> {
    const text = () => this.shown.slice(this.#seen);
    await eventually('a password prompt', () => /Password: *$/.test(text()));
    const prompt = text();
    this.#seen = this.shown.length;
    return prompt;
  }

  type(text: string): void {
    this.#typed = text;
    this.#program.stdin.write(`${text}\r`);
  }

  /** What is typed before the terminal hides it can be read there, and is thrown away: tcsetattr(3), TCSAFLUSH. */
  #typeAgain(): void {
    if (this.#typed === '' || !this.shown.slice(this.#seen).includes(this.#typed)) return;
    this.#seen = this.shown.length;
    this.type(this.#typed);
  }

  /** Closes the terminal, as a person who does not want to. */
  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#program;
    if (pid !== undefined && exitCode === null && signalCode === null)
      process.kill(-pid, 'SIGKILL');
    await this.#ended;
  }

  transcript(): string {
    return this.shown;
  }

  async #shows(pattern: RegExp): Promise<void> {
    await eventually(`${pattern} in the agent's terminal`, () => pattern.test(this.shown));
    this.#seen = this.shown.length;
  }
}
