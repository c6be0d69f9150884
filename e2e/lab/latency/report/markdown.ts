/** The tables as Markdown. */

import { markdownTable } from '../../markdown-table.ts';
import { bursts } from '../figures/loss.ts';
import { initialWindow } from '../round.ts';
import { ours } from '../rows.ts';
import { find, type Goal, type Result } from '../tally.ts';
import { shown } from './numbers.ts';
import type { RunFacts } from './run-facts.ts';

export function markdown(facts: RunFacts, results: readonly Result[], pictures: Pictures): string {
  return `# What a query costs on a distant wire

Written by \`npm run lab:latency\` on ${facts.date}: ${facts.rounds} interleaved rounds in ${facts.minutes} minutes, medians of the rounds; ${facts.cores} × ${facts.processor}, Linux ${facts.kernel}, load ${facts.loadBefore.toFixed(1)} before it began.

Two network namespaces, \`sotto-lab wire\` between them with a round trip of ${facts.rttMs} ms where a figure says nothing else;
sotto-server on the far side, one thread, is the upstream of every program, over DNS over TLS; TCP is the kernel's with reno, which starts as cubic does, and an initial window of ${initialWindow} segments. "× UDP" is times what a query over
plain UDP to the same server took on the same wire in the same round. "Published" is the T-DNS report (ISI-TR-695, 2015), or an
earlier measurement of the peer on a link of 40 ms.

${caveats(facts)}

${pictures.bars === null ? '' : `![Round trips of the query that a person waits for](${pictures.bars})\n`}
## Targets and results

${summary(facts, results)}

${results.map(chapter).join('\n\n')}
${pictures.curves === null ? '' : `\n![Latency of every query of a replayed day, as a distribution](${pictures.curves})\n`}
## The programs

${markdownTable(
  ['program', 'version', 'set up'],
  facts.programs.map(({ title, version, setup }) => [title, version, setup]),
)}
`;
}

function caveats({ rounds, changedMeanwhile, remarks = [] }: RunFacts): string {
  const lines = [
    'TCP uses reno on both sides, because cubic cannot be chosen in every namespace. It matters: with bbr, which paces what it sends, one round gave Sotto 1.30 for the last of 30 names and 1.46 for 140 names at 35 ms.',
    'The upstream of every program is our own server. It writes each response as a TLS record of its own, because dnsdist 1.7.3 delivers only one of two responses in a record.',
    `A quantile under loss rests on ${rounds * bursts} bursts, whose queries share their losses; its 99th percentile is the worst few of them.`,
    'A verdict that holds in some rounds only is within the noise.',
    ...(changedMeanwhile
      ? [
          '**Programs of this repository were built anew while it ran**: not all rounds are of the same build.',
        ]
      : []),
    ...remarks,
  ];
  return `How far to trust it:\n\n${lines.map((line) => `* ${line}`).join('\n')}`;
}

/** Names of files beside the text; null where nothing was drawn. */
export interface Pictures {
  bars: string | null;
  curves: string | null;
}

function summary({ programs }: RunFacts, results: readonly Result[]): string {
  const peers = programs.map(({ title }) => title).filter((title) => title !== ours);
  const rows = results.flatMap((result) =>
    result.goals.map((goal) => goalRow(result, goal, bestPeer(result, goal.column, peers))),
  );
  return markdownTable(['figure', 'case', 'best peer', 'reach', 'today', '', 'needs'], rows);
}

function goalRow(result: Result, goal: Goal, best: string | null): string[] {
  const isProgram = goal.row === ours;
  return [
    result.figure.id,
    isProgram ? goal.column : `${goal.row}, ${goal.column}`,
    isProgram && best !== null ? best : '–',
    goal.atMost === null ? '–' : `≤ ${shown(goal.atMost)}`,
    goal.value === null ? '–' : `**${shown(goal.value)}**`,
    verdict(goal),
    goal.state === 'reached' ? '' : goal.needs,
  ];
}

/** A verdict that changes from round to round says so. */
function verdict({ state, held }: Goal): string {
  const isMixed = held.rounds > 0 && held.rounds < held.of;
  return isMixed ? `${state} (held in ${held.rounds} of ${held.of} rounds)` : state;
}

function bestPeer({ cells }: Result, column: string, titles: readonly string[]): string | null {
  const peers = cells
    .filter((cell) => cell.column === column && titles.includes(cell.row))
    .sort((left, right) => left.median - right.median);
  return peers[0] === undefined ? null : `${shown(peers[0].median)} (${peers[0].row})`;
}

function chapter({ figure, cells, failures }: Result): string {
  const rows = [...new Set([...cells.map(({ row }) => row)])];
  const published = figure.published ?? {};
  const hasPublished = Object.keys(published).length > 0;
  const only = Object.keys(published).filter((row) => !rows.includes(row));
  const body = [...rows, ...only].map((row) => [
    row === ours ? `**${row}**` : row,
    ...(hasPublished ? [published[row] ?? ''] : []),
    ...figure.columns.map((column) => {
      const cell = find(cells, row, column);
      return cell === undefined ? '' : withSpread(cell.median, cell.rounds);
    }),
  ]);
  const head = [figure.unit, ...(hasPublished ? ['published'] : []), ...figure.columns];
  const wrong = failures.map((failure) => `* missing: ${failure.split('\n')[0]}`).join('\n');
  return `## ${figure.title}

${figure.how}

${markdownTable(head, body)}${wrong === '' ? '' : `\n\n${wrong}`}`;
}

/** The smallest and largest value of the rounds, where they are more than a twentieth apart. */
function withSpread(median: number, rounds: readonly number[]): string {
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  const spread = most - least > 0.05 * Math.abs(median);
  return spread ? `${shown(median)} (${shown(least)}–${shown(most)})` : shown(median);
}
