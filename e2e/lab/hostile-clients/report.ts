/** The results as Markdown: a line for each manner. */
import { quantile } from '../latency/quantile.ts';
import { machineLine, percent } from '../stolen-time.ts';
import { megabytes, mostMoreOctets, type Observed, problemsOf, statusWithinMs } from './trial.ts';

/** `repeated`: how many more trials were made and left out, because too much of the processors' time was stolen. */
export function report(observed: readonly Observed[], repeated: number): string {
  const held = observed.filter((one) => problemsOf(one, true).length === 0).length;
  return [
    '# Hostile clients of the control socket',
    '',
    'Made by `npm run lab:hostile-clients -- --write`: the real service of a machine, whose ledger has 10,000 entries, and 64',
    'connections that do one thing as fast as they can, of an account that may only observe or of the service’s own. Meanwhile an',
    'administrator requests the status, over a new connection each time (*answered*), and by the whole command `sotto status`',
    '(*command*), which starts a Node of its own on the same processors, and a program sends 20 queries, one after the other.',
    '',
    `It must stay below ${megabytes(mostMoreOctets)} MB more and ${statusWithinMs} ms: ${held} of ${observed.length} trials did.`,
    ...(repeated === 0
      ? []
      : [
          `Trials that were repeated, because a fifth of the processors' time or more was stolen: ${repeated}.`,
        ]),
    '',
    '| what they do | as | memory before | most | more | statuses | answered, longest | command, longest | queries: median, longest | stolen |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...observed.map(line),
    '',
    '*follow*: 3,000 subscriptions a connection. *ask*: the ledger, the status, the settings, the report and the rules, in turn. *unread*:',
    'nothing of what comes is read. *half requests*: a megabyte of a request that does not end. *works*: examinations, queries to each',
    'upstream and tests of it. *knock*: each connection asks for the status, goes and comes anew. *stolen*: time of the processors that',
    'the host of this machine gave to others meanwhile.',
    '',
    machineLine(),
    '',
  ].join('\n');
}

export function line({
  manner,
  who,
  before,
  most,
  answers,
  commands,
  queries,
  stolen,
}: Observed): string {
  const cells = [
    ...[manner, who, `${megabytes(before)} MB`, `${megabytes(most)} MB`],
    ...[
      `${megabytes(most - before)} MB`,
      answers.length,
      longest(answers),
      longest(commands),
      `${middle(queries)}, ${longest(queries)}`,
      percent(stolen),
    ],
  ];
  return `| ${cells.join(' | ')} |`;
}

function middle(times: readonly (number | null)[]): string {
  const answered = times.filter((one) => one !== null);
  return `${quantile(answered, 0.5).toFixed(1)} ms`;
}

function longest(times: readonly (number | null)[]): string {
  const missing = times.filter((one) => one === null).length;
  const slowest = `${Math.round(Math.max(...times.map((one) => one ?? 0)))} ms`;
  return missing === 0 ? slowest : `${slowest}, ${missing} never`;
}
