/**
 * One death: which names were queried meanwhile, which of them left in cleartext, and how long it took until queries had
 * responses again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { MechanismName } from '../../networks/computer.ts';
import type { Death, Trial } from './plan.ts';
import type { Stage } from './stage.ts';

export interface Attempt extends Trial {
  mechanism: MechanismName;
  /** numbers of the names that were queried in it: after the first, up to the last */
  asked: [number, number];
  /** names that the network's own resolver received */
  inCleartext: number;
  /**
   * from the death to the moment when the next service reports that it is ready, milliseconds; null: the service lived on, or
   * none came
   */
  readyMs: number | null;
  /** how much of that the guardian waited, because the service had died several times within a minute */
  pauseMs: number;
  /** from the death until names have responses again: the fifth of the names that are queried every 50 ms */
  tookMs: number;
  /** what was not as it must be */
  wrong: string | null;
}

/** How long the service is watched where it lives on although something else died. */
const unharmed: readonly string[] = ['reader', 'all', 'helper'];
const watchedMs = 1000;

export async function attempt(stage: Stage, trial: Trial): Promise<Attempt> {
  const { starts } = stage;
  const first = stage.asked;
  const struckAt = performance.now();
  const wrong: string[] = [];
  let readyMs: number | null = null;
  try {
    readyMs = await strike(stage, trial.death);
    await stage.answered(5);
    if (livesOn(trial.death) && stage.starts !== starts)
      wrong.push('the service was started again');
    if (!(await stage.isOurs())) wrong.push('system DNS is not with us');
    const ports = await portsOpened(stage, trial.death);
    if (ports.length > 0) wrong.push(`a port is open: ${ports.join()}`);
  } catch (error) {
    wrong.push((error as Error).message);
  }
  const tookMs = Math.round(performance.now() - struckAt);
  const heard = stage.heardSince(first);
  if (trial.policy === 'refuse' && heard.length > 0)
    wrong.push(
      `in cleartext under refuse: ${heard.length} names, ${heard.slice(0, 3).join(' ')} …`,
    );
  return {
    ...trial,
    mechanism: stage.mechanism,
    asked: [first, stage.asked],
    inCleartext: heard.length,
    readyMs,
    pauseMs: readyMs === null || isOfGuardian(trial) ? 0 : stage.lastPauseMs,
    tookMs,
    wrong: wrong.length === 0 ? null : wrong.join('; '),
  };
}

/** Returns the milliseconds until the next service said that it is ready; null: it lives on, and was watched for a while. */
async function strike(stage: Stage, death: Death): Promise<number | null> {
  const { starts, helperStarts } = stage;
  const struckAt = performance.now();
  await stage.strike(death);
  if (livesOn(death)) {
    await pause(watchedMs);
    if (death.victim === 'helper') await stage.helperStarted(helperStarts + 1);
    return null;
  }
  await stage.ready(starts + 1);
  return Math.round(performance.now() - struckAt);
}

/** SIGUSR1 may open a debugger's port. */
async function portsOpened(stage: Stage, { how }: Death): Promise<string[]> {
  return how === 'SIGUSR1' ? await stage.otherPorts() : [];
}

function livesOn({ victim, how }: Death): boolean {
  return unharmed.includes(victim) || how.startsWith('worker');
}

/** After the death of a guardian there is a new one, which has not counted the earlier deaths. */
function isOfGuardian({ death: { victim } }: Trial): boolean {
  return victim === 'guardian' || victim === 'both';
}
