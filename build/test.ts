/** `npm test`: runs vitest's tests, cargo's, which are compiled meanwhile, half a minute of fuzzing, and sums their results. */

import { readFileSync } from 'node:fs';
import { readResults, whatIsOld } from './campaign/results.ts';
import { compileCargoTests, runCargoTests } from './cargo-tests.ts';
import { runFuzzers } from './fuzz-run.ts';
import { campaignAlone, leftToCampaign, leftToMachine } from './layers.ts';
import { inRoot } from './places.mjs';
import { closingLine, skipsByReason, sum, whatEnables } from './test-summary.ts';
import { runVitest } from './vitest-run.ts';

const words = process.argv.slice(2);
const only = words.includes('--campaign') ? [...leftToCampaign, campaignAlone] : words;
const results = [];

if (only.length > 0) {
  results.push(await runVitest(only));
} else {
  const compiled = compileCargoTests();
  console.log('▸ vitest');
  results.push(await runVitest([]));
  await compiled;
  console.log('▸ cargo test');
  results.push(await runCargoTests());
  console.log('▸ fuzz');
  results.push(await runFuzzers());

  const table = readFileSync(inRoot('docs', 'measurements', 'campaigns.md'), 'utf8');
  const old = whatIsOld(readResults(table), new Date());
  if (old.length > 0) console.log(['\nCampaigns that did not pass lately:', ...old].join('\n'));
  console.log(['\nLeft to npm run test:campaign:', ...leftToCampaign].join('\n  '));
  console.log(['\nLeft to npm run test:machine:', ...leftToMachine].join('\n  '));
}

const total = sum(results);
for (const line of [...skipsByReason(total.skipped), ...whatEnables(total.skipped)])
  console.log(line);
if (total.failed.length > 0) console.log(`\nFailed:\n  ${total.failed.join('\n  ')}`);
for (const crash of total.crashes) console.log(`\n${crash}`);
console.log(`\n${closingLine(total)}`);
process.exitCode = total.failed.length + total.crashes.length === 0 ? 0 : 1;
