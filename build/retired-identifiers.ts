/** Finds identifiers that docs/glossary.md has retired, in every source and document that may use them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inRoot, root } from './places.mjs';

export interface Retired {
  /** found as a whole word only */
  whole: readonly string[];
  /** found as a part of a longer identifier, too: `Word` in `longWord`, `word` in `long_word` */
  parts: readonly string[];
}

const read = ['*.ts', '*.tsx', '*.mjs', '*.rs', '*.sql', '*.css', '*.md', '*.scenario'];
/** The glossary lists them, the changelog says what they became, and a test says what is found. */
const allowed = ['docs/glossary.md', 'CHANGELOG.md', 'build/retired-identifiers.test.ts'];

/** The two lists of the glossary's section. */
export function retiredIn(glossary: string): Retired {
  const [, behind = ''] = glossary.split('## Retired identifiers');
  const [whole = '', parts = ''] = (behind.split('\n## ')[0] ?? '').split('As a part');
  return { whole: quoted(whole), parts: quoted(parts) };
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([\w:.-]+)`/g)].map(([, word = '']) => word);
}

/** An expression for `git grep -P` and for JavaScript. */
export function expressionFor({ whole, parts }: Retired): string {
  const alone = whole.map((word) => {
    const more = word.includes('-') ? '[\\w-]' : '\\w';
    return `(?<!${more})${escaped(word)}(?!${more})`;
  });
  const within = parts.map((word) => {
    const before = /^[a-z]/.test(word) ? '(?<![A-Za-z0-9])' : '';
    return `${before}${escaped(word)}(?![a-z0-9])`;
  });
  return [...alone, ...within].join('|');
}

function escaped(word: string): string {
  return word.replace(/[.]/g, '\\.');
}

/** `git grep`'s lines, one for each line that says a retired identifier. */
export function retiredIdentifiers(): string {
  const retired = retiredIn(readFileSync(inRoot('docs/glossary.md'), 'utf8'));
  if (retired.whole.length === 0 || retired.parts.length === 0)
    throw new Error('docs/glossary.md has no lists of retired identifiers');
  const places = [...read, ...allowed.map((file) => `:!${file}`)];
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['grep', '--untracked', '-n', '-P', '-e', expressionFor(retired), '--', ...places],
    { cwd: root, encoding: 'utf8' },
  );
  // 1: nothing was found
  if (status !== 0 && status !== 1) throw new Error(`git grep: ${stderr}`);
  return stdout;
}

if (import.meta.main) {
  const found = retiredIdentifiers();
  process.stdout.write(found);
  if (found !== '') {
    console.log('docs/glossary.md has the words that stand for these now.');
    process.exitCode = 1;
  }
}
