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
    '# Networks and programs that overwrite the system DNS',
    '',
    `Ordered: ${trials} trials by \`${command}\` at commit ${commit}. Made: ${outcomes.length}, of which ${outcomes.filter(holds).length} ended as`,
    `decision 0023 demands; ${broken.length} did not end. In each trial a program on the computer looked up a new name every 50 ms by the C`,
    'library while another program or the network overwrote the system DNS six times; the names were looked for at the network’s own resolver, which resolves',
    `everything. The first moment is ${firstMomentMs} ms from the first overwrite: from the end of the command that does it, or from the first name`,
    'that it received where that was earlier, or where a daemon overwrites at an unknown time.',
    '',
    `Under \`refuse\`: ${sum(refused, 'asked')} names asked in ${refused.length} trials, ${sum(refused, 'later')} received by the network later than the first moment, ${sum(refused, 'inFirstMoment')} within it.`,
    `Under the other policies: the network received names in ${left.length} of ${others.length} trials; in ${left.filter(({ entry }) => entry).length} of these an entry of class \`contested\` was open,`,
    `${sum(others, 'withoutEntry')} names were received later than the first moment while none was open, and ${others.filter(({ entryBefore }) => entryBefore).length} entries were open although nothing had been overwritten.`,
    'Such an entry has no count, because no part of Sotto sees what never reaches it.',
    '',
    `A trial took ${quantile(
      outcomes.map(({ seconds }) => seconds),
      0.5,
    )} s in the median, including the time to join the network.`,
    '',
    '| who overwrites, and how | computer | policy | trials | names queried | received in the first moment | received later | gate closed | entry | held |',
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
