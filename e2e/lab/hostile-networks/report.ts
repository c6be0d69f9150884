/** The results as Markdown: a line for each attack and policy. */
import { quantile } from '../latency/quantile.ts';
import { attackNames, attacks } from './attacks/attacks.ts';
import { type Broken, firstMomentMs, type Outcome } from './outcome.ts';
import { faults, holds } from './verdict.ts';

export interface Ordered {
  command: string;
  commit: string;
  trials: number;
}

export function report(
  outcomes: readonly Outcome[],
  broken: readonly Broken[],
  { command, commit, trials }: Ordered,
): string {
  const refused = outcomes.filter(({ trial }) => trial.policy === 'refuse');
  const others = outcomes.filter(({ trial }) => trial.policy !== 'refuse');
  const left = others.filter((one) => one.before + one.inFirstMoment + one.later > 0);
  return [
    '# Networks and programs that fight for the system DNS',
    '',
    `Ordered: ${trials} trials by \`${command}\` at commit ${commit}. Made: ${outcomes.length}, of which ${outcomes.filter(holds).length} ended as`,
    `decision 0023 wants it; ${broken.length} came to no end. In each trial a program on the computer asked for a new name every 50 ms by the C`,
    'library while somebody overwrote the system DNS six times; the names were looked for at the network’s own resolver, which answers',
    `everything. The first moment is ${firstMomentMs} ms from the first overwrite: from the end of the command that does it, or from the first name`,
    'that was heard where that was earlier, or where a daemon does it and nobody sees when.',
    '',
    `Under \`refuse\`: ${sum(refused, 'asked')} names asked in ${refused.length} trials, ${sum(refused, 'later')} heard by the network later than the first moment, ${sum(refused, 'inFirstMoment')} within it.`,
    `Under the other policies: names were heard in ${left.length} of ${others.length} trials; in ${left.filter(({ entry }) => entry).length} of these an entry of class \`contested\` stood,`,
    `${sum(others, 'withoutEntry')} names were heard later than the first moment while none stood, and ${others.filter(({ entryBefore }) => entryBefore).length} entries stood while nobody had overwritten anything.`,
    'Such an entry has no count: nobody of us sees what never comes to us.',
    '',
    `A trial took ${quantile(
      outcomes.map(({ seconds }) => seconds),
      0.5,
    )} s in the median, the way into the network included.`,
    '',
    '| who fights, and how | computer | policy | trials | names asked | heard in the first moment | heard later | gate closed | entry | held |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...attackNames.flatMap((name) => rows(outcomes.filter(({ trial }) => trial.attack === name))),
    '',
    ...outcomes
      .filter((one) => !holds(one))
      .map((one) => `* ${faults(one).join(', ')}: ${JSON.stringify(one)}`),
    ...broken.map((one) => `* came to no end: ${JSON.stringify(one)}`),
    '',
  ].join('\n');
}

/** The lines of one attack, one for each policy. */
function rows(outcomes: readonly Outcome[]): string[] {
  return [...Map.groupBy(outcomes, ({ trial }) => trial.policy)].map(([policy, of]) => {
    const { words, on } = attacks[(of[0] as Outcome).trial.attack];
    const cells = [
      ...[words, on, policy, of.length],
      ...[sum(of, 'asked'), sum(of, 'inFirstMoment'), sum(of, 'later')],
      ...[of.filter(({ closed }) => closed).length, of.filter(({ entry }) => entry).length],
      `${of.filter(holds).length} of ${of.length}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

type Figure = 'asked' | 'inFirstMoment' | 'later' | 'withoutEntry';

function sum(outcomes: readonly Outcome[], figure: Figure): number {
  return outcomes.reduce((total, one) => total + one[figure], 0);
}
