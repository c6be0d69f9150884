/** The results as Markdown: a line for each kind of death, a column for each mechanism. */

import { type MechanismName, mechanisms } from '../../networks/computer.ts';
import { quantile } from '../latency/quantile.ts';
import { machineLine } from '../stolen-time.ts';
import { type Attempt, holds, limitMs } from './attempt.ts';
import type { Trial } from './plan.ts';

export function report(attempts: readonly Attempt[]): string {
  const held = attempts.filter(holds).length;
  const kinds = Map.groupBy(attempts, ({ trial }) => kindOf(trial));
  const steps = attempts.filter(({ trial }) => 'step' in trial.at);
  return [
    '# Killed at any moment',
    '',
    `In ${held} of ${attempts.length} trials the system’s DNS was as it should be within ${limitMs / 1000} s of \`kill -9\`. Made by`,
    '`npm run lab:give-back`: helper, guardian and service on computers of network namespaces, one for each way in which programs find',
    'their resolver: /etc/resolv.conf alone, systemd-resolved, resolvconf, NetworkManager. The service is unprivileged, the helper is',
    'started again by a loop as systemd would, the guardian is not started again. `pair`: service and',
    'guardian at once; `all`: the helper as well. `at a step`: the helper dies after its nth',
    'call on the bus or write of the journal. Each cell: how many held, and the median time until then. Where `refuse` held and DNS was ours, each query after the death was',
    'looked for at the network’s own resolver; none had arrived there. Of the deaths at a step,',
    `${steps.filter(({ reached }) => reached).length} of ${steps.length} steps were reached; at a step beyond the last one nothing dies.`,
    '',
    `| killed | during | policy | service starts again | outcome wanted | ${mechanisms.join(' | ')} | longest |`,
    `|---|---|---|---|---|${'---|'.repeat(mechanisms.length)}---|`,
    ...[...kinds.keys()].sort().map((kind) => row(kinds.get(kind) ?? [])),
    '',
    machineLine(),
    ...failures(attempts),
    '',
  ].join('\n');
}

function kindOf({ victim, during, policy, serviceStarts, at }: Trial): string {
  return [victim, during, policy, serviceStarts, 'step' in at].join();
}

function row(attempts: Attempt[]): string {
  const [{ trial } = { trial: undefined }] = attempts;
  if (trial === undefined) return '';
  const during = 'step' in trial.at ? `${trial.during}, at a step` : trial.during;
  const cells = [
    ...[trial.victim, during, trial.policy, trial.serviceStarts ? 'yes' : 'no', wanted(trial)],
    ...mechanisms.map((mechanism) => cell(attempts, mechanism)),
    `${Math.max(0, ...times(attempts))} ms`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function cell(attempts: Attempt[], name: MechanismName): string {
  const own = attempts.filter(({ mechanism }) => mechanism === name);
  if (own.length === 0) return '–';
  const took = times(own);
  const median = took.length === 0 ? 'never' : `${Math.round(quantile(took, 0.5))} ms`;
  return `${own.filter(holds).length} of ${own.length}, ${median}`;
}

function times(attempts: Attempt[]): number[] {
  return attempts.flatMap(({ tookMs }) => (tookMs === null ? [] : [tookMs]));
}

function wanted({ victim, during, policy, serviceStarts }: Trial): string {
  if (during === 'give-back' || during === 'quit') return 'given back';
  if (serviceStarts) return 'ours, answered';
  if (victim === 'pair' || victim === 'all')
    return policy === 'refuse' ? 'ours, unanswered' : 'given back by the helper, with an entry';
  return policy === 'refuse' ? 'ours, SERVFAIL' : 'given back, with an entry';
}

function failures(attempts: readonly Attempt[]): string[] {
  const wrong = attempts.filter((each) => !holds(each));
  if (wrong.length === 0) return [];
  return ['', ...wrong.map((each) => `* ${JSON.stringify(each)}`)];
}
