/** The tables, as Markdown and as JSON. */

import { cpus } from 'node:os';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { markdownTable } from '../markdown-table.ts';
import { operatorIds } from './operators.ts';
import { type Judged, type Observed, problemsOf } from './trial.ts';

/** The line for one situation during the run. */
export function line(strategy: string, { heard, moved, problems }: Judged): string {
  const counts = operatorIds.map((id) => `${id} ${heard.by[id].size}`).join(', ');
  const verdict = problems.length === 0 ? 'holds' : 'does not hold';
  const rest = `${moved.length} moved, ${heard.lost.length} lost, ${heard.late.size} late`;
  return `${strategy}, ${heard.situation}: ${heard.names.length} asked; ${counts}; ${rest}: ${verdict}`;
}

export async function keep(observed: readonly Observed[]): Promise<void> {
  await keepMeasurement('strategies', markdown(observed), observed.map(figures));
}

function figures({ strategy, roundTripMs, situations, problems }: Observed) {
  return {
    strategy,
    roundTripMs,
    problems,
    situations: situations.map(({ heard, moved, problems: found }) => ({
      situation: heard.situation,
      asked: heard.names.length,
      heard: perOperator((id) => heard.by[id].size),
      answered: perOperator((id) => answers(heard, id)),
      moved: moved.length,
      lost: heard.lost.length,
      late: heard.late.size,
      problems: found,
    })),
  };
}

function markdown(observed: readonly Observed[]): string {
  const [cpu] = cpus();
  const wrong = observed.flatMap(problemsOf);
  return `# Strategies: who receives which name

Written by \`npm run lab:strategies\` on ${new Date().toISOString().slice(0, 10)}; ${cpus().length} × ${cpu?.model.trim()}.

The real service in a network namespace has three operators in another one as upstreams over TLS, in the order one, two, three; \`sotto-lab
wire\` gives each path its length. An operator is sotto-server in front of a zone; dumpcap records what passes between those
two, and tshark reads the names out of it. Every name is new. On the client's own interface none was seen in cleartext.

* **Heard**: names that the operator received; in parentheses those for which the service used its response, where these are fewer.
* **Moved**: names that an operator received which would not receive them while all work. **Lost**: names without a response, or with SERVFAIL.
* **Late**: names that were on their way when the operator died and that it received once its path worked again, because TCP
  repeats them, although others had responded by then. There must be none.
* **Dead** is a black hole: the path silently drops everything to and from the operator.
* **On its way back**: the path works again, and names are queried until the service has noticed.

\`e2e/lab/strategies\` judges the sets of names, situation by situation.

${observed.map(section).join('\n\n')}
${wrong.length === 0 ? '' : `\n## What does not hold\n\n${wrong.map((problem) => `* ${problem}`).join('\n')}\n`}`;
}

/** The promise of each strategy, beside the results. */
const promises: Record<Observed['strategy'], string> = {
  ordered:
    'Everything goes to the first operator that works, however far it is, and to an earlier one again when that is back.',
  fastest:
    'Everything goes to the operator that responded soonest lately. Measured times halve with each minute, so that the others are tried now and then.',
  race: 'Each name goes to two living operators at once, and the first response is used.',
  spread:
    'Each registered domain (90 of them, two names each, under `example`, `co.uk` and `github.io`) goes to one operator. Only its death moves it.',
};

function section({ strategy, roundTripMs, situations }: Observed): string {
  const heads = operatorIds.map((id) => `${id}, ${roundTripMs[id]} ms`);
  const rows = situations.map(({ heard, moved, problems }) => [
    `${heard.situation}${problems.length > 0 ? ' **✗**' : ''}`,
    String(heard.names.length),
    ...operatorIds.map((id) => shown(heard.by[id].size, answers(heard, id))),
    String(moved.length),
    String(heard.lost.length),
    String(heard.late.size),
  ]);
  return `## ${strategy}

${promises[strategy]}

${markdownTable(['situation', 'asked', ...heads, 'moved', 'lost', 'late'], rows)}`;
}

function shown(heard: number, taken: number): string {
  return taken < heard ? `${heard} (${taken})` : String(heard);
}

function answers({ answeredBy }: Judged['heard'], id: string): number {
  return [...answeredBy.values()].filter((upstream) => upstream === id).length;
}

function perOperator<T>(of: (id: (typeof operatorIds)[number]) => T) {
  return Object.fromEntries(operatorIds.map((id) => [id, of(id)]));
}
