/**
 * One computer for all trials of a mechanism: the helper in a loop that starts it again as systemd does, and the guardian with the
 * service, unprivileged. The helper has a root of its own, because only there a file makes it die at a step; its folders are links
 * to those of the computer.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { connectToService } from '../../../app/service-client/service-client.ts';
import { guardian, helper } from '../../../build/places.mjs';
import { Computer, type MechanismName } from '../../networks/computer.ts';
import type { Machine } from '../../networks/machine.ts';
import { inShared, shareRepository } from '../../networks/shared-repository.ts';
import { commandLine } from '../../rig/available.ts';
import { eventually, patienceMs } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import type { Program } from '../../rig/process.ts';
import type { Trial } from './plan.ts';

const user = 65_534;
const prefix = '/run/prefix';
const restartWithinMs = 3000;
const restarting = `cd ${prefix}; while :; do
  rm -f die-at-step; if [ -e die-next ]; then mv die-next die-at-step; fi
  "$0" --for ${user} --root ${prefix} --policy ${prefix}/home/guardian.json & echo $! > pid; wait
done`;
const socket = `${prefix}/run/sotto-helper/helper.sock`;
const orphaned = `${prefix}/var/lib/sotto-helper/orphaned.json`;
const unlessBroken = 'test -e "$SOTTO_HOME/broken" && exit 1; exec "$@"';

export class Stage {
  /** the system's DNS as the network configured it */
  untouched = '';
  readonly #lab: Lab;
  readonly #computer: Computer;
  #guarded: Program | undefined;
  #helperLoop: Program | undefined;
  /** how much the helpers had written before this trial */
  #saidBefore = 0;
  #home = '';
  #asked = 0;
  #homes = 0;

  static async open(lab: Lab, mechanism: MechanismName): Promise<Stage> {
    const computer = await Computer.open(lab, mechanism);
    const { client } = computer.networkStage;
    chmodSync(lab.directory, 0o755);
    await shareRepository(client);
    await client.shell(
      'mkdir "$1"; for each in etc run usr sbin var; do ln -s "/$each" "$1"; done',
      prefix,
    );
    const stage = new Stage(lab, computer);
    await stage.#startHelper();
    stage.untouched = await computer.systemDns();
    return stage;
  }

  private constructor(lab: Lab, computer: Computer) {
    this.#lab = lab;
    this.#computer = computer;
  }

  get mechanism(): MechanismName {
    return this.#computer.mechanism;
  }

  get #client(): Machine {
    return this.#computer.networkStage.client;
  }

  /** A guardian and its service, which were started just now. */
  async begin(trial: Trial, take: boolean): Promise<void> {
    this.#home = join(this.#lab.directory, `home-${++this.#homes}`);
    mkdirSync(this.#home, { mode: 0o700 });
    chownSync(this.#home, user, user);
    this.wish(trial, take);
    await this.#client.succeed('ln', '-sfn', this.#home, `${prefix}/home`);
    this.#saidBefore = this.#helperLoop?.stderr.length ?? 0;
    const service = [process.execPath, commandLine, 'run'].map(inShared);
    const giveBack = `exec ${inShared(helper)} give-back --root ${prefix}`;
    this.#guarded = await this.#client.start(
      'setpriv',
      [
        ...['--reuid', `${user}`, '--regid', `${user}`, '--clear-groups'],
        ...['--inh-caps', '+net_bind_service', '--ambient-caps', '+net_bind_service', '--'],
        ...[inShared(guardian), '--listen', `127.0.0.1:${this.#computer.port}`],
        ...['--state', this.#home],
        ...['--give-back', giveBack, '--helper', socket, '--'],
        ...['/bin/sh', '-c', unlessBroken, 'sh', ...service],
      ],
      {
        env: {
          SOTTO_HOME: this.#home,
          SOTTO_HELPER_SOCKET: socket,
        },
      },
    );
    const program = this.#guarded;
    await program.ready(async () => program.stderr.includes('the service is ready'));
  }

  /** Sets whether the system's DNS is to be taken; the service reads that at once. */
  wish({ policy }: Trial, take: boolean): void {
    const file = join(this.#home, 'settings.json');
    const settings = {
      listen: [`127.0.0.1:${this.#computer.port}`],
      upstreams: this.#computer.networkStage.internet.upstreams,
      downgrade: policy,
      systemDns: { take },
    };
    writeFileSync(`${file}.next`, JSON.stringify(settings));
    renameSync(`${file}.next`, file);
  }

  /** Stops the service as a person does; the stop has only begun when this resolves. */
  async quit(): Promise<void> {
    const service = await connectToService(join(this.#home, 'control.sock'), 'the lab');
    if (!service.ok) throw new Error(service.failure.message);
    await service.value.call('service.stop', {});
    service.value.close();
  }

  /** From now on the service can't be started. */
  breakService(): void {
    writeFileSync(join(this.#home, 'broken'), '');
  }

  async kill(victim: Trial['victim']): Promise<void> {
    const pids = await Promise.all(victimsOf(victim).map((one) => this.#pidOf(one)));
    for (const pid of pids) if (pid !== null && pid > 1) killIfThere(pid);
  }

  async #pidOf(victim: 'service' | 'guardian' | 'helper'): Promise<number | null> {
    if (victim === 'helper') return Number(await this.#client.read(`${prefix}/pid`));
    const guarded = this.#guarded?.pid ?? 0;
    if (victim === 'guardian') return guarded;
    return childOf(guarded);
  }

  /** Whether a service that was started since serves now, or will do so soon. */
  async otherHelperThan(before: number | null): Promise<boolean> {
    return await this.#otherHelperThan(before, restartWithinMs).catch(() => false);
  }

  async #otherHelperThan(before: number | null, withinMs = patienceMs): Promise<boolean> {
    const isThere = async () => {
      const now = await this.#pidOf('helper');
      const isOther = now !== null && now > 0 && now !== before;
      return isOther && (await this.#client.run('test', ['-S', socket])).code === 0;
    };
    return await eventually('another helper', isThere, withinMs);
  }

  /** Lets the helper die at this step, counted from now. Resolves with the step's number. */
  async dieAt(step: number): Promise<number | null> {
    await this.#client.write(`${prefix}/die-next`, `${step}`);
    const before = await this.#pidOf('helper');
    await this.kill('helper');
    await this.#otherHelperThan(before);
    return await this.#pidOf('helper');
  }

  async systemDns(): Promise<string> {
    return await this.#computer.systemDns();
  }

  async isOurs(): Promise<boolean> {
    return await this.#computer.isOurs();
  }

  async journalIsEmpty(): Promise<boolean> {
    const file = `${prefix}/var/lib/sotto-helper/journal.json`;
    return (await this.#client.run('test', ['-e', file])).code !== 0;
  }

  /** Sends a query as any program does. The response code; null where no response came. */
  async ask(): Promise<{ name: string; status: string | null }> {
    const name = `n${++this.#asked}.far.example`;
    return { name, status: await this.#dig(...this.#computer.asked, name) };
  }

  /** The response at our address, from the service or the guardian in its place. */
  async askOurs(): Promise<string | null> {
    const ours = ['@127.0.0.1', '-p', `${this.#computer.port}`];
    return await this.#dig(...ours, `n${++this.#asked}.far.example`);
  }

  async #dig(...words: string[]): Promise<string | null> {
    const { stdout } = await this.#client.run('dig', [...words, '+tries=1', '+timeout=1']);
    return /status: (\w+)/.exec(stdout)?.[1] ?? null;
  }

  /** Names that the network's own resolver received. */
  get heardInCleartext(): string[] {
    return this.#computer.networkStage.network.heard;
  }

  get #guardianFile(): string {
    return join(this.#home, 'guardian.json');
  }

  /** Whether the service has left a note that something was taken, or was about to be. */
  get saysTaken(): boolean {
    return (
      existsSync(this.#guardianFile) &&
      readFileSync(this.#guardianFile, 'utf8').includes('"taken":true')
    );
  }

  /** What the helper writes down before it gives back by itself. */
  async orphanEntry(): Promise<boolean> {
    return (await this.#client.run('test', ['-e', orphaned])).code === 0;
  }

  /** In this trial. */
  helperSaid(words: string): boolean {
    return this.#helperLoop?.stderr.slice(this.#saidBefore).includes(words) ?? false;
  }

  get serviceDownEntry(): boolean {
    const journal = join(this.#home, 'service-down.journal');
    return existsSync(journal) && readFileSync(journal, 'utf8').includes('"since"');
  }

  /** Removes all traces of the trial: only the helper runs, and the link is as the network configured it. */
  async end(): Promise<void> {
    const before = await this.#pidOf('helper');
    await this.kill('helper');
    const service = childOf(this.#guarded?.pid ?? 0);
    await this.#guarded?.stop('SIGKILL');
    const { stdout } = await this.#client.run('pgrep', ['-u', `${user}`, '-f', this.#home]);
    const left = [service, ...stdout.split('\n').map(Number)];
    for (const pid of left) if (pid !== null && pid > 1) killIfThere(pid);
    await this.#otherHelperThan(before);
    await this.#client.succeed(inShared(helper), 'give-back', '--root', prefix);
    await this.#client.succeed('rm', '-f', orphaned);
  }

  async #startHelper(): Promise<void> {
    const loop = await this.#client.start('/bin/sh', ['-c', restarting, inShared(helper)]);
    this.#helperLoop = loop;
    await loop.ready(async () => (await this.#client.run('test', ['-S', socket])).code === 0);
  }
}

function victimsOf(victim: Trial['victim']): ('service' | 'guardian' | 'helper')[] {
  if (victim === 'pair') return ['guardian', 'service'];
  return victim === 'all' ? ['guardian', 'service', 'helper'] : [victim];
}

function childOf(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? null : Number(children.split(' ').at(-1));
  } catch {
    return null;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
