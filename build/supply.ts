/**
 * `npm run supply`, before each release: checks other people's work that is shipped or compiled in. It is not part of `npm run
 * check`, because its result changes by itself and most of it needs a network. Status 1: something was found; 3: a source could
 * not be reached.
 */
import { existsSync } from 'node:fs';
import { run } from './child.mjs';
import { shippedPackages } from './package/third-party-notices.ts';
import { packagedNode } from './packaged-node.mjs';
import { inRoot, root } from './places.mjs';
import { platforms, thisPlatform, whyNotLocked } from './shipped-lock.mjs';
import { type Answer, clean, exitCode, found, unasked } from './supply/answer.ts';
import { readCargoDeny } from './supply/cargo-deny.ts';
import { readLicences } from './supply/licences.ts';
import { readAdvisories, readSignatures } from './supply/npm-audit.ts';

const questions: [what: string, ask: () => Answer | Promise<Answer>][] = [
  ['digests of what is shipped as it was published', asLocked],
  ['licences of packages that are shipped', () => readLicences(shippedPackages())],
  [
    'licences, sources and bans of crates',
    () => cargoDeny(['licenses', 'sources', 'bans'], 'the crates’ registry'),
  ],
  [
    'advisories about crates',
    () => cargoDeny(['advisories'], 'the advisory database of RustSec, a repository'),
  ],
  [
    'advisories about packages',
    async () => from('the registry’s audit', readAdvisories(await npm('audit', '--json'))),
  ],
  [
    'signatures of packages',
    async () =>
      from('the registry’s keys', readSignatures(await npm('audit', 'signatures', '--json'))),
  ],
];
const marks = { clean: '✓', found: '✗', unasked: '?' } as const;

const answers: Answer[] = [];
for (const [what, ask] of questions) {
  const answer = await ask();
  answers.push(answer);
  const word = answer.kind === 'unasked' ? 'could not be asked' : answer.kind;
  console.log(`${marks[answer.kind]} ${what}: ${word}`);
  if (answer.said !== '') console.log(answer.said.replace(/^/gm, '    '));
}
process.exitCode = exitCode(answers);
console.log(
  {
    0: '\nnothing was found',
    1: '\nsomething was found: mend it, or say in native/deny.toml why it may stay',
    3: '\nnothing was found, but not everybody could be asked: ask again where there is a network, before a release',
  }[process.exitCode],
);

function asLocked(): Answer {
  if (!platforms.includes(thisPlatform)) return clean(`nothing is shipped for ${thisPlatform}`);
  const library = inRoot('node_modules', 'better-sqlite3', 'prebuilds', `${thisPlatform}.node`);
  const problems = [
    whyNotLocked('node', packagedNode() ?? ''),
    whyNotLocked('better-sqlite3', library),
  ].filter((why) => why !== null);
  const withElectron = existsSync(inRoot('node_modules', 'electron', 'dist'));
  return problems.length === 0
    ? clean(withElectron ? 'Electron’s archive is compared when it is packaged' : '')
    : found(problems.join('\n'));
}

async function cargoDeny(checks: string[], whom: string): Promise<Answer> {
  const words = ['deny', '--format', 'json', '--locked', '--all-features'];
  const manifest = ['--manifest-path', inRoot('native', 'Cargo.toml')];
  const [text, code] = await output('cargo', [...words, ...manifest, 'check', ...checks]);
  if (/no such command: `deny`/.test(text))
    return unasked('cargo-deny is missing: cargo install cargo-deny --locked');
  return from(whom, readCargoDeny(code, text));
}

async function npm(...words: string[]): Promise<string> {
  const [text] = await output('npm', [...words, '--loglevel=silent']);
  return text;
}

/** Standard output and standard error, of which one is empty. */
async function output(program: string, words: string[]): Promise<[text: string, code: number]> {
  const heard: string[] = [];
  const shell = process.platform === 'win32';
  const { code } = await run(program, words, { cwd: root, shell }, (text) => heard.push(text));
  return [heard.join(''), code];
}

function from(whom: string, answer: Answer): Answer {
  return answer.kind === 'unasked' ? unasked(`no answer from ${whom}:\n${answer.said}`) : answer;
}
