/**
 * Fuzzes the reader of profiles and policies: `node build/fuzz/fuzz-profiles.ts [seconds] [seed]`. Inputs of a new kind are kept
 * in target/fuzz/corpus/profile and changed further, in this run and the next; those in corpus/ are checked in. What breaks a
 * rule of profile-target.ts is written to target/fuzz/artifacts, named, and ends the run with 1.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, target } from '../places.mjs';
import { chance, mutate } from './mutate.ts';
import { judgeText } from './profile-target.ts';

const seconds = Number(process.argv[2] ?? 5);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 32);
const checkedIn = inRoot('build', 'fuzz', 'corpus', 'profile');
const grown = join(target, 'fuzz', 'corpus', 'profile');
const artifacts = join(target, 'fuzz', 'artifacts', 'profile');
/** milliseconds of this process, for at most a megabyte */
const longest = 1000;
const mostKept = 2000;

const pick = chance(seed);
const corpus: Buffer[] = [];
const kinds = new Set<string>();
let inputs = 0;

mkdirSync(grown, { recursive: true });
for (const folder of [checkedIn, grown])
  for (const name of readdirSync(folder)) tryOut(readFileSync(join(folder, name)));

const end = performance.now() + seconds * 1000;
while (performance.now() < end && process.exitCode !== 1) {
  const one = corpus[pick(corpus.length)] ?? Buffer.alloc(0);
  tryOut(mutate(one, corpus[pick(corpus.length)] ?? one, pick));
}
if (process.exitCode !== 1)
  console.log(`profile: ${inputs} inputs, ${kinds.size} kinds in ${seconds} s (seed ${seed})`);

function tryOut(octets: Buffer): void {
  inputs += 1;
  const started = process.cpuUsage();
  const { fault, kind } = judgeText(octets);
  const { user, system } = process.cpuUsage(started);
  const tooLong = (user + system) / 1000 > longest ? `it took ${(user + system) / 1000} ms` : null;
  const found = fault ?? tooLong;
  if (found !== null) tell(octets, found);
  if (kinds.has(kind)) return;
  kinds.add(kind);
  if (octets.length > 8192) return;
  corpus.push(octets);
  const file = join(grown, nameOf(octets));
  if (corpus.length < mostKept && !existsSync(file)) writeFileSync(file, octets);
}

function tell(octets: Buffer, found: string): void {
  mkdirSync(artifacts, { recursive: true });
  const file = join(artifacts, nameOf(octets));
  writeFileSync(file, octets);
  console.log(found);
  console.log(`profile: found something, see above and ${file} (seed ${seed})`);
  process.exitCode = 1;
}

function nameOf(octets: Buffer): string {
  return createHash('sha256').update(octets).digest('hex').slice(0, 16);
}
