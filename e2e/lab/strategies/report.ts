/** The table, as a person reads it and as a program does. */

import { cpus } from 'node:os';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { markdownTable } from '../markdown-table.ts';
import { operatorIds } from './operators.ts';
import { type Judged, type Observed, problemsOf } from './trial.ts';

/** One situation while the run goes on. */
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

The real service in a network namespace asks three operators in another one over TLS, in the order one, two, three; \`sotto-lab
wire\` gives each path its length. An operator is sotto-server in front of a zone; dumpcap records what passes between those
two, and tshark reads the names out of it. Every name is new. On the client's own interface not one was seen in clear.

* **Heard**: names that the operator was asked; in parentheses those of which the service took its answer, where these are fewer.
* **Moved**: names that somebody heard who does not while all is sound. **Lost**: names without an answer, or with SERVFAIL.
* **Late**: names that were on their way when the operator died and that it heard after all once its path was whole again, as TCP
  would have it, though others had answered them by then. There must be none.
* **Dead** is a black hole: the path swallows whatever goes there or comes from there, without a word.
* **On its way back**: the path is whole again, names are asked until the service has found out.

What must hold is judged by the sets of names: \`e2e/lab/strategies\` has it, situation by situation.

${observed.map(section).join('\n\n')}
${wrong.length === 0 ? '' : `\n## What does not hold\n\n${wrong.map((problem) => `* ${problem}`).join('\n')}\n`}`;
}

/** What the words of the settings promise, beside what was seen. */
const promises: Record<Observed['strategy'], string> = {
  ordered:
    'Everything goes to the first that works, however far it is, and back to it when it is back.',
  fastest:
    'Everything goes to whoever answers soonest of late. What was measured halves with each minute, so that the others are asked now and then.',
  race: 'Each name goes to two operators at once, to those that live, and the sooner answer is taken.',
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
