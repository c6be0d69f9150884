/** Fails where a source contains an identifier that docs/glossary.md has retired. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inRoot, root } from './places.mjs';

const [, list = ''] = readFileSync(inRoot('docs/glossary.md'), 'utf8').split(
  '## Retired identifiers',
);
const section = list.split('\n## ')[0] ?? '';
const retired = [...section.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
if (retired.length === 0) throw new Error('docs/glossary.md has no list of retired identifiers');

const sources = ['*.ts', '*.tsx', '*.mjs', '*.rs', '*.sql', '*.css'];
const words = retired.flatMap((word) => ['-e', word]);
const { status, stdout, stderr } = spawnSync(
  'git',
  ['grep', '--untracked', '-n', '-w', '-F', ...words, '--', ...sources],
  { cwd: root, encoding: 'utf8' },
);
// 1: nothing found
if (status !== 0 && status !== 1) throw new Error(`git grep: ${stderr}`);
process.stdout.write(stdout);
if (status === 0) {
  console.log('docs/glossary.md has the words that stand for these now.');
  process.exitCode = 1;
}
