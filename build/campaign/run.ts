/** `npm run test:campaign`: runs campaigns one after the other, and keeps how each ended in docs/measurements/campaigns.md. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from '../child.mjs';
import { inRoot, root } from '../places.mjs';
import { type Campaign, campaigns } from './campaigns.ts';
import { commandOf, readResults, withResult, writeResults } from './results.ts';

const usage = `npm run test:campaign [-- NAME ...]
Runs all campaigns, which takes hours, or those that are named, and writes docs/measurements/campaigns.md. Stop it at any time: each is written down when it ends.
${campaigns.map(({ script, shows }) => `  ${script.padEnd(22)} ${shows}`).join('\n')}
Exit codes: 0 all passed, 1 one did not, 2 wrong usage.`;

const table = inRoot('docs', 'measurements', 'campaigns.md');
const names = process.argv.slice(2);
const unknown = names.find((name) => !campaigns.some(({ script }) => script === name));
if (unknown !== undefined) {
  const isHelp = unknown === '--help' || unknown === '-h';
  console.log(isHelp ? usage : `${unknown}: no such campaign\n\n${usage}`);
  process.exit(isHelp ? 0 : 2);
}

const chosen = campaigns.filter(({ script }) => names.length === 0 || names.includes(script));
let failed = 0;
for (const [place, campaign] of chosen.entries()) {
  console.log(`▸ ${place + 1} of ${chosen.length}: ${commandOf(campaign)}`);
  const verdict = (await passes(campaign)) ? 'passed' : 'failed';
  failed += verdict === 'passed' ? 0 : 1;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  const date = new Date().toISOString().slice(0, '2026-01-31'.length);
  const result = { script: campaign.script, verdict, date, commit: commit.trim() };
  writeFileSync(table, writeResults(withResult(readResults(readFileSync(table, 'utf8')), result)));
  console.log(`${verdict === 'passed' ? '✓' : '✗'} ${commandOf(campaign)}`);
}
process.exitCode = failed === 0 ? 0 : 1;

async function passes({ script, options }: Campaign): Promise<boolean> {
  const command = ['build/bootstrap.mjs', script, ...options];
  // what each writes names the command that made it
  const env = { ...process.env, npm_lifecycle_event: script };
  return (await run(process.execPath, command, { cwd: root, env })).code === 0;
}
