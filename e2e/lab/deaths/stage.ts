/**
 * The machine's own Sotto on such a computer: guardian, service and helper as the units start them, a supervisor that does what
 * systemd does for sotto.service (Restart=always, KillMode=mixed), a program that sends queries, and an observer at the edge.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { guardian, helper, nodeFlags } from '../../../build/places.mjs';
import { AskingProgram } from '../../networks/asking-program.ts';
import { Computer, type MechanismName } from '../../networks/computer.ts';
import { gateway } from '../../networks/local-network.ts';
import type { Machine } from '../../networks/machine.ts';
import { shareRepository } from '../../networks/shared-repository.ts';
import { commandLine } from '../../rig/available.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import type { Capture } from '../../rig/network/capture.ts';
import type { Program } from '../../rig/process.ts';
import { HelperUnit } from './helper-unit.ts';
import { LoadedFaults } from './loaded-faults.ts';
import type { Death, Policy } from './plan.ts';

const settingsFile = '/etc/sotto/settings.json';
const stateFolder = '/var/lib/sotto';
const helperSocket = '/run/sotto-helper/helper.sock';
/** as RestartSec= of sotto.service */
const restartMs = 100;
const patienceMs = 60_000;
const betweenMs = 100;
const lookEveryMs = 20;

export class Stage {
  readonly capture: Capture;
  readonly #lab: Lab;
  readonly #computer: Computer;
  readonly #faults: LoadedFaults;
  #helper: HelperUnit | undefined;
  #guardian: Program | undefined;
  #said = '';
  #asker: AskingProgram | undefined;
  #ending = false;

  static async open(lab: Lab, mechanism: MechanismName, policy: Policy): Promise<Stage> {
    const computer = await Computer.open(lab, mechanism);
    const { client } = computer.networkStage;
    await shareRepository(client);
    await client.shell(
      'mkdir -p -m 700 "$1"; mkdir -p -m 755 /run/sotto /run/sotto-helper',
      stateFolder,
    );
    const faults = await LoadedFaults.build(lab);
    const stage = new Stage(lab, computer, await computer.networkStage.capture(), faults);
    const words = ['--for', '65534', '--policy', `${stateFolder}/guardian.json`];
    stage.#helper = await HelperUnit.start(client, words);
    await stage.wish(policy);
    await stage.#start();
    await stage.ready(1);
    await stage.wellAgain();
    stage.#asker = await AskingProgram.start(lab, client, 'n');
    await stage.answered(3);
    return stage;
  }

  private constructor(lab: Lab, computer: Computer, capture: Capture, faults: LoadedFaults) {
    this.#lab = lab;
    this.#computer = computer;
    this.capture = capture;
    this.#faults = faults;
  }

  get mechanism(): MechanismName {
    return this.#computer.mechanism;
  }

