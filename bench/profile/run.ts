/**
 * `npm run bench:profile`: how soon a profile with 100,000 bypass names is in force, how long queries wait meanwhile, and how long it
 * takes to verify a profile of 100 kB. Writes docs/measurements/profile.md.
 */
import { verifyVersion } from '../../app/service/profiles/judge-version.ts';
import { writePublicKey } from '../../app/service/profiles/minisign.ts';
import { publicKeyOf } from '../../app/service/profiles/secret-key.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { type MachineFacts, machineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { median } from '../statistics.ts';
import { Fleet, type Taken } from './fleet.ts';
import { key, rules, signed } from './made-up-profile.ts';

const names = 100_000;
const runs = 5;
/** so many rules have 100 kB */
const verified = { rules: 950, times: 200 };
const most = { applied: 1000, waited: 50, verified: 5 };

interface Results {
  date: string;
  machine: MachineFacts;
  /** from a version with few names to one with all of them, and then to one with another name */
  first: Taken[];
  next: Taken[];
  /** milliseconds */
  verify: { octets: number; each: number[] };
}

if (process.argv.includes('--help')) {
  console.log(`npm run bench:profile
  brings versions with ${shown(names, 0)} bypass names to a service that answers 200 queries a second, ${runs} times: a minute`);
  process.exit();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

const lab = new Lab();
await lab.open();
try {
  const machine = await machineFacts();
  const verify = verifyTimes();
  const first: Taken[] = [];
  const next: Taken[] = [];
  for (let run = 0; run < runs; run++) {
    const fleet = await Fleet.open(lab);
    first.push(await fleet.take(names));
    next.push(await fleet.take(names + 1));
    await fleet.close();
    console.log(first.at(-1), next.at(-1));
  }
  const results = { date: new Date().toISOString(), machine, first, next, verify };
  await keepMeasurement('profile', report(results), results);
  console.log(report(results));
} finally {
  await lab.close();
}

/** Signature, text and every setting. Two versions in turns, because the last one read is remembered. */
function verifyTimes(): Results['verify'] {
  const versions = [1, 2].map((serial) => signed(serial, rules(verified.rules, 53)));
  const each = Array.from({ length: verified.times }, (_, time) => {
    const version = versions[time % 2] as ReturnType<typeof signed>;
    const given = { ...version, profile: version.octets.toString('base64') };
    const begun = performance.now();
    const found = verifyVersion(given, [writePublicKey(publicKeyOf(key))], 'profile');
    const took = performance.now() - begun;
    if (!found.ok) throw new Error(found.failure.message);
    return took;
  });
  return { octets: versions[0]?.octets.length ?? 0, each };
}

function report({ date, machine, first, next, verify }: Results): string {
  const both = [...first, ...next];
  return `# A profile with ${shown(names, 0)} bypass names

Measured ${date.slice(0, 10)} by \`npm run bench:profile\`; this file is written by it. ${machine.processor}, ${machine.cores} cores, load before
${shown(machine.loadBefore, 1)}: other work on the machine is part of the figures, and the load generator, both servers and the service share the
processors. Node ${machine.node}, with the service's own flags, which leave out the optimizing compilers.

The profile lies in a file, and \`profile.update\` makes the service look there. *In force*: from that call until a query for one of the new
names is answered by the rule's resolver. Meanwhile 200 queries a second come, every other one for a name that the cache has.

| milliseconds | median of ${runs} | each | at most |
|---|--:|---|---|
${row('in force, from 10 names', first, ({ appliedMs }) => appliedMs, most.applied)}
${row('in force, one name more', next, ({ appliedMs }) => appliedMs, most.applied)}
${row('written, and the caller told', both, ({ repliedMs }) => repliedMs, null)}
${row('longest answer from the cache meanwhile', both, ({ meanwhile }) => meanwhile.cached, most.waited)}
${row('longest answer of the upstream meanwhile', both, ({ meanwhile }) => meanwhile.forwarded, most.waited)}
${row('longest answer from the cache in the second before', both, ({ quiet }) => quiet.cached, null)}
${row('longest answer of the upstream in the second before', both, ({ quiet }) => quiet.forwarded, null)}

Queries without an answer: ${both.reduce((sum, { lost }) => sum + lost, 0)} of ${shown(
    both.reduce((sum, { asked }) => sum + asked, 0),
    0,
  )}.

Verifying a profile of ${shown(verify.octets, 0)} octets, with its signature and every setting: median ${shown(median(verify.each) ?? 0, 1)} ms,
slowest of ${verify.each.length} ${shown(Math.max(...verify.each), 1)} ms; the median at most ${most.verified} ms: ${verdict((median(verify.each) ?? 0) <= most.verified)}.
`;
}

function row(
  title: string,
  all: readonly Taken[],
  figure: (taken: Taken) => number,
  limit: number | null,
): string {
  const values = all.map(figure);
  const middle = median(values) ?? 0;
  // A single query that waits too long is one too many.
  const judged = limit === most.waited ? Math.max(...values) : middle;
  const wanted = limit === null ? '–' : `${limit} ${verdict(judged <= limit)}`;
  const each = values.map((value) => shown(value, value < 100 ? 1 : 0)).join(' · ');
  return `| ${title} | ${shown(middle, middle < 100 ? 1 : 0)} | ${each} | ${wanted} |`;
}

function verdict(reached: boolean): string {
  return reached ? 'reached' : '**missed**';
}
