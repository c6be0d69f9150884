/** Which operator received which name, from the queries that were sent and the captures. Pure. */
import { rcodes } from '../../rig/message.ts';
import type { ClearQuery } from '../../rig/network/capture.ts';
import { behind, type OperatorId, operatorIds } from './operators.ts';

/** What became of a query. */
export interface Fate {
  name: string;
  /** null: no response at all */
  rcode: number | null;
}

/** Names that were queried while nothing changed, in that order. */
export interface Asked {
  situation: string;
  fates: Fate[];
  /** unreachable (black hole) throughout */
  dead: OperatorId[];
  /** when the last response was there, unix milliseconds */
  endedAt: number;
}

export interface Heard {
  situation: string;
  names: string[];
  by: Record<OperatorId, ReadonlySet<string>>;
  /** names that a dead operator received late, when the path worked again and TCP repeated them */
  late: ReadonlySet<string>;
  /** by name, from the service's query log */
  answeredBy: ReadonlyMap<string, string>;
  /** without a response, or with an error */
  lost: string[];
}

export function hearing(
  { situation, fates, dead, endedAt }: Asked,
  captured: readonly ClearQuery[],
  answeredBy: ReadonlyMap<string, string>,
): Heard {
  const asked = new Set(fates.map(({ name }) => name));
  const isLate = ({ to, at }: ClearQuery) =>
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

/** Holds for every strategy: nothing is lost or sent again in vain, and responses come from operators that received the query. */
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

/** Names that went to another operator, or not to all of these. */
export function notExactly(heard: Heard, wanted: OperatorId[], names = heard.names): string[] {
  const others = names.filter((name) => hearersOf(heard, name).join() !== wanted.join());
  const who = wanted.join(' and ');
  return others.length === 0 ? [] : [`${few(others)} not at ${who} alone`];
}

/** Not only the path decides whose response comes first, because a busy machine may delay one; so nine in ten are enough. */
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
