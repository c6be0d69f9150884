/** One death, and how long it takes until the system's DNS is again as it should be. */
import { setTimeout as pause } from 'node:timers/promises';
import type { MechanismName } from '../../networks/computer.ts';
import { patienceMs } from '../../rig/eventually.ts';
import type { Trial } from './plan.ts';
import type { Stage } from './stage.ts';

export interface Attempt {
  mechanism: MechanismName;
  trial: Trial;
  /** whether the helper reached the step at which it should die; true where there is no such step */
  reached: boolean;
  /** milliseconds from the death, or from the request that led to it at a step, until all is as it should be; null: never */
  tookMs: number | null;
  /** what was seen last, where that was wrong; or what must never happen */
  wrong: string | null;
}

export const limitMs = 5000;

export function holds({ tookMs, wrong }: Attempt): boolean {
  return wrong === null && tookMs !== null && tookMs <= limitMs;
}

/** Waits for longer than the limit: it helps to know whether a result came at all. */
export async function attempt(stage: Stage, trial: Trial): Promise<Attempt> {
  const takenBefore = trial.during !== 'take';
  await stage.begin(trial, takenBefore);
  if (takenBefore) await untilTaken(stage);
  const { at: killedAt, reached } = await strike(stage, trial);
  const asked: string[] = [];
  const mustBePrivate = trial.during === 'rest' && trial.policy === 'refuse';
  let seen = '';
  let tookMs: number | null = null;
  while (tookMs === null && performance.now() - killedAt < patienceMs) {
    if (mustBePrivate) asked.push((await stage.ask()).name);
    seen = await missing(stage, trial);
    if (seen === '') tookMs = Math.round(performance.now() - killedAt);
  }
  const leaked = asked.filter((name) => stage.heardInCleartext.includes(name));
  await stage.end();
  if (leaked.length > 0) seen = `left in cleartext: ${leaked.join(' ')}`;
  return { mechanism: stage.mechanism, trial, reached, tookMs, wrong: seen === '' ? null : seen };
}

async function untilTaken(stage: Stage): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await stage.isOurs()))
    if (performance.now() > until) throw new Error(`not taken: ${await stage.systemDns()}`);
}

/** `at`: a time of performance.now(). */
async function strike(stage: Stage, trial: Trial): Promise<{ at: number; reached: boolean }> {
  const { victim, during, serviceStarts, at } = trial;
  const doomed = 'step' in at ? await stage.dieAt(at.step) : null;
  const began = performance.now();
  if (during === 'take') stage.wish(trial, true);
  if (during === 'give-back') stage.wish(trial, false);
  if (during === 'quit') await stage.quit();
  if (doomed !== null) {
    const reached = await stage.otherHelperThan(doomed);
    return { at: reached ? began : performance.now(), reached };
  }
  if ('afterMs' in at) await pause(at.afterMs);
  if (!serviceStarts) stage.breakService();
  const killedAt = performance.now();
  await stage.kill(victim);
  return { at: killedAt, reached: true };
}

/** What is not yet as it should be; empty where nothing is. */
async function missing(stage: Stage, trial: Trial): Promise<string> {
  const { victim, during, serviceStarts } = trial;
  if (during === 'give-back' || during === 'quit') return await missingToBeUntouched(stage);
  if (serviceStarts) {
    if (!(await stage.isOurs())) return 'system DNS is not ours';
    const { status } = await stage.ask();
    return status === 'NOERROR' ? '' : `a program's query ended with ${status}`;
  }
  return victim === 'pair' || victim === 'all'
    ? await missingOfOrphans(stage, trial)
    : await missingOfOutage(stage, trial);
}

/** The guardian responds in place of a service that does not start. */
async function missingOfOutage(stage: Stage, { during, policy }: Trial): Promise<string> {
  if (policy === 'refuse') {
    const said = await stage.askOurs();
    if (said !== 'SERVFAIL') return `our address said ${said}`;
    // The service was killed before it had sent a request, so it has taken nothing.
    const untouched = during === 'take' && (await stage.systemDns()) === stage.untouched;
    return untouched || (await stage.isOurs()) ? '' : 'system DNS is not ours';
  }
  // The service was killed before it had begun to take, so it has taken nothing, and no file claims that it had.
  if (during === 'take' && !stage.saysTaken) return await missingToBeUntouched(stage);
  if (!stage.serviceDownEntry) return 'no entry for the service being down';
  return await missingToBeUntouched(stage);
}

/** No process responds at our address; only the helper is left, or was started again. */
async function missingOfOrphans(stage: Stage, { during, policy }: Trial): Promise<string> {
  if (during === 'take' && (await wasNeverTaken(stage))) return '';
  if (policy === 'refuse') {
    if (!stage.helperSaid('policy keeps it')) return 'the helper has not decided';
    return (await stage.isOurs()) ? '' : 'system DNS is not ours';
  }
  if (!(await stage.orphanEntry())) return 'no entry for nobody being there';
  return await missingToBeUntouched(stage);
}

async function wasNeverTaken(stage: Stage): Promise<boolean> {
  if (!(await stage.journalIsEmpty())) return false;
  return (await missingToBeUntouched(stage)) === '' && !(await stage.orphanEntry());
}

async function missingToBeUntouched(stage: Stage): Promise<string> {
  const found = await stage.systemDns();
  if (found !== stage.untouched) return `system DNS is not as it was: ${found}`;
  return (await stage.journalIsEmpty()) ? '' : 'the journal still holds something';
}
