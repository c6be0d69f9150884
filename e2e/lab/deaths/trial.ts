/** One death: what was asked meanwhile, what of it was heard in clear, and how long it took until names were answered again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Death, MechanismName, Trial } from './plan.ts';
import type { Stage } from './stage.ts';

export interface Attempt extends Trial {
  mechanism: MechanismName;
  /** numbers of the names that were asked in it: after the first, up to the last */
  asked: [number, number];
  /** names that the network's own resolver was asked for */
  inClear: number;
  /** from the death to the next service that says it is ready, milliseconds; null: it lived on, or none came */
  readyMs: number | null;
  /** so much of that the guardian waited, because the service had died several times within a minute */
  pauseMs: number;
  /** from the death until names were answered again: of names that are asked each 50 ms, the fifth */
  tookMs: number;
  /** what was not as it must be */
  wrong: string | null;
}

/** What dies without the service; it lives on, and this is how long it is watched. */
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
    wrong.push(`in clear under refuse: ${heard.length} names, ${heard.slice(0, 3).join(' ')} …`);
  return {
    ...trial,
    mechanism: stage.mechanism,
    asked: [first, stage.asked],
    inClear: heard.length,
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

/** A guardian that died has a successor, which has buried nobody. */
function isOfGuardian({ death: { victim } }: Trial): boolean {
  return victim === 'guardian' || victim === 'both';
}
