/**
 * A day that the real service lived through in half a minute: real programs ask it, real providers on loopback answer, and its wall
 * clock is moved on by two minutes at a time (docs/decisions/0056-pictures.md). The clock is that of the service alone.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { JumpingClock } from '../../load/jumping-clock.ts';
import { ControlGroup } from '../../networks/control-group.ts';
import type { Lab } from '../../rig/lab.ts';
import { SottoServer } from '../../rig/peers/sotto-server.ts';
import { text } from '../../rig/raw-client.ts';
import { SottoService } from '../../rig/sotto-service.ts';
import { company, domains, printers, writeDayZone } from './domains.ts';
import { type Asked, dayMinutes, planDay, queriesOfDay, type Step } from './plan.ts';

export interface SeededDay {
  service: SottoService;
  /** the service's clock, for the page */
  now(): number;
}

/** 17:40, which is the last minute of the day, and the time of all pictures. */
const endsAt = 17 * 60 + 40;
const pausedAt = 12 * 60 + 30;
const slowFrom = 9 * 60 + 10;
const slowUntil = slowFrom + 6;
const minuteMs = 60_000;

/** `tell` hears how far it is, in words. */
export async function liveThroughDay(
  lab: Lab,
  tell: (progress: string) => void,
): Promise<SeededDay> {
  const clock = await JumpingClock.create(lab);
  if (typeof clock === 'string') throw new Error(`no day without a clock of its own: ${clock}`);
  const end = nextEnd(Date.now());
  let begin: number | undefined;
  const set = (time: number) => {
    const seconds = Math.round((time - Date.now()) / 1000);
    begin ??= seconds;
    clock.set(seconds, seconds - begin);
  };
  const start = end - dayMinutes * minuteMs;
  set(start);
  const { providers, settings } = await startProviders(lab);
  const groups = makeGroups(lab);
  const service = await clock.under(() => SottoService.start(lab, settings));
  const programs = startPrograms(lab, groups, service.port);
  let asked = 0;
  for (const step of planDay(endsAt)) {
    set(start + step.minute * minuteMs);
    await happen(service, providers[0], step);
    await Promise.all([...programs].map(([name, one]) => one.ask(ofProgram(step, name))));
    asked += step.queries.length;
    if (step.minute % 120 === 0) tell(`${asked} of ${queriesOfDay} queries of the day`);
  }
  set(end);
  for (const program of programs.values()) await program.stop();
  return { service, now: () => Date.now() + Math.round((end - Date.now()) / 1000) * 1000 };
}

/** The next time that it is 17:40, so that no provider's certificate is from the future of the day. */
function nextEnd(now: number): number {
  const midnight = new Date(now).setUTCHours(0, 0, 0, 0);
  const today = midnight + endsAt * minuteMs;
  return today > now ? today : today + dayMinutes * minuteMs;
}

/** What is not a query: a person pauses Sotto, and one provider does not answer for some minutes. */
async function happen(service: SottoService, provider: SottoServer | undefined, { minute }: Step) {
  const time = (minute + endsAt) % dayMinutes;
  if (time === pausedAt) await service.cli('pause', '15m');
  if (provider === undefined) return;
  if (time === slowFrom) process.kill(provider.pid, 'SIGSTOP');
  if (time === slowUntil) process.kill(provider.pid, 'SIGCONT');
}

function ofProgram({ queries }: Step, name: string): Asked[] {
  return queries.filter(({ program }) => program === name);
}

async function startProviders(lab: Lab) {
  const answers = await writeDayZone(lab);
  const start = (name: string, delay: string) =>
    SottoServer.start(lab, { answers, name, delay, threads: 1 });
  const [quad9, cloudflare, home] = await Promise.all([
    start('dns.quad9.net', '9ms-14ms'),
    start('one.one.one.one', '14ms-22ms'),
    start('dns.home.example', '3ms-7ms'),
  ]);
  const there = [text(quad9.starttls)];
  const settings = {
    upstreams: [
      quad9.upstream('quad9'),
      cloudflare.upstream('cloudflare'),
      home.upstream('home', 'tdns'),
    ],
    strategy: 'spread',
    downgrade: 'warn',
    systemResolvers: there,
    bypass: [
      { suffix: company.suffix, to: there },
      { suffix: printers.suffix, to: ['127.0.0.1:9'] },
    ],
    queryLog: { mode: 'full', keepDays: 30 },
  };
  return { providers: [quad9, cloudflare, home], settings };
}

/** Each named as a desktop or systemd names the group of that program. They are there before the service reads the groups. */
function makeGroups(lab: Lab): Map<string, ControlGroup> {
  const names = new Set(domains.map(({ program }) => program));
  return new Map(
    [...names].map((name) => {
      const isService = name.startsWith('systemd-');
      const scope = isService ? `${name}.service` : `app-${name}-${process.pid}.scope`;
      return [name, ControlGroup.create(lab, `sotto-day-${process.pid}.slice/${scope}`)];
    }),
  );
}

function startPrograms(
  lab: Lab,
  groups: ReadonlyMap<string, ControlGroup>,
  port: number,
): Map<string, AskingProgram> {
  return new Map([...groups].map(([name, group]) => [name, AskingProgram.start(lab, group, port)]));
}

const asking = join(import.meta.dirname, 'asking.ts');

/** A process in a control group of its own. */
class AskingProgram {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  static start(lab: Lab, group: ControlGroup, port: number): AskingProgram {
    return lab.adopt(new AskingProgram(...group.inside(process.execPath, [asking, `${port}`])));
  }

  private constructor(command: string, args: string[]) {
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#process.stdout });
  }

  /** Resolves once all are answered. */
  async ask(queries: Asked[]): Promise<void> {
    if (queries.length === 0) return;
    const answered = once(this.#lines, 'line');
    this.#process.stdin.write(`${JSON.stringify(queries)}\n`);
    await answered;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }
}
