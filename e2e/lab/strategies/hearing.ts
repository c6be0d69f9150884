/** Who was asked which name, from what was asked and what was captured. Pure. */
import { rcodes } from '../../rig/message.ts';
import type { ClearQuestion } from '../../rig/network/capture.ts';
import { behind, type OperatorId, operatorIds } from './operators.ts';

/** What became of a question. */
export interface Fate {
  name: string;
  /** null: no answer at all */
  rcode: number | null;
}

/** Names asked while nothing changed, in the order in which they were asked. */
export interface Asked {
  situation: string;
  fates: Fate[];
  /** behind a black hole throughout */
  dead: OperatorId[];
  /** when the last answer was there, unix milliseconds */
  endedAt: number;
}

export interface Heard {
  situation: string;
  names: string[];
  by: Record<OperatorId, ReadonlySet<string>>;
  /** names that a dead operator heard after all, once the path was whole again, as TCP would have it */
  late: ReadonlySet<string>;
  /** by name, as the service's log says it */
  answeredBy: ReadonlyMap<string, string>;
  /** without an answer, or with one that says nothing */
  lost: string[];
}

export function hearing(
  { situation, fates, dead, endedAt }: Asked,
  captured: readonly ClearQuestion[],
  answeredBy: ReadonlyMap<string, string>,
): Heard {
  const asked = new Set(fates.map(({ name }) => name));
  const isLate = ({ to, at }: ClearQuestion) =>
    at * 1000 > endedAt && dead.some((id) => behind[id] === to);
  const ofThese = captured.filter(({ name }) => asked.has(name));
  const inTime = ofThese.filter((one) => !isLate(one));
  const heardBy = (id: OperatorId) =>
    new Set(inTime.filter(({ to }) => to === behind[id]).map(nameOf));
  return {
    situation,
    names: [...asked],
    by: { one: heardBy('one'), two: heardBy('two'), three: heardBy('three') },
    late: new Set(ofThese.filter(isLate).map(nameOf)),
    answeredBy: new Map([...answeredBy].filter(([name]) => asked.has(name))),
    lost: fates.filter(({ rcode }) => rcode !== rcodes.NOERROR).map(nameOf),
  };
}

export function hearersOf(heard: Heard, name: string): OperatorId[] {
  return operatorIds.filter((id) => heard.by[id].has(name));
}

/** What holds of every strategy: nothing is lost or sent again in vain, and who answered is one who was asked. */
export function problemsOfAny(heard: Heard): string[] {
  const unheard = heard.names.filter((name) => hearersOf(heard, name).length === 0);
  const mistaken = heard.names.filter(
    (name) => !hearersOf(heard, name).includes(heard.answeredBy.get(name) as OperatorId),
  );
  const late = [...heard.late];
  return [
    ...(heard.lost.length > 0 ? [`${few(heard.lost)} lost`] : []),
    ...(late.length > 0 ? [`${few(late)} sent to the dead one after all`] : []),
    ...(unheard.length > 0 ? [`${few(unheard)} heard by no operator`] : []),
    ...(mistaken.length > 0 ? [`${few(mistaken)} answered, says the log, by one not asked`] : []),
  ];
}

/** Names that went to anybody else, or not to all of these. */
export function notExactly(heard: Heard, wanted: OperatorId[], names = heard.names): string[] {
  const others = names.filter((name) => hearersOf(heard, name).join() !== wanted.join());
  const who = wanted.join(' and ');
  return others.length === 0 ? [] : [`${few(others)} not at ${who} alone`];
}

/** Whose answer is there first is not the path's doing alone: a machine that is busy may hold one up, so that nine in ten do. */
export function rarelyAnsweredBy(heard: Heard, wanted: OperatorId): string[] {
  const others = heard.names.filter((name) => heard.answeredBy.get(name) !== wanted);
  return others.length <= heard.names.length / 10
    ? []
    : [`${few(others)} not answered by ${wanted}`];
}

export function few(names: readonly string[]): string {
  return `${names.length} names (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`;
}

function nameOf({ name }: { name: string }): string {
  return name;
}
