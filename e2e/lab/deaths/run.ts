/**
 * Tries deaths of every kind, and checks whether a name leaves in cleartext that may not, and whether the ledger has those that
 * did.
 *
 *   node build/bootstrap.mjs lab:deaths -- --trials 432 --write
 */

import { root } from '../../../build/places.mjs';
import { type MechanismName, mechanisms } from '../../networks/computer.ts';
import { beginLab } from '../../rig/begin-lab.ts';
import { keepMeasurement, lastMeasured, measuredFile } from '../../rig/keep-measurement.ts';
import { succeed } from '../../rig/process.ts';
import { whyNotUnpacked } from '../../rig/unpacked.ts';
import { allLanes, missingLanes } from './kept-lanes.ts';
import { type Lane, runLane } from './lane.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

const given = beginLab({
  usage: `lab:deaths [--trials N] [--minutes N] [--at-once N] [--only MECHANISM] [--write]
  --trials N   deaths of service, guardian, helper, reader process, worker thread and engine, under each policy, on a machine for
               each mechanism (default 432: about three quarters of an hour)
  --minutes N  begin no trial after so many minutes (default 180)
  --at-once N  machines side by side (default 2)
  --only NAME  one machine; with --write the others keep the results they have: ${mechanisms.join(', ')}
  --write      docs/measurements/deaths.md`,
  options: {
    trials: { type: 'string', default: '432' },
    minutes: { type: 'string', default: '180' },
    'at-once': { type: 'string', default: '2' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
  whyNot: () => whyNotUnpacked('systemd-resolved') ?? whyNotUnpacked('resolvconf'),
});
const ordered = wholeNumber('trials');
const atOnce = wholeNumber('at-once');
const chosen = mechanisms.filter((name) => given.only === undefined || name === given.only);
if (chosen.length === 0) refuse(`--only ${given.only}: give one of ${mechanisms.join(', ')}`);
const kept = await lastMeasured<Lane[]>('deaths');
const missing = given.write ? missingLanes(chosen, kept) : null;
if (missing !== null)
  refuse(
    `--only with --write keeps the results of the other machines, and ${measuredFile('deaths')} has none of ${missing}: run it once without --only`,
  );

/** Each machine has its share of the time. */
const shareMs = (wholeNumber('minutes') * 60_000 * Math.min(atOnce, chosen.length)) / chosen.length;
const head = await succeed('git', ['-C', root, 'rev-parse', '--short', 'HEAD']);
const command = ['npm run lab:deaths --', ...process.argv.slice(2)].join(' ');
const made = { command, commit: head.trim() };

const lanes: Lane[] = [];
const waiting = [...chosen.entries()];
await Promise.all(Array.from({ length: Math.min(atOnce, chosen.length) }, takeTurns));

const attempts = lanes.flatMap((lane) => lane.attempts);
const isRight = (lane: Lane) =>
  lane.broken === null &&
  (lane.counted === lane.packets || lane.uncounted > 0) &&
  lane.attempts.every(({ wrong }) => wrong === null);
if (!lanes.every(isRight) || attempts.length === 0) process.exitCode = 1;
for (const { mechanism, packets, outside, counted, uncounted, broken } of lanes)
  console.log(JSON.stringify({ mechanism, packets, outside, counted, uncounted, broken }));
if (given.write) await write();

/** Each turn runs one machine; the next one begins when one has ended. */
async function takeTurns(): Promise<void> {
  for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
    const [index, mechanism] = turn;
    const until = Date.now() + shareMs;
    const isOver = () => Date.now() > until;
    lanes.push(await runLane(mechanism, trialsOf(index), made, isOver, tell(mechanism)));
  }
}

function trialsOf(index: number) {
  const share = Math.floor(ordered / chosen.length) + (index < ordered % chosen.length ? 1 : 0);
  return plan(share, index);
}

function tell(mechanism: MechanismName) {
  return ({
    death,
    policy,
    asked,
    inCleartext,
    readyMs,
    pauseMs,
    tookMs,
    wrong,
  }: Lane['attempts'][number]) =>
    console.log(
      `${mechanism} ${policy} ${death.victim} ${death.how}: ${asked[1] - asked[0]} queried, ${inCleartext} in cleartext, ready after ${readyMs} ms of which waited ${pauseMs}, answered after ${tookMs} ms${wrong === null ? '' : ` WRONG ${wrong}`}`,
    );
}

async function write(): Promise<void> {
  const all = allLanes(lanes, kept);
  await keepMeasurement('deaths', report(all), all);
}

function wholeNumber(name: 'trials' | 'minutes' | 'at-once'): number {
  const number = Number(given[name]);
  if (!Number.isInteger(number) || number < 1)
    refuse(`--${name} ${given[name]}: give a whole number, 1 or more`);
  return number;
}

function refuse(words: string): never {
  console.error(words);
  process.exit(2);
}
