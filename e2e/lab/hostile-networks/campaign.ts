/**
 * All trials, a few at once. A computer runs one trial at a time; it is opened for its first, and anew after a trial that did not
 * end.
 */
import { Lab } from '../../rig/lab.ts';
import { attacks } from './attacks/attacks.ts';
import type { ComputerName } from './computers.ts';
import type { Broken, Outcome } from './outcome.ts';
import type { Trial } from './plan.ts';
import { Stage } from './stage.ts';

interface Watcher {
  tell(outcome: Outcome): void;
  complain(broken: Broken): void;
  isOver(): boolean;
}

interface Opened {
  lab: Lab;
  stage: Stage;
}

export async function runCampaign(
  trials: readonly Trial[],
  atOnce: number,
  watcher: Watcher,
): Promise<void> {
  const waiting = [...trials];
  const opened = new Map<ComputerName, Opened>();
  const busy = new Set<ComputerName>();

  const isFree = (trial: Trial) => !busy.has(attacks[trial.attack].on);

  async function work(): Promise<void> {
    while (!watcher.isOver()) {
      const [trial] = waiting.splice(waiting.findIndex(isFree) >>> 0, 1);
      if (trial === undefined) return;
      const { on } = attacks[trial.attack];
      busy.add(on);
      await make(trial, on);
      busy.delete(on);
    }
  }

  async function make(trial: Trial, on: ComputerName): Promise<void> {
    try {
      const { stage } = opened.get(on) ?? (await open(on));
      watcher.tell(await stage.attempt(trial));
    } catch (error) {
      watcher.complain({ trial, broken: error instanceof Error ? error.message : `${error}` });
      await close(on);
    }
  }

  async function open(on: ComputerName): Promise<Opened> {
    const lab = new Lab();
    await lab.open();
    try {
      const one = { lab, stage: await Stage.open(lab, on) };
      opened.set(on, one);
      return one;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  async function close(on: ComputerName): Promise<void> {
    const one = opened.get(on);
    opened.delete(on);
    await one?.lab.close();
  }

  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    for (const on of [...opened.keys()]) await close(on);
  }
}
