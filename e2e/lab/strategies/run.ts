/**
 * Checks which operator receives which name under each strategy, also when operators die, slow down and come back.
 *
 *   node build/bootstrap.mjs lab:strategies
 */
import { beginLab } from '../../rig/begin-lab.ts';
import { fastest } from './fastest.ts';
import { ordered } from './ordered.ts';
import { race } from './race.ts';
import { keep, line } from './report.ts';
import { spread } from './spread.ts';
import { observe, problemsOf } from './trial.ts';

beginLab({
  usage: `lab:strategies
  Each strategy among three operators that die, slow down and come back. Writes docs/measurements/strategies.md.`,
});
const trials = [ordered, fastest, race, spread];
const observed = await Promise.all(trials.map((trial) => observe(trial, true)));
for (const one of observed) {
  for (const situation of one.situations) console.log(line(one.strategy, situation));
  const wrong = problemsOf(one);
  for (const problem of wrong) console.log(`✗ ${problem}`);
  if (wrong.length > 0) process.exitCode = 1;
}
await keep(observed);
