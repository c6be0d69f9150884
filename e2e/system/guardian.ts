/** Runs the guardian with the real service as its child, in a folder of its own. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guardian } from '../../build/places.mjs';
import { commandLine } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { encodeQuery, parse } from '../rig/message.ts';
import { freePort } from '../rig/ports.ts';
import { Program } from '../rig/process.ts';
import { askUdp, type Endpoint } from '../rig/raw-client.ts';
import type { UpstreamSetting } from './stage.ts';

export const whyNoGuardian =
  process.platform !== 'linux'
    ? 'the guardian is for Linux'
    : existsSync(guardian)
      ? null
      : 'the guardian is not built: npm test builds it';

export interface Wishes {
  /** of sotto-guardian */
  options?: string[];
  /** run by sh, which becomes the service where it says `exec "$@"` */
  before?: string;
  environment?: Record<string, string>;
  settings?: string;
  upstreams?: UpstreamSetting[];
  policy?: string;
}

export class GuardedService {
  readonly program: Program;
  readonly home: string;
  readonly port: number;

  static async start(lab: Lab, wishes: Wishes = {}): Promise<GuardedService> {
    const { home, port, args, env } = await prepare(lab, wishes);
    const program = await Program.start(guardian, args, { env });
    return lab.adopt(new GuardedService(program, home, port));
  }

  private constructor(program: Program, home: string, port: number) {
    this.program = program;
    this.home = home;
    this.port = port;
  }

  get endpoint(): Endpoint {
    return { address: '127.0.0.1', port: this.port };
  }

  /** How often a service has reported that it is ready. */
  get starts(): number {
    return this.program.stderr.split('the service is ready').length - 1;
  }

  async ready(starts = 1): Promise<void> {
    const enough = async () => this.starts >= starts;
    await this.program.ready(enough);
  }

  /** The process the guardian started last; null between two of them. */
  servicePid(): number | null {
    return childrenOf(this.program.pid).at(-1) ?? null;
  }

  signalService(signal: NodeJS.Signals): number {
    const pid = this.servicePid();
    if (pid === null) throw new Error('there is no service');
    process.kill(pid, signal);
    return pid;
  }

  /**
   * Queries a name to which Sotto responds without an upstream, and repeats the query as a stub resolver does when nothing comes.
   */
  async answers(): Promise<void> {
    await eventually('an answer', async () => {
      const response = await askUdp(this.endpoint, encodeQuery('localhost', 'A'), 1000);
      return parse(response).answers.length === 1;
    });
  }

  transcript(): string {
    return this.program.transcript();
  }

  async stop(): Promise<unknown> {
    return await this.program.stop();
  }
}

/** Makes a folder, and the guardian's command line for it. */
export async function prepare(lab: Lab, wishes: Wishes) {
  const home = await mkdtemp(join(lab.directory, 'guarded-'));
  const port = await freePort();
  await writeFile(
    join(home, 'settings.json'),
    wishes.settings ?? settingsFor([port], wishes.upstreams),
  );
  if (wishes.policy !== undefined) await writeFile(join(home, 'guardian.json'), wishes.policy);
  const service = [process.execPath, commandLine, 'run'];
  const command = ['/bin/sh', '-c', wishes.before ?? 'exec "$@"', 'sh', ...service];
  const listen = ['--listen', `127.0.0.1:${port}`];
  const args = [...listen, '--state', home, ...(wishes.options ?? []), '--', ...command];
  return { home, port, args, env: { SOTTO_HOME: home, ...wishes.environment } };
}

/** The oldest first. */
export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

export function settingsFor(ports: number[], upstreams: UpstreamSetting[] = [nobody]): string {
  const listen = ports.map((port) => `127.0.0.1:${port}`);
  return JSON.stringify({ listen, systemResolvers: [], upstreams });
}

/** No server listens there. */
const nobody: UpstreamSetting = {
  id: 'nobody',
  transport: 'dot',
  address: '127.0.0.1:1',
  name: 'dns.example',
};
