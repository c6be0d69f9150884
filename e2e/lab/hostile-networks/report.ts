/** What the trials showed, as Markdown: a line for each attack and policy. */
import { attacks } from './attack.ts';
import { firstMomentMs, type Outcome } from './stage.ts';
import { holds } from './verdict.ts';

export interface Ordered {
  command: string;
  commit: string;
  trials: number;
}

export function report(outcomes: readonly Outcome[], { command, commit, trials }: Ordered): string {
  const kinds = Map.groupBy(outcomes, ({ trial }) => `${trial.attack} ${trial.policy}`);
  const refused = outcomes.filter(({ trial }) => trial.policy === 'refuse');
  const sum = (of: readonly Outcome[], what: (one: Outcome) => number) =>
    of.reduce((total, one) => total + what(one), 0);
  return [
    '# Networks and programs that fight for the system DNS',
    '',
    `Ordered: ${trials} trials by \`${command}\` at commit ${commit}. Made: ${outcomes.length}, of which ${outcomes.filter(holds).length} ended as`,
    'decision 0023 wants it. In each trial a program on the computer asked for a new name every 50 ms by the C library while',
    'somebody overwrote the system DNS six times; the names were looked for at the network’s own resolver, which answers',
    `everything. Under \`refuse\`: ${sum(refused, (one) => one.asked)} names asked in ${refused.length} trials, ${sum(refused, (one) => one.later)} heard by the network later than ${firstMomentMs} ms`,
    `after the first overwrite, ${sum(refused, (one) => one.inFirstMoment)} within that moment. Under the other policies what was heard had an entry of class`,
    '`contested` in the ledger.',
    '',
    '| who fights, and how | mechanism | policy | trials | names asked | heard in the first moment | heard later | gate closed | entry | held |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...[...kinds.values()].map((of) => {
      const [first] = of;
      if (first === undefined) return '';
      const { attack, policy } = first.trial;
      const cells = [
        ...[attacks[attack].words, attacks[attack].mechanism, policy, of.length],
        ...[sum(of, (one) => one.asked), sum(of, (one) => one.inFirstMoment)],
        ...[sum(of, (one) => one.later), of.filter(({ closed }) => closed).length],
        ...[of.filter(({ entry }) => entry).length, `${of.filter(holds).length} of ${of.length}`],
      ];
      return `| ${cells.join(' | ')} |`;
    }),
    '',
    ...outcomes.filter((one) => !holds(one)).map((one) => `* ${JSON.stringify(one)}`),
    '',
  ].join('\n');
}
