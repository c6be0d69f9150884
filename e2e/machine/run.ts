/**
 * `npm run test:machine`: the tests of packages and of pages for administrators, which npm test leaves to it; then what README says
 * where nothing was built before, word for word, and how long it took. That takes half an hour of two cores, and the registries of npm
 * and of crates. npm test is only seen to begin; -- --whole runs all of it.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { run } from '../../build/child.mjs';
import { leftToMachine } from '../../build/layers.ts';
import { inRoot } from '../../build/places.mjs';
import { judges } from './judges.ts';
import { NewMachine } from './new-machine.ts';
import { commandsToJudge, saidTime } from './readme-commands.ts';

const { values } = parseArgs({ options: { whole: { type: 'boolean', default: false } } });
const readme = readFileSync(inRoot('README.md'), 'utf8');
const left = await run(process.execPath, [inRoot('build', 'test.ts'), ...leftToMachine]);
let failed = left.code === 0 ? 0 : 1;
const machine = await NewMachine.make(values.whole);
try {
  for (const [place, command] of commandsToJudge(readme).entries()) {
    const started = performance.now();
    const why = await attempt(command);
    const took = ((performance.now() - started) / 60_000).toFixed(1);
    const said = place === 0 ? ` (README: ${saidTime(readme)})` : '';
    console.log(`${why === null ? '✓' : '✗'} ${command}  ${took} min${said}`);
    if (why !== null) console.log(why);
    failed += why === null ? 0 : 1;
  }
} finally {
  await machine.close();
}
process.exitCode = failed === 0 ? 0 : 1;

/** Why it does not do what README says; null: it does. */
async function attempt(command: string): Promise<string | null> {
  const judge = judges[command];
  if (judge === undefined) return 'nobody says what this command has to do: e2e/machine/judges.ts';
  try {
    await judge(machine, command);
    return null;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.split('\n').slice(-80).join('\n');
  }
}
