/** The results as Markdown: a line for each kind of death, and one for each machine. */

import { quantile } from '../latency/quantile.ts';
import { machineLine } from '../stolen-time.ts';
import type { Lane } from './lane.ts';
import { type Policy, policies } from './plan.ts';
import type { Attempt } from './trial.ts';

/** How long it may take until a service is ready again. */
const readyWithinMs = 2000;

export function report(lanes: readonly Lane[]): string {
  const attempts = lanes.flatMap((lane) => lane.attempts);
  const held = attempts.filter(({ wrong }) => wrong === null).length;
  return [
    '# Deaths of every kind, on the wire',
    '',
    `Made by \`npm run lab:deaths\`: ${sum(lanes.map(({ made }) => made.ordered))} deaths ordered, ${attempts.length} reached, ${held} as it must be. On machines made of network`,
    'namespaces, one for each mechanism, run helper, guardian and service as the units start them; the test starts the guardian again as',
    'systemd does for `sotto.service`. A program on the machine looks up a new name every 50 ms by getaddrinfo. “As it must be” means:',
    'queries have responses again, the system’s DNS leads to Sotto, a service that was not killed lives on, and under `refuse` the network’s own',
    'resolver received none of the names. Faults within the service come from `e2e/lab/deaths/faults-within.mjs` and `engine-panics.c`,',
    'which are loaded into it for the trial; the program contains none of them.',
    '',
    '| policy | deaths | names queried | names in cleartext | as it must be |',
    '|---|---|---|---|---|',
    ...policies.map((policy) => policyRow(policy, attempts)),
    '',
    'What an observer at the edge saw (tshark), against the ledger; `uncounted`: entries of times in which no part of Sotto can count.',
    '',
    '| mechanism | made by | commit | deaths ordered | reached | packets in cleartext | in the ledger | uncounted entries |',
    '|---|---|---|---|---|---|---|---|',
    ...lanes.map(
      ({ mechanism, made, attempts: all, packets, counted, uncounted }) =>
        `| ${mechanism} | \`${made.command}\` | ${made.commit} | ${made.ordered} | ${all.length} | ${packets} | ${counted} | ${uncounted} |`,
    ),
    '',
    `A service must be ready within ${readyWithinMs / 1000} s, plus the time that the guardian waits because it has died several times within a minute:`,
    'here deaths follow one another, so that it often waits for a second. Responses come a little later, because the upstream has to be dialled.',
    '',
    '| who | how | deaths | as it must be | names in cleartext | ready: median | longest | the guardian waited: longest | ready in time | responses: median | longest |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...[...Map.groupBy(attempts, kindOf).values()].map(kindRow),
    '',
    machineLine(),
    ...failures(lanes),
    '',
  ].join('\n');
}

const kindOf = ({ death: { victim, how } }: Attempt) => `${victim} | ${how}`;

function policyRow(policy: Policy, attempts: readonly Attempt[]): string {
  const own = attempts.filter((each) => each.policy === policy);
  const asked = sum(own.map(({ asked: [after, last] }) => last - after));
  const right = own.filter(({ wrong }) => wrong === null).length;
  return `| ${policy} | ${own.length} | ${asked} | ${sum(own.map(({ inCleartext }) => inCleartext))} | ${right} |`;
}

function kindRow(attempts: Attempt[]): string {
  const [first] = attempts;
  if (first === undefined) return '';
  const times = attempts.map(({ tookMs }) => tookMs);
  const right = attempts.filter(({ wrong }) => wrong === null).length;
  const clear = sum(attempts.map(({ inCleartext }) => inCleartext));
  const median = Math.round(quantile(times, 0.5));
  const cells = [
    ...[kindOf(first), attempts.length, right, clear],
    ...readyCells(attempts),
    ...[`${median} ms`, `${Math.max(...times)} ms`],
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Median, longest, how long the guardian waited, and how many were in time; nothing for processes that lived on. */
function readyCells(attempts: readonly Attempt[]): string[] {
  const again = attempts.flatMap(({ readyMs, pauseMs }) =>
    typeof readyMs === 'number' ? [{ readyMs, pauseMs }] : [],
  );
  if (again.length === 0) return ['–', '–', '–', '–'];
  const times = again.map(({ readyMs }) => readyMs);
  const inTime = again.filter(({ readyMs, pauseMs }) => readyMs - pauseMs <= readyWithinMs);
  return [
    `${Math.round(quantile(times, 0.5))} ms`,
    `${Math.max(...times)} ms`,
    `${Math.max(...again.map(({ pauseMs }) => pauseMs))} ms`,
    `${inTime.length} of ${again.length}`,
  ];
}

function failures(lanes: readonly Lane[]): string[] {
  const wrong = lanes.flatMap(({ attempts }) => attempts.filter((each) => each.wrong !== null));
  const broken = lanes.filter((lane) => lane.broken !== null);
  return [
    ...(wrong.length + broken.length === 0 ? [] : ['']),
    ...wrong.map((each) => `* ${JSON.stringify(each)}`),
    ...broken.map(({ mechanism, broken: why }) => `* ${mechanism}: ${why?.split('\n')[0]}`),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
