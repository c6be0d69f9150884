/** A source that grows past this holds a second idea, which gets a file of its own. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from './places.mjs';

const mostLines = 400;

const kinds = ['rs', 'ts', 'tsx', 'mjs', 'js', 'css'].map((kind) => `*.${kind}`);

/** Generated from the engine's types, so that nobody can split them. */
const generated = ['app/service/engine/boundary.ts'];

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', ...kinds],
  { cwd: inRoot(''), encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && !generated.includes(file));

test(`no source has more than ${mostLines} lines`, () => {
  const lines = (file: string) => readFileSync(inRoot(file), 'utf8').split('\n').length - 1;
  expect(files.filter((file) => lines(file) > mostLines)).toEqual([]);
});

test('sources of every kind are looked at', () => {
  for (const kind of ['.rs', '.ts', '.tsx', '.mjs', '.css'])
    expect(files.filter((file) => file.endsWith(kind)).length).toBeGreaterThan(10);
});