  get #client(): Machine {
    return this.#computer.networkStage.client;
  }

  /** The service reads it as soon as it is written. */
  async wish(policy: Policy): Promise<void> {
    const settings = {
      listen: [`127.0.0.1:${this.#computer.port}`],
      upstreams: this.#computer.networkStage.internet.upstreams,
      systemResolvers: [`${gateway.v4}:53`],
      downgrade: policy,
      systemDns: { take: true },
    };
    await this.#client.write(`${settingsFile}.next`, JSON.stringify(settings));
    await this.#client.succeed('mv', `${settingsFile}.next`, settingsFile);
  }

  /** Waits until it is in force. */
  async changePolicy(policy: Policy): Promise<void> {
    await this.wish(policy);
    await eventually(
      `the policy ${policy} is in force`,
      async () => (await this.#client.read(`${stateFolder}/guardian.json`)).includes(`"${policy}"`),
      patienceMs,
    );
  }

  async #start(): Promise<void> {
    const service = [process.execPath, ...nodeFlags, '--max-old-space-size=96', commandLine, 'run'];
    const words = [
      ...['--state', stateFolder, '--listen', `127.0.0.1:${this.#computer.port}`],
      ...['--give-back', `exec ${helper} give-back`, '--helper', helperSocket, '--', ...service],
    ];
    const program = await this.#client.start(guardian, words, {
      env: {
        SOTTO_MODE: 'system',
        ...this.#faults.env,
      },
    });
    this.#guardian = program;
    void this.#startAgainAfter(program);
  }

  /** The service may live on and keep the output open, so the process id decides. */
  async #startAgainAfter(program: Program): Promise<void> {
    while (existsSync(`/proc/${program.pid}`)) await pause(lookEveryMs);
    killGroup(program.pid);
    await program.exited;
    this.#said += program.stderr;
    this.#guardian = undefined;
    await pause(restartMs);
    if (!this.#ending) await this.#start();
  }

  get #output(): string {
    return this.#said + (this.#guardian?.stderr ?? '');
  }

  /** How many services have reported that they are ready. */
  get starts(): number {
    return this.#output.split('the service is ready').length - 1;
  }

  async ready(starts: number): Promise<void> {
    await eventually(`start ${starts}`, () => this.starts >= starts, patienceMs);
  }

  /** Whether the system's DNS leads to Sotto, as before. */
  async wellAgain(): Promise<void> {
    await eventually('system DNS is with us', () => this.isOurs(), patienceMs);
  }

  async isOurs(): Promise<boolean> {
    return await this.#computer.isOurs();
  }

  /** How many names were queried so far. */
  get asked(): number {
    return this.#asker?.asked ?? 0;
  }

  /** Resolves when so many names that are queried from now on have responses. */
  async answered(count: number): Promise<void> {
    await this.#asker?.answered(count);
  }

  /** The querying program's names that the network's own resolver received, from this one on. */
  heardSince(first: number): string[] {
    return this.#computer.networkStage.network.heard.filter((name) => this.#numberOf(name) > first);
  }

  async strike({ victim, how }: Death): Promise<void> {
    if (victim === 'engine') return this.#faults.panic();
    if (victim === 'inside') {
      this.#faults.prepare(how);
      return signal(this.#service(), 'SIGUSR2');
    }
    const victims = await this.#present(victim);
    const times = timesUntilDeath(victim, how);
    for (let time = 0; time < times; time++) {
      for (const pid of victims) signal(pid, how as NodeJS.Signals);
      if (time < times - 1) await pause(betweenMs);
    }
  }

  /** The log's reader comes with whoever reads, and leaves after a while: where the machine stood still, before it was looked for. */
  async #present(victim: Exclude<Death['victim'], 'engine' | 'inside'>): Promise<number[]> {
    return await eventually(`there is a ${victim}`, async () => {
      if (victim === 'reader' || victim === 'all') await this.cli('log', '--limit', '1');
      const found = this.#processesOf(victim);
      return found.every((pid) => pid !== null) && found;
    });
  }

  #processesOf(victim: Exclude<Death['victim'], 'engine' | 'inside'>): (number | null)[] {
    const service = this.#service();
    const reader = childrenOf(service).at(-1) ?? null;
    return {
      service: [service],
      guardian: [this.#guardianPid()],
      both: [this.#guardianPid(), service],
      reader: [reader],
      helper: [this.#helper?.pid ?? null],
      // SIGUSR1 ends a guardian, and must open no debugger in the others
      all: [service, reader],
    }[victim];
  }

  /** How many helpers have listened, one after the other. */
  get helperStarts(): number {
    return this.#helper?.starts ?? 0;
  }

  async helperStarted(starts: number): Promise<void> {
    await this.#helper?.started(starts);
  }

  /** How long the guardian waited before it last started the service, because of earlier deaths; milliseconds. */
  get lastPauseMs(): number {
    return Number([...this.#output.matchAll(/"pauseMs":(\d+)/g)].at(-1)?.[1] ?? 0);
  }

  /** Ports other than DNS on which our processes listen, for example a debugger's. */
  async otherPorts(): Promise<string[]> {
    const listening = await this.#client.succeed('ss', '-Hlntp');
    return listening
      .split('\n')
      .filter((line) => /"node"/.test(line) && !/:(53|5300)\s/.test(line));
  }

  async cli(...words: string[]): Promise<string> {
    const env = { SOTTO_MODE: 'system' };
    const done = await this.#client.run(process.execPath, [commandLine, ...words], { env });
    return done.stdout;
  }

  /** Cleartext packets that the ledger has counted, and whether it has an entry without a count. */
  async ledger(): Promise<{ counted: number; uncounted: number }> {
    const lines = (await this.cli('ledger', '--json')).split('\n').filter(Boolean);
    const counts = lines.map((line) => (JSON.parse(line) as { count: number | null }).count);
    return {
      counted: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      uncounted: counts.filter((count) => count === null).length,
    };
  }

  /** The querying program's names that passed the edge in cleartext, one for each packet. Ends the observation. */
  async seenInCleartext(): Promise<number[]> {
    await this.#asker?.stop();
    const packets = await this.capture.clearQueries();
    return packets.flatMap(({ name }) => {
      const number = this.#numberOf(name);
      return number > 0 ? [number] : [];
    });
  }

  get transcript(): string {
    return this.#output;
  }

  async close(): Promise<void> {
    this.#ending = true;
    await this.#helper?.stop();
    await this.#asker?.stop();
    const program = this.#guardian;
    await program?.stop('SIGKILL');
    if (program !== undefined) killGroup(program.pid);
    await this.#lab.close();
  }

  #numberOf(name: string): number {
    return this.#asker?.numberOf(name) ?? 0;
  }

  #guardianPid(): number | null {
    return this.#guardian?.pid ?? null;
  }

  #service(): number | null {
    return childrenOf(this.#guardianPid()).at(-1) ?? null;
  }
}

/** Rust's runtime takes the first of these signals for a stack overflow, and waits for a second one. */
function timesUntilDeath(victim: Death['victim'], signalName: string): number {
  const isRust = victim === 'guardian' || victim === 'helper';
  return isRust && ['SIGSEGV', 'SIGBUS'].includes(signalName) ? 2 : 1;
}

function childrenOf(pid: number | null): number[] {
  const threads = `/proc/${pid}/task/${pid}/children`;
  if (pid === null || !existsSync(threads)) return [];
  return readFileSync(threads, 'utf8').split(' ').filter(Boolean).map(Number);
}

function signal(pid: number | null, name: NodeJS.Signals): void {
  if (pid === null || pid <= 1) throw new Error(`nobody is there for ${name}`);
  kill(pid, name);
}

/** Kills everything that a dead guardian leaves in its process group, as systemd does with the rest of a unit. */
function killGroup(pid: number): void {
  kill(-pid, 'SIGKILL');
}

/** The first process that is killed may have ended the other before its turn came. */
function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
