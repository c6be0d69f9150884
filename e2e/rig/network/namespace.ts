/**
 * Network namespaces as machines of the lab. Their names hold the id of the process that made them, so that parallel runs do
 * not collide and namespaces of a killed run are recognised.
 */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { ip } from '../available.ts';
import type { Lab } from '../lab.ts';
import { type Finished, Program, run, succeed } from '../process.ts';

const name = /^sotto-(\d+)-/;

interface Options {
  cwd?: string;
  env?: Record<string, string>;
}

export class Namespace {
  readonly name: string;

  static async create(lab: Lab, purpose: string): Promise<Namespace> {
    await removeLeftovers();
    const unique = `sotto-${process.pid}-${randomBytes(3).toString('hex')}-${purpose}`;
    await succeed(ip, ['netns', 'add', unique]);
    const namespace = lab.adopt(new Namespace(unique));
    await namespace.ip('link', 'set', 'lo', 'up');
    return namespace;
  }

  private constructor(name: string) {
    this.name = name;
  }

  /** `ip` about this namespace. */
  async ip(...args: string[]): Promise<string> {
    return await succeed(ip, ['-n', this.name, ...args]);
  }

  /** Several commands of `ip` about this namespace, by one process. */
  async ipAll(...commands: string[]): Promise<void> {
    await succeed(ip, ['-n', this.name, '-batch', '-'], { input: `${commands.join('\n')}\n` });
  }

  /** The command line that runs a program here, for code that starts programs itself. */
  inside(command: string, args: string[]): [string, string[]] {
    return [ip, ['netns', 'exec', this.name, command, ...args]];
  }

  /** Starts a program here; the caller ends it, or the lab once it has adopted it. */
  async start(command: string, args: string[], options: Options = {}): Promise<Program> {
    return await Program.start(...this.inside(command, args), options);
  }

  async run(
    command: string,
    args: string[],
    options: Options & { timeoutMs?: number } = {},
  ): Promise<Finished> {
    return await run(...this.inside(command, args), options);
  }

  /** `net.ipv4.tcp_fastopen` and the like, for this namespace alone. */
  async sysctl(key: string, value: string | number): Promise<void> {
    const file = `/proc/sys/${key.replaceAll('.', '/')}`;
    await succeed(...this.inside('/bin/sh', ['-c', 'echo "$1" > "$2"', 'sh', `${value}`, file]));
  }

  /** Removes it with everything that runs in it. */
  async stop(): Promise<void> {
    await remove(this.name);
  }
}

/** Removes the namespaces of runs that have died. */
export async function removeLeftovers(): Promise<void> {
  const names = await readdir('/run/netns').catch(() => []);
  const ofTheDead = names.filter((each) => {
    const owner = name.exec(each)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  for (const each of ofTheDead) await remove(each);
}

async function remove(namespace: string): Promise<void> {
  const { stdout } = await run(ip, ['netns', 'pids', namespace]);
  for (const pid of stdout.split('\n').filter(Boolean)) kill(Number(pid));
  await run(ip, ['netns', 'delete', namespace]);
}

function isAlive(pid: number): boolean {
  return kill(pid, 0);
}

/** Whether there was such a process. */
function kill(pid: number, signal: NodeJS.Signals | 0 = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
