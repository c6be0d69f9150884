/** One strategy in all its situations, and what is wrong. */
import type { Strategy } from '../../../app/contract/engine-words.ts';
import { Lab } from '../../rig/lab.ts';
import { few, type Heard, hearersOf, problemsOfAny } from './hearing.ts';
import type { OperatorId } from './operators.ts';
import { type Distances, Stage } from './stage.ts';

export interface Trial {
  strategy: Strategy;
  roundTripMs: Distances;
  /** `long`: includes situations that take minutes */
  play(stage: Stage, long: boolean): Promise<void>;
  /** the operators that receive a name while all work; `first`: what they received then */
  home(name: string, first: Heard): OperatorId[];
  /** what must hold beyond the common rules, by situation */
  holds: Record<string, (heard: Heard, first: Heard) => string[]>;
}

export interface Judged {
  heard: Heard;
  /** names that an operator received which would not receive them while all work */
  moved: string[];
  problems: string[];
}

export interface Observed {
  strategy: Strategy;
  roundTripMs: Distances;
  situations: Judged[];
  /** of the whole trial */
  problems: string[];
}

export async function observe(trial: Trial, long: boolean): Promise<Observed> {
  const { strategy, roundTripMs } = trial;
  const lab = new Lab();
  await lab.open();
  try {
    const stage = await Stage.open(lab, strategy, roundTripMs);
    await trial.play(stage, long);
    const heard = await stage.heard();
    const inCleartext = await stage.inCleartext();
    const problems = inCleartext.length === 0 ? [] : [`${few(inCleartext)} left in cleartext`];
    return { strategy, roundTripMs, situations: judge(trial, heard), problems };
  } catch (error) {
    throw new Error(`${strategy}: ${(error as Error).message}\n${lab.transcripts()}`);
  } finally {
    await lab.close();
  }
}

/** With the situation in front of each. */
export function problemsOf({ strategy, situations, problems }: Observed): string[] {
  const ofSituations = situations.flatMap(({ heard, problems: found }) =>
    found.map((problem) => `${heard.situation}: ${problem}`),
  );
  return [...ofSituations, ...problems].map((problem) => `${strategy}, ${problem}`);
}

function judge({ holds, home }: Trial, all: Heard[]): Judged[] {
  const [first] = all;
  if (first === undefined) throw new Error('nothing was asked');
  return all.map((heard) => ({
    heard,
    moved: heard.names.filter((name) => {
      const atHome = home(name, first);
      return hearersOf(heard, name).some((id) => !atHome.includes(id));
    }),
    problems: [...problemsOfAny(heard), ...(holds[heard.situation]?.(heard, first) ?? [])],
  }));
}
