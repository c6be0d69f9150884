/** The results as Markdown, with everything that readers need to judge them. */
import { type ShareKey, shares } from './figures.ts';
import type { MachineFacts } from './machine-facts.ts';
import { percent, shown } from './numbers.ts';
import type { Peer } from './peer.ts';
import { inWords } from './progress.ts';
import { median } from './statistics.ts';
import type { Outcome, Verdict } from './verdict.ts';
import type { Visit } from './visit.ts';

export interface Results {
  /** ISO 8601 */
  date: string;
  machine: MachineFacts;
  runs: number;
  seconds: number;
  minutes: number;
  programs: (Pick<Peer, 'id' | 'title' | 'kind' | 'setup'> & { version: string })[];
  skipped: { title: string; reason: string }[];
  visits: Visit[];
  outcomes: Outcome[];
}

export function markdown(results: Results): string {
  return [
    '# The stub beside its peers',
    '',
    ...introduction(results),
    '## Targets',
    '',
    ...targets(results),
    '',
    '## Medians',
    '',
    ...medians(results),
    '',
    '## Queries lost',
    '',
    ...losses(results),
    '',
    '## Which path queries took',
    '',
    ...origins(results),
    '',
    '## Programs',
    '',
    ...programs(results),
    '',
    '## Every run',
    '',
    ...everyRun(results),
    '',
  ].join('\n');
}

function introduction({ date, machine, runs, seconds, minutes }: Results): string[] {
  return [
    `Measured ${date.slice(0, 10)} in ${minutes} minutes by \`npm run bench\`; this file is written by it.`,
    '',
    `- ${machine.processor}, ${machine.cores} cores, ${machine.memoryGigabytes} GB, Linux ${machine.kernel}, Node ${machine.node}; load before the first run ${shown(machine.loadBefore, 2)}`,
    `- dnsperf ${machine.dnsperf}: one thread, one socket, 100 queries outstanding, ${seconds} s a run; the kernel's default receive buffer is ${machine.receiveBuffer} octets`,
    `- upstream of every program: ${machine.upstream} with DNS over TLS, which makes each response by itself; generator, program and upstream share the processors`,
    `- upstream of pairs: ${machine.nagle}, which keeps Nagle's algorithm on before 1.23`,
    `- median of ${runs} rounds; in each round every program is started anew and measured once, in rotating order`,
    '- CPU is that of the whole process tree, until it is at rest again, so that a log that is written later counts',
    '',
  ];
}

function targets({ outcomes, programs, visits }: Results): string[] {
  const judged = outcomes.filter(({ figure }) => figure.target !== null);
  const rows = judged.flatMap((outcome) =>
    outcome.verdicts.map((verdict) =>
      row([
        outcome.figure.title,
        verdict.mode,
        withUnit(verdict.value, outcome),
        bestPeer(outcome, programs),
        ratio(verdict),
        verdict.wanted,
        reached(verdict.reached),
      ]),
    ),
  );
  const ours = programs.filter(({ kind }) => kind === 'ours').map(({ id }) => id);
  const own = visits.filter(({ peer }) => ours.includes(peer));
  const lost = own.flatMap(({ failures }) => failures).reduce((sum, { lost }) => sum + lost, 0);
  return [
    ...head(['figure', 'log', 'Sotto', 'best peer', 'ratio', 'target', 'reached'], '--rrr--'),
    ...rows,
    row(['queries lost in any run', 'both', shown(lost, 0), '', '', '0', reached(lost === 0)]),
  ];
}

function medians({ outcomes, programs }: Results): string[] {
  const titles = outcomes.map(({ figure }) => `${figure.title}, ${figure.unit}`);
  const cells = (id: string) =>
    outcomes.map(({ medians, figure }) => cell(medians.get(id), figure.digits));
  return [
    ...head(['program', ...titles], `-${'r'.repeat(titles.length)}`),
    ...programs.map(({ id, title }) => row([title, ...cells(id)])),
  ];
}

function losses({ visits, programs }: Results): string[] {
  const titles = new Map(programs.map(({ id, title }) => [id, title]));
  const lines = visits.flatMap(({ peer, round, failures, error }) => {
    const said = failures.map(inWords);
    if (error !== undefined) said.push(`not measured to the end: ${error.split('\n')[0]}`);
    return said.map((words) => `- ${titles.get(peer)}, round ${round + 1}: ${words}`);
  });
  return lines.length === 0 ? ['None, in no run of any program.'] : lines;
}

function origins({ visits, programs }: Results): string[] {
  const keys = Object.keys(shares) as ShareKey[];
  const share = (id: string, key: ShareKey) => {
    const seen = visits.filter(({ peer }) => peer === id).map(({ shares }) => shares[key]);
    const middle = median(seen.filter((each) => each !== undefined));
    return middle === null ? '–' : percent(middle);
  };
  return [
    ...head(['program', ...Object.values(shares)], `-${'r'.repeat(keys.length)}`),
    ...programs.map(({ id, title }) => row([title, ...keys.map((key) => share(id, key))])),
  ];
}

function programs({ programs, skipped }: Results): string[] {
  return [
    ...head(['program', 'version', 'set up'], '---'),
    ...programs.map(({ title, version, setup }) => row([title, version, setup])),
    ...skipped.map(({ title, reason }) => row([title, 'not measured', reason])),
  ];
}

function everyRun({ outcomes, programs }: Results): string[] {
  return outcomes.flatMap(({ figure, runs }) => [
    `- ${figure.title}, ${figure.unit}`,
    ...programs.flatMap(({ id, title }) => {
      const values = runs.get(id) ?? [];
      const list = values.map((value) => shown(value, figure.digits)).join(' · ');
      return values.length === 0 ? [] : [`  - ${title}: ${list}`];
    }),
  ]);
}

function bestPeer({ best, figure }: Outcome, programs: Results['programs']): string {
  if (best === null) return '–';
  const title = programs.find(({ id }) => id === best.id)?.title;
  return `${title} ${cell(best.value, figure.digits)}`;
}

function withUnit(value: number, { figure }: Outcome): string {
  return `${shown(value, figure.digits)} ${figure.unit}`;
}

function ratio({ ratio }: Verdict): string {
  return ratio === null ? '–' : shown(ratio, 2);
}

function reached(answer: boolean | null): string {
  if (answer === null) return 'not judged';
  return answer ? 'yes' : '**no**';
}

function cell(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : shown(value, digits);
}

/** `alignment`: one character for each column; r for right. */
function head(titles: string[], alignment: string): string[] {
  return [row(titles), row([...alignment].map((side) => (side === 'r' ? '--:' : '---')))];
}

function row(cells: string[]): string {
  return `| ${cells.join(' | ')} |`;
}
